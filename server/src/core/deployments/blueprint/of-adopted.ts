import type { AdoptedService } from '../rows/adopted-store.ts'
import type { Blueprint, ServicePlan } from '../rows/blueprint.ts'
import { DeployFailure } from '../rows/failure.ts'
import type { Setting } from '../rows/overrides.ts'
import { mainOf } from './of-compose.ts'
import { inOrder } from './of-settings.ts'

/** The services of a project as they ran before they were adopted, under what the project says of them since. */
export function ofAdopted(adopted: AdoptedService[], settings: Setting[]): Blueprint {
  if (adopted.length === 0) throw nothingAdopted()
  const plans = adopted.map(({ name, plan }): ServicePlan => {
    const config = settings.find((one) => one.name === name)?.config ?? {}
    const known = plan.after.filter(({ service }) => adopted.some((one) => one.name === service))
    return { name, config, after: known, compose: plan.compose }
  })
  const internal = new Set(adopted.flatMap(({ plan }) => plan.internal))
  const keys = new Set(adopted.flatMap(({ plan }) => plan.compose.networks.map(({ network }) => network)))
  const led = adopted.find(({ plan }) => plan.led)
  const exposed = settings.some(({ config }) => config.exposed === true)
  const services = adopted.map(({ name, plan }) => ({ ...plan.compose, name }))
  return {
    services: inOrder(plans),
    networks: [...keys].sort().map((key) => ({ key, internal: internal.has(key) })),
    main: led && !exposed ? led.name : mainOf(services, settings),
    warnings: [],
  }
}

const nothingAdopted = () =>
  new DeployFailure({
    code: 'invalid_request',
    message: 'The project has no services that were adopted.',
    hint: 'Deploy an upload, a repository or an image instead.',
  })

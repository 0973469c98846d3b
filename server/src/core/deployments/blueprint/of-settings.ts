import { Refusal } from '../../../errors.ts'
import type { Blueprint, ServicePlan } from '../rows/blueprint.ts'
import type { Setting } from '../rows/overrides.ts'

const ALONE: Setting = { name: 'web', config: {} }

/** The services that a project names itself, or the one that it is without any. */
export function ofSettings(settings: Setting[]): Blueprint {
  const all = settings.length === 0 ? [ALONE] : settings
  const plans = all.map(({ name, config }): ServicePlan => {
    const after = (config.dependsOn ?? []).map((service) => ({ service, until: 'healthy' as const, required: true }))
    return { name, config, after }
  })
  const services = inOrder(plans)
  return { services, networks: [], main: mainOf(all), warnings: [] }
}

/** The one that says so, the one that is called so, or the first. */
function mainOf(all: Setting[]): string | null {
  const [main] = [
    ...all.filter(({ config }) => config.exposed === true),
    ...all.filter(({ name, config }) => name === 'web' && config.exposed !== false),
    ...all.filter(({ config }) => config.exposed !== false),
  ]
  return main?.name ?? null
}

/** Each after those it waits for; by name where nothing else decides. */
export function inOrder(plans: ServicePlan[]): ServicePlan[] {
  const left = plans.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  for (const { name, after } of left) {
    const missing = after.find(({ service }) => !left.some((one) => one.name === service))
    if (missing) throw wrong(`${name} waits for ${missing.service}, which is no service of the project.`)
  }
  const done: ServicePlan[] = []
  const isDone = (name: string) => done.some((one) => one.name === name)
  while (left.length > 0) {
    const next = left.findIndex(({ after }) => after.every(({ service }) => isDone(service)))
    if (next < 0) throw wrong(`${left.map(({ name }) => name).join(', ')} wait for each other.`)
    done.push(...left.splice(next, 1))
  }
  return done
}

const wrong = (message: string) =>
  new Refusal('invalid_request', message, { field: 'dependsOn', hint: 'Correct dependsOn of the service.' })

import type { Applied } from '../../../drivers/runtime/rollout/apply.ts'
import type { Leaving } from '../../../drivers/runtime/rollout/wait-free.ts'
import type { ConvergeOptions } from '../converge/converge.ts'
import type { Place } from '../converge/execute.ts'
import type { Operation } from '../converge/planning/operation.ts'
import type { DeployContext } from '../deploy-context.ts'
import type { Release } from '../rows/release.ts'
import { watchRollout } from './watch-rollout.ts'

/** What a rollout does, told to whoever follows the deployment. */
export function teller(context: DeployContext, { services }: Release, sinceOf: (service: string) => Date | undefined) {
  const { events } = context
  const did = new Map<string, Applied['did']>()
  const isNew = (name: string, deployment: string) =>
    services.some((spec) => spec.service === name && spec.deployment === deployment)
  const say = (service: string, line: string) =>
    events.write('log', { service, step: 'rollout', stream: 'stdout', line })
  const place: Pick<Place, 'watch' | 'onApplied' | 'onWait'> = {
    onApplied: ({ service }, what) => void did.set(service, what),
    onWait: ({ service }, leaving) => say(service, waitsFor(leaving)),
    // What goes back is watched in the usual way, and said when it is there.
    watch: ({ service }, spec, signal) =>
      isNew(service, spec.deployment)
        ? watchRollout(context, spec, { did: did.get(service) ?? 'unchanged', since: sinceOf(service), signal })
        : undefined,
  }
  return {
    place,
    /** Before an operation. */
    begin(one: Operation): void {
      if (one.kind === 'wait-free') say(one.service, waitsFor({ services: one.holders, containers: 1 }))
      if (one.kind !== 'remove' || one.takenBy === undefined) return
      events.write('service', { service: one.service, status: 'removed', because: one.reason })
      say(one.takenBy, `${one.service} is stopped first: ${one.reason}.`)
    },
    /** One that was stopped for another, which did not come up. */
    onOperation: ((one, state) => {
      if (state !== 'done' || one.kind !== 'wait-healthy' || services.some(({ service }) => service === one.service))
        return
      events.write('service', { service: one.service, status: 'restored', because: one.reason })
    }) as NonNullable<ConvergeOptions['onOperation']>,
  }
}

function waitsFor({ services, containers }: Leaving): string {
  const what = containers === 1 ? 'a container' : `${containers} containers`
  return `It is started when ${what} of ${services.join(', ')} ${containers === 1 ? 'has' : 'have'} ended: both must not run at the same time.`
}

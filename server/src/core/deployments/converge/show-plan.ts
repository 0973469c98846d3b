import type { DeploymentPlan, PlanOperation } from '@slipway/contract/plan'
import type { ObservedServer } from './planning/observed.ts'
import type { Operation } from './planning/operation.ts'

/** A plan as people are shown it, with what it comes to for them. */
export function showPlan(
  operations: Operation[],
  now: Pick<ObservedServer, 'services' | 'routes'>,
  stateOf: (id: string) => PlanOperation['state'] = () => 'planned',
): DeploymentPlan {
  const isThere = (name: string) => now.services.some(({ service }) => service === name)
  const of = (kind: Operation['kind'], there?: boolean) => [
    ...new Set(
      operations.flatMap((one) =>
        one.kind === kind && 'service' in one && (there === undefined || isThere(one.service) === there)
          ? [one.service]
          : [],
      ),
    ),
  ]
  const changed = [...of('apply'), ...of('run-job')]
  return {
    operations: operations.map((one) => ({
      id: one.id,
      kind: one.kind,
      service: 'service' in one ? one.service : null,
      change: changeIn(one, isThere),
      reason: one.reason,
      after: one.after,
      state: stateOf(one.id),
    })),
    created: of('apply', false),
    replaced: of('apply', true),
    restarted: of('restart'),
    // One that gives way to itself comes again.
    removed: of('remove').filter((name) => !changed.includes(name)),
    jobs: of('run-job'),
    routed: operations.flatMap((one) => (one.kind === 'route' ? one.routes.filter((route) => !leads(now, route)) : [])),
    interrupted: operations.flatMap((one) =>
      one.kind === 'apply' && isThere(one.service) && one.spec.order === 'stop-first'
        ? [{ service: one.service, because: one.spec.needs.map(({ label }) => label) }]
        : [],
    ),
  }
}

type Route = ObservedServer['routes'][number]

const leads = ({ routes }: Pick<ObservedServer, 'routes'>, { host, pathPrefix, service, port }: Route): boolean =>
  routes.some(
    (one) => one.host === host && one.pathPrefix === pathPrefix && one.service === service && one.port === port,
  )

function changeIn(one: Operation, isThere: (name: string) => boolean): string {
  switch (one.kind) {
    case 'apply':
      if (!isThere(one.service)) return `${one.service} is created`
      return one.spec.order === 'stop-first'
        ? `${one.service} is stopped and then replaced`
        : `${one.service} is replaced while it serves`
    case 'run-job':
      return `${one.service} runs to its end`
    case 'restart':
      return `${one.service} gets new containers`
    case 'remove':
      return `${one.service} is removed`
    case 'wait-healthy':
      return one.until === 'done' ? `nothing: ${one.service} is waited for` : `nothing: ${one.service} is watched`
    case 'wait-idle':
    case 'wait-free':
      return `nothing: ${one.service} waits`
    case 'ensure-networks':
      return `networks are made: ${one.networks.join(', ')}`
    case 'route-both':
      return 'names lead to both ports'
    case 'drop-route':
      return 'names lead nowhere'
    case 'withdraw':
      return 'all of the project is taken away, but its data'
    case 'drop-volumes':
      return 'the data of the project is deleted'
    default:
      return `names lead to ${[...new Set(one.routes.map(({ service }) => service))].join(', ') || 'nothing'}`
  }
}

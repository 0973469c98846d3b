import type { DeploymentPlan } from '@slipway/contract/plan'

/** What would be done to the server, in lines. */
export function planLines(plan: DeploymentPlan): string[] {
  const kinds: [string, string[]][] = [
    ['created', plan.created],
    ['replaced', plan.replaced],
    ['restarted', plan.restarted],
    ['removed', plan.removed],
    ['run once', plan.jobs],
  ]
  const lines = [
    ...kinds
      .filter(([, names]) => names.length > 0)
      .map(([what, names]) => `  ${what.padEnd(10)}  ${names.join(', ')}`),
    ...plan.routed.map(
      ({ host, pathPrefix, service, port }) => `  routed      ${host}${pathPrefix ?? ''} → ${service}:${port}`,
    ),
    ...plan.interrupted.map(
      ({ service, because }) => `! ${service} stops before its successor starts, because of ${because.join(', ')}`,
    ),
  ]
  return lines.length > 0 ? lines : ['  Nothing would change.']
}

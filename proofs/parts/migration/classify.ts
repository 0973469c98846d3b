import type { MigrationService, MigrationStack } from '@slipway/contract/migration-shape'

type Verdict = { adoptable: boolean; reasons: string[]; names?: string[]; replicas?: number }

/** The part of a scan that a written expectation can be held against: no ids, no times, no sentences. */
export function classify({ server, composeStacks, parked, containers }: MigrationStack) {
  const sorted = <T>(all: [string, T][]) => Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)))
  return {
    ports: server.ports.map(({ port, by }) => `${port} ${by?.kind ?? 'nobody'}`),
    stacks: sorted(
      composeStacks.map(({ name, maker, platform, files, differences, services }) => [
        name,
        {
          maker,
          ...(platform !== null && { platform }),
          files: files.map(
            ({ path, found, reason, matches }) => `${path} found=${found} ${reason ?? ''} matches=${matches}`,
          ),
          differences: differences.map(({ service, kind }) => `${service}: ${kind}`).sort(),
          services: sorted(services.map((one) => [one.name, verdictOf(one)])),
        },
      ]),
    ),
    containers: sorted(containers.map((one) => [one.name, verdictOf(one)])),
    parked: sorted(
      parked.map(({ path, services, reason, movedFrom }) => [
        path,
        [services.join(' '), reason ?? 'read', ...(movedFrom === null ? [] : [`moved from ${movedFrom}`])].join(', '),
      ]),
    ),
  }
}

function verdictOf({
  adoptable,
  reasons,
  names,
  replicas,
  volumes,
}: MigrationService): Verdict & { volumes?: string[] } {
  return {
    adoptable,
    reasons: [...new Set(reasons.map(({ key }) => key))].sort(),
    ...(replicas !== 1 && { replicas }),
    ...(names.length > 0 && {
      names: names.map(({ host, path, port }) => `${host}${path ?? ''}${port ? `:${port}` : ''}`),
    }),
    ...(volumes.length > 0 && {
      volumes: volumes.map(({ kind, name, source, target, readOnly }) =>
        [kind, kind === 'anonymous' ? '' : (name ?? source ?? ''), target, readOnly ? 'ro' : 'rw'].join(' '),
      ),
    }),
  }
}

/** Where two trees of plain values differ, as lines. */
export function unlike(found: unknown, wanted: unknown, path = ''): string[] {
  if (JSON.stringify(found) === JSON.stringify(wanted)) return []
  const isTree = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isTree(found) || !isTree(wanted))
    return [`${path}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`]
  const keys = new Set([...Object.keys(found), ...Object.keys(wanted)])
  return [...keys].flatMap((key) => unlike(found[key], wanted[key], path === '' ? key : `${path}.${key}`))
}

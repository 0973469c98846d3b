import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { daemonCalled } from '../../../../lab/group.ts'
import type { Stage } from '../stage.ts'

/** What containers of a project have of the machine. The log is that of one container, whose limit is looked at. */
export type Use = { processes: number; memoryBytes: number; logBytes: number }

type Stats = { pids_stats?: { current?: number }; memory_stats?: { usage?: number; stats?: Record<string, number> } }

export async function containersOf({ ground }: Stage, project: string): Promise<string[]> {
  const filters = { label: [`slipway.project=${project}`] }
  const found = await ground.api.listContainers({ filters })
  return found.filter(({ Labels }) => Labels['slipway.role'] !== 'gateway').map(({ Id }) => Id)
}

/** The most of any of its containers. */
export async function useOf(stage: Stage, project: string): Promise<Use> {
  const ids = (await containersOf(stage, project)).slice(0, 3)
  const all = await Promise.all(ids.map((id) => useOfContainer(stage, id)))
  const most = (what: keyof Use) => Math.max(0, ...all.map((one) => one[what]))
  return { processes: most('processes'), memoryBytes: most('memoryBytes'), logBytes: most('logBytes') }
}

export async function useOfContainer({ ground }: Stage, id: string): Promise<Use> {
  const query = { stream: false, 'one-shot': true } as const
  const stats = (await ground.api
    .getContainer(id)
    .stats(query)
    .catch(() => ({}))) as Stats
  const { usage = 0, stats: parts = {} } = stats.memory_stats ?? {}
  return {
    processes: stats.pids_stats?.current ?? 0,
    // Pages of files that can be given up are nobody's.
    memoryBytes: Math.max(0, usage - (parts.total_inactive_file ?? parts.inactive_file ?? 0)),
    logBytes: bytesIn(join(diskOf(ground), 'containers', id)),
  }
}

/** The disk is mounted inside of the machine alone: as its own processes see it. */
const diskOf = ({ machine }: Stage['ground']): string =>
  join('/proc', String(daemonCalled(machine.name, 'dockerd')), 'root', machine.dir, 'data')

function bytesIn(folder: string): number {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile() && /log/.test(join(entry.parentPath, entry.name)))
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
  } catch {
    return 0
  }
}

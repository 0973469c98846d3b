import type Docker from 'dockerode'
import { callEngine, pause, unlessMissing } from '../../engine/ask.ts'
import { tasksOf } from '../find.ts'
import { LABEL } from '../labels.ts'
import { containersOf } from './tasks.ts'

export type TaskUsage = {
  project: string
  service: string
  deployment: string | null
  taskId: string
  containerId: string
  /** Of its limit, or of one core where it has none. */
  cpuPercent: number
  /** Of the processor, whatever its limit. */
  cores: number
  /** Without the file cache that the kernel would give back. */
  memoryBytes: number
  memoryLimitBytes: number | null
  networkRxBytes: number
  networkTxBytes: number
  at: string
}

/** What of the engine's `/containers/…/stats` is used. */
export type Sample = {
  read: string
  cpu_stats: { cpu_usage: { total_usage: number } }
  memory_stats: { usage?: number; stats?: { inactive_file?: number; total_inactive_file?: number } }
  networks?: Record<string, { rx_bytes: number; tx_bytes: number }>
}

export type Whose = { project: string } | { org: string }

/** So many are asked for at once: a server may have hundreds of containers. */
const AT_ONCE = 32

async function inTurns<T, R>(all: T[], ask: (one: T) => Promise<R>): Promise<R[]> {
  const found: R[] = []
  for (let at = 0; at < all.length; at += AT_ONCE)
    found.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(ask))))
  return found
}

type Limits = { memoryBytes?: number | undefined; cpus?: number | undefined }
const BETWEEN_MS = 500

/** Usage of a project's containers on this machine, or of all of an organization, from two samples: a single one of the engine's has nothing to compare with. */
export async function usageBy(
  docker: Docker,
  { instance, ...whose }: { instance: string } & Whose,
  signal: AbortSignal,
): Promise<TaskUsage[]> {
  const of = 'project' in whose ? { [LABEL.project]: whose.project } : { [LABEL.org]: whose.org }
  const labels = { [LABEL.instance]: instance, ...of }
  const all = await containersOf(docker, labels, signal)
  // The project's gateway is no service of its own.
  const containers = all.filter(({ State, Labels }) => State === 'running' && Labels[LABEL.service] !== undefined)
  if (containers.length === 0) return []
  const sampleAll = () => inTurns(containers, ({ Id }) => sample(docker, Id, signal))
  const [before, limits] = await Promise.all([sampleAll(), limitsOf(docker, labels, signal)])
  await pause(BETWEEN_MS, signal)
  const after = await sampleAll()
  return containers.flatMap(({ Id, Labels }, index) => {
    const [first, second] = [before[index], after[index]]
    // It ended between the two samples.
    if (!first || !second) return []
    const taskId = Labels['com.docker.swarm.task.id'] ?? ''
    const usage = usageOf(first, second, limits.get(taskId) ?? {})
    const [service = '', deployment = null] = [Labels[LABEL.service], Labels[LABEL.deployment]]
    return [{ project: Labels[LABEL.project] ?? '', service, deployment, taskId, containerId: Id, ...usage }]
  })
}

/** The difference of two samples (pure). */
export function usageOf(first: Sample, second: Sample, { memoryBytes, cpus = 1 }: Limits) {
  const elapsedNs = (Date.parse(second.read) - Date.parse(first.read)) * 1_000_000
  const usedNs = second.cpu_stats.cpu_usage.total_usage - first.cpu_stats.cpu_usage.total_usage
  const { usage = 0, stats = {} } = second.memory_stats
  const networks = Object.values(second.networks ?? {})
  return {
    cores: elapsedNs > 0 ? Math.max(0, Math.round((usedNs / elapsedNs) * 1000) / 1000) : 0,
    cpuPercent: elapsedNs > 0 ? Math.max(0, Math.round((usedNs / elapsedNs / cpus) * 10_000) / 100) : 0,
    // cgroup v1 names it with "total_".
    memoryBytes: Math.max(0, usage - (stats.total_inactive_file ?? stats.inactive_file ?? 0)),
    memoryLimitBytes: memoryBytes ?? null,
    networkRxBytes: networks.reduce((sum, { rx_bytes }) => sum + rx_bytes, 0),
    networkTxBytes: networks.reduce((sum, { tx_bytes }) => sum + tx_bytes, 0),
    at: second.read,
  }
}

async function sample(docker: Docker, id: string, signal: AbortSignal): Promise<Sample | null> {
  const query = { stream: false, 'one-shot': true }
  const found = await unlessMissing(callEngine<Sample>(docker, { path: `/containers/${id}/stats`, query }, signal))
  // The engine answers for a container that has just ended, with nothing in it.
  return found && Date.parse(found.read) > 0 ? found : null
}

async function limitsOf(docker: Docker, labels: Record<string, string>, signal: AbortSignal) {
  const tasks = await tasksOf(docker, labels, signal)
  return new Map<string, Limits>(
    tasks.map(({ ID, Spec }) => {
      const { MemoryBytes, NanoCPUs } = Spec.Resources?.Limits ?? {}
      return [ID, { memoryBytes: MemoryBytes, cpus: NanoCPUs ? NanoCPUs / 1_000_000_000 : undefined }]
    }),
  )
}

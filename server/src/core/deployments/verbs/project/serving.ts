import type { Serving } from '@slipway/contract/serving'
import type { RunningTask } from '../../../../drivers/runtime/running/tasks.ts'
import type { Caller } from '../../../access/caller.ts'
import type { BaseParts } from '../../../parts.ts'
import { requireProject } from '../../../projects/find.ts'
import { openEngineTarget } from '../../../servers/open-engine-target.ts'
import * as servers from '../../../servers/store.ts'
import { releaseOf } from '../../rows/release.ts'
import { newestServer, numbersOf } from '../../rows/serving-store.ts'
import * as store from '../../rows/store.ts'
import type { SeenService, ServingLooks } from './serving-looks.ts'

type Parts = Pick<BaseParts, 'db' | 'keys' | 'runtime' | 'config'> & { servingLooks: ServingLooks }
const NOTHING = { server: null, active: null, data: [], seenAt: null }

/** What runs of a project where its active release is, or where it is being brought: only ever what the engine has said. */
export async function showServing(parts: Parts, caller: Caller, id: string): Promise<Serving> {
  const { target, orgId } = await requireProject(parts.db, caller, id)
  if (target === 'cloud') return { target, ...NOTHING }
  const active = await store.findActive(parts.db, id)
  const serverId = active?.serverId ?? (await newestServer(parts.db, { orgId, projectId: id }))
  if (serverId === undefined) return { target, ...NOTHING }
  const server = await servers.load(parts.db, orgId, serverId)
  // Another engine at the same address has said nothing yet.
  const key = [id, server.id, server.engineId].join(' ')
  const { seen, reason } = await parts.servingLooks.look(key, (signal) => askEngine(parts, server, id, signal))
  return {
    target,
    server: { id: server.id, name: server.name },
    active: active ? { id: active.id, number: active.number } : null,
    data: seen === null ? [] : await told(parts, orgId, active, seen),
    seenAt: seen?.at ?? null,
    ...(reason !== null && { unreachable: true as const, reason }),
  }
}

/** What is meant to run, and what does. */
async function askEngine(
  { runtime, ...parts }: Parts,
  server: servers.ServerRow,
  project: string,
  signal: AbortSignal,
): Promise<SeenService[]> {
  const engine = openEngineTarget(parts, server)
  const observed = await runtime.observe(engine, project, { signal })
  // Tasks last: one that is there when its service is looked at is then not missed.
  const tasks = await runtime.tasks(engine, project, { signal })
  // A job runs to its end, and serves nobody.
  const jobs = new Set(observed.filter(({ job }) => job).map(({ service }) => service))
  const meant = observed.filter(({ job }) => !job).map(({ service, deployment }) => ({ service, deployment }))
  const forms = [...meant, ...tasks.filter(({ service }) => !jobs.has(service))]
  const each = new Map(forms.map(({ service, deployment }) => [`${service} ${deployment}`, { service, deployment }]))
  return [...each.values()].map((form) => {
    const isForm = (one: typeof form) => one.service === form.service && one.deployment === form.deployment
    return seenOf(form, observed.find(isForm)?.replicas.wanted ?? 0, tasks.filter(isForm))
  })
}

function seenOf(
  { service, deployment }: Pick<SeenService, 'service' | 'deployment'>,
  wanted: number,
  tasks: RunningTask[],
): SeenService {
  const running = tasks.filter(({ state }) => state === 'running')
  // The engine of another node is not asked about its containers' checks; it would end one that does not pass.
  const healthy = running.filter(({ health }) => health === null || health === 'healthy')
  const [since = null] = running.flatMap(({ startedAt }) => startedAt ?? []).sort()
  return { service, deployment, replicas: { wanted, running: running.length, healthy: healthy.length }, since }
}

type Active = Awaited<ReturnType<typeof store.findActive>>

/** With what each belongs to by our own record. A service of the release that the engine has nothing of is told as such. */
async function told(
  parts: Pick<Parts, 'db' | 'keys'>,
  orgId: string,
  active: Active,
  { at, services }: { at: string; services: SeenService[] },
): Promise<Serving['data']> {
  const released = releaseOf(parts, active).services.filter(({ job }) => !job)
  const missing = released
    .filter(({ service }) => !services.some((one) => one.service === service))
    .map(({ service }) => ({
      ...{ service, deployment: null, replicas: { wanted: 0, running: 0, healthy: 0 }, since: null },
    }))
  const numbers = await numbersOf(
    parts.db,
    orgId,
    services.flatMap(({ deployment }) => deployment ?? []),
  )
  return [...services, ...missing].map(({ deployment, ...one }) => ({
    ...one,
    deploymentId: deployment,
    number: numbers.get(deployment ?? '') ?? null,
    asReleased:
      deployment !== null && released.some((spec) => spec.service === one.service && spec.deployment === deployment),
    seenAt: at,
  }))
}

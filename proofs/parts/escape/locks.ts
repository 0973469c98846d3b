import type { RuntimeFailure } from '../../../server/src/drivers/runtime/failure.ts'
import type { ServiceSpec } from '../../../server/src/drivers/runtime/rollout/spec.ts'
import type { Runtime } from '../../../server/src/drivers/runtime/runtime.ts'
import { swarmRuntime } from '../../../server/src/drivers/runtime/swarm.ts'
import { isFailure } from '../../../server/src/errors.ts'
import { belongings, cleared } from '../../../test-kit/engine.ts'
import { applyNowhere } from '../../../test-kit/runtime.ts'
import { allBounded, type Held } from './locks/bounded.ts'
import { allLocks, type Lock, type Place } from './locks/table.ts'
import type { Row, Stage } from './stage.ts'

const DOOR = 'second lock'
const OWN = 'prj_locks'
const OTHER = 'prj_locksother'

type Bench = Awaited<ReturnType<typeof openBench>>

/**
 * The runtime itself, past every reader of files and settings: what a mistake in one of those would let through, or an old
 * release holds. Each is refused, or arrives at the engine without what was asked for.
 */
export async function locks(stage: Stage): Promise<Row[]> {
  const bench = await openBench(stage)
  try {
    const rows: Row[] = []
    for (const one of allLocks(bench.place)) rows.push(await tried(bench, one))
    for (const { name, spec, isBounded } of allBounded) {
      const held = await bench.held({ ...spec, service: `bounded-${rows.length}` })
      rows.push(isBounded(held) ? row(name, 'harmless', 'cut to what is bearable') : worked(name, JSON.stringify(held)))
    }
    rows.push(await nothingLeft(bench), ...(await controls(stage, bench)))
    return rows
  } finally {
    bench.runtime.close()
    await cleared(stage.ground.engine.socket, bench.instance)
  }
}

const row = (name: string, verdict: Row['verdict'], words: string): Row => ({ name, door: DOOR, verdict, words })
const worked = (name: string, words: string) => row(name, 'WORKED', words)

async function openBench({ ground, site, victim }: Stage) {
  const instance = `locks-${process.pid}`
  const reservedPorts = [site.httpPort, site.httpPort + 10_000, Number(new URL(site.base()).port)]
  const runtime = swarmRuntime({ instance, reservedPorts })
  const target = { kind: 'local', socketPath: ground.engine.socket } as const
  const signal = AbortSignal.timeout(600_000)
  for (const project of [OWN, OTHER])
    await runtime.ensureNetwork(target, `locks-${project}`, { signal, org: 'org_locks', project })
  const labels = (project: string) => ({ 'slipway.instance': instance, 'slipway.project': project })
  const device = ground.hostFolder
  const mounting = ['prj-locks-rbind', 'prj-locks-nolabel']
  const DriverOpts = { type: 'none', o: 'rbind', device }
  await ground.api.createVolume({ Name: 'prj-locks-rbind', Labels: labels(OWN), DriverOpts })
  await ground.api.createVolume({ Name: 'prj-locks-nolabel', DriverOpts })
  await ground.api.createVolume({ Name: 'prj-locksother-data', Labels: labels(OTHER) })
  const own = await ground.api.getNetwork(`locks-${OWN}`).inspect()
  const other = await ground.api.getNetwork(`locks-${OTHER}`).inspect()
  const edge = `${site.instance}-edge`
  const place: Place = {
    hostFolder: ground.hostFolder,
    network: own.Name,
    foreignNetworks: {
      'another project': other.Name,
      'another project, by its id': other.Id,
      'this project, by its id': own.Id,
      'the victim': victim.network,
      'the victim and its gateway': `${victim.network}-edge`,
      'the edge': `${edge}-bridge`,
    },
    foreignVolumes: {
      'another project': 'prj-locksother-data',
      'the victim': victim.volume,
      'the edge, with its keys': edge,
      'the edge and the gateways': `${edge}-sockets`,
    },
    mounting,
    reservedPorts,
  }
  const apply = (more: Partial<ServiceSpec>, hostPorts = true) =>
    runtime.apply({ ...target, policy: { hostPorts, ceilings: {} } }, specOf(place, more), { signal })
  /** Applies what must be taken, and shows what the engine then holds. */
  const held = async (more: Partial<ServiceSpec>): Promise<Held> => {
    const { name } = await apply({ replicas: 0, ...more })
    const service = await ground.api.getService(name).inspect()
    await ground.api.getService(name).remove()
    return service.Spec.TaskTemplate
  }
  const before = await engineHolds(ground.engine.socket, instance)
  return { instance, runtime: runtime as Pick<Runtime, 'close'>, target, place, apply, held, before, ground }
}

const specOf = ({ network }: Place, more: Partial<ServiceSpec>): ServiceSpec => ({
  org: 'org_locks',
  project: OWN,
  service: 'web',
  deployment: 'dep_locks',
  image: 'busybox:1',
  command: ['sleep', '60'],
  environment: {},
  replicas: 1,
  healthcheck: { kind: 'none', intervalMs: 5000, timeoutMs: 5000, retries: 3, startPeriodMs: 0 },
  stopGraceMs: 1000,
  networks: [{ name: network, aliases: [] }],
  volumes: [],
  init: true,
  restart: 'always',
  order: 'start-first',
  monitorMs: 1000,
  ...more,
})

async function tried(bench: Bench, { name, spec, hostPorts, odd }: Lock): Promise<Row> {
  if (odd) {
    const [said, plain] = [await bench.held({ ...spec, service: 'odd' }), await bench.held({ service: 'odd' })]
    const same = without(said) === without(plain)
    return same ? row(name, 'harmless', 'the engine heard nothing of it') : worked(name, JSON.stringify(said))
  }
  try {
    const { did } = await bench.apply(spec, hostPorts)
    await cleared(bench.ground.engine.socket, bench.instance)
    return worked(name, `was ${did}`)
  } catch (error) {
    if (isFailure<RuntimeFailure>(error, 'runtime')) return row(name, 'refused', error.message)
    return row(name, 'no result', String(error))
  }
}

/** The hash of the spec differs with every word of it. */
const without = (held: Held): string => JSON.stringify(held).replace(/"slipway\.spec":"\w+"/g, '')

const engineHolds = async (socket: string, instance: string): Promise<string> => {
  const { services, containers, networks, volumes, configs } = await belongings(socket, instance)
  return [services, containers, networks, volumes, configs].map((all) => all.length).join()
}

async function nothingLeft({ before, ground, instance }: Bench): Promise<Row> {
  const after = await engineHolds(ground.engine.socket, instance)
  const name = 'nothing of all that was refused is on the engine'
  return after === before ? row(name, 'refused', `as before: ${after}`) : worked(name, `${before} became ${after}`)
}

/** The engine itself would have taken them: what refuses is ours. */
async function controls({ ground }: Stage, { place, target, instance }: Bench): Promise<Row[]> {
  const options = ['type=none', 'o=rbind', `device=${place.hostFolder}`].map((one) => `,volume-opt=${one}`).join('')
  const read = await ground.docker(
    'run',
    '--rm',
    '--mount',
    `type=volume,dst=/m${options}`,
    'busybox:1',
    'cat',
    '/m/secret',
  )
  const rows = [control('a volume with mount options', read.includes(ground.markers.host), 'reads the host’s file')]
  const kinds = /^(capability|port|kernel setting|limit|host name|alias|volume of|replicas)/
  const taken = new Map<string, number>()
  for (const { name, spec } of allLocks(place)) {
    const kind = kinds.exec(name)?.[1]
    if (kind === undefined) continue
    const done = applyNowhere(target, instance, specOf(place, { ...spec, service: 'direct' }))
    const was = await done.then(
      () => 1,
      () => 0,
    )
    taken.set(kind, (taken.get(kind) ?? 0) + was)
    if (was) await ground.api.getService((await servicesOf(ground, instance))[0] ?? '').remove()
  }
  for (const [kind, count] of taken) rows.push(control(`${kind} …`, count > 0, `${count} of them taken by the engine`))
  return rows
}

const control = (name: string, caught: boolean, words: string): Row => ({
  ...row(`without the lock: ${name}`, caught ? 'WORKED' : 'no result', words),
  control: true,
})

async function servicesOf({ engine }: Stage['ground'], instance: string): Promise<string[]> {
  return (await belongings(engine.socket, instance)).services.map(({ ID }) => ID)
}

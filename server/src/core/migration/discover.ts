import type { MigrationStack } from '@slipway/contract/migration-shape'
import type { EngineTarget } from '../../drivers/engine/engine.ts'
import type { FoundEngine, FoundNetwork, FoundVolume } from '../../drivers/runtime/reading/found.ts'
import type { ServerReader } from '../../drivers/runtime/reading/server-reader.ts'
import { Refusal } from '../../errors.ts'
import type { BaseParts } from '../parts.ts'
import { portHolders, soon } from './port-holders.ts'
import { readFiles } from './read-files.ts'
import { judgePaths, type RealPaths, realPathsOf } from './real-paths.ts'
import { refuseOwned } from './refuse-owned.ts'
import type { Parked, StackFiles } from './stack-files.ts'
import { type Unit, unitsOf } from './units.ts'
import { warningsOf } from './warnings.ts'

/** All that is known of a server after one look at it. Holds values of variables: it never leaves core as it is. */
export type Discovery = {
  engine: FoundEngine
  units: Unit[]
  volumes: FoundVolume[]
  networks: FoundNetwork[]
  /** Of compose stacks, by `compose/<name>`. */
  files: ReadonlyMap<string, StackFiles>
  parked: Parked[]
  ports: MigrationStack['server']['ports']
  sizes: ReadonlyMap<string, number> | null
  /** Of the paths that containers have of the server. */
  realPaths: RealPaths
  warnings: string[]
}

/** `around`: also compose files of which nothing runs, and who has the ports of the edge. */
export type Look = { orgId: string; sizes: boolean; around: boolean }

const DEADLINES = { allMs: 60_000, engineMs: 40_000, filesMs: 15_000, sizesMs: 8000 }
const MOST_CONTAINERS = 2000

type Parts = Pick<BaseParts, 'serverReading' | 'config'>

/** One look at a server, over a connection of its own that ends with it. */
export async function discover(
  { serverReading, config }: Parts,
  target: EngineTarget,
  look: Look,
  signal: AbortSignal,
  deadlines = DEADLINES,
): Promise<Discovery> {
  const late = AbortSignal.timeout(deadlines.allMs)
  const life = AbortSignal.any([signal, late])
  let reader: ServerReader | undefined
  try {
    reader = await serverReading.open(target, { signal: life })
    const edgePorts = [config.edge.httpPort, config.edge.httpsPort]
    return await readAll(reader, { ...look, socketPath: target.socketPath, edgePorts, deadlines })
  } catch (error) {
    signal.throwIfAborted()
    if (late.aborted) throw tooLate(reader?.at ?? target.socketPath, deadlines.allMs)
    throw reader && !(error instanceof Refusal) ? await reader.explain(error) : error
  } finally {
    reader?.close()
  }
}

type Reading = Look & { socketPath: string; edgePorts: number[]; deadlines: typeof DEADLINES }

async function readAll(reader: ServerReader, reading: Reading): Promise<Discovery> {
  const { deadlines, edgePorts, socketPath } = reading
  const asked = await byDeadline(readEngine(reader, reading.orgId), deadlines.engineMs, () =>
    tooLate(reader.at, deadlines.engineMs),
  )
  const { engine, listing, images, volumes, networks, services } = asked
  const { rootDir, nodes } = engine
  const { containers } = listing
  const standing = { containers, services, images, volumes, networks, rootDir, nodes, socketPath, edgePorts }
  const units = unitsOf(standing)
  const [read, sizes, ports, reals] = await Promise.all([
    readFiles(reader, { units, images, ...reading }),
    reading.sizes ? reader.volumeSizes(deadlines.sizesMs) : null,
    reading.around ? portHolders(reader, units, edgePorts, deadlines.filesMs) : [],
    soon(realPathsOf(reader.files, units), deadlines.filesMs),
  ])
  const realPaths: RealPaths = reals ?? new Map()
  judgePaths(units, realPaths, { rootDir, socketPath })
  const warnings = warningsOf({ engine, listing, units, read, sizesLate: reading.sizes && sizes === null })
  const { files, parked } = read
  return { engine, units, volumes, networks, files, parked, ports, sizes, realPaths, warnings }
}

async function readEngine(reader: ServerReader, orgId: string) {
  const engine = await reader.engine()
  if (engine.manager) refuseOwned(await reader.owner(), orgId)
  const [listing, volumes, networks, services] = await Promise.all([
    reader.containers(MOST_CONTAINERS),
    reader.volumes(),
    reader.networks(),
    engine.manager ? reader.services() : [],
  ])
  const images = await reader.images([
    ...listing.containers.flatMap(({ imageId, run }) => [imageId, ...(isName(run.image) ? [run.image] : [])]),
    ...services.map(({ run }) => run.image),
  ])
  // What a service runs is known by the name it was made from; looked up by its id like those of containers.
  for (const image of [...images.values()]) if (image !== null) images.set(image.id, image)
  return { engine, listing, volumes, networks, services, images }
}

const isName = (reference: string) => !/^(sha256:)?[0-9a-f]{12,64}$/.test(reference)

/** Whoever is late is not waited for: closing the connection ends it. */
function byDeadline<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

const tooLate = (at: string, ms: number) =>
  new Refusal(
    'server_unreachable',
    `The Docker Engine at ${at} was asked for everything and did not answer within ${ms / 1000} s.`,
    {
      hint: 'Look at the engine on the server: systemctl status docker, journalctl -u docker. Then try again.',
    },
  )

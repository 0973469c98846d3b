import { posix } from 'node:path'
import { type Found, found, type ServiceFound } from './detection.ts'
import type { Look } from './look.ts'
import { cleanFolder } from './source-tree.ts'

/** In the order in which the reference tool looks for them. */
const FILES = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml']

/** A source that says itself of which services it consists. */
export async function detectCompose(look: Look): Promise<(Found & { services: ServiceFound[] }) | null> {
  const file = look.first(...FILES)
  if (file === undefined) return null
  const services = await composeServices(look, file)
  const names = services.map(({ name }) => name).join(', ')
  return {
    ...found({ strategy: 'compose', because: [`the source has ${file}`, `its services are ${names || 'none'}`] }),
    services,
    warnings: services.length === 0 ? [`${file} has no services.`] : [],
    confidence: services.length === 0 ? 'low' : 'high',
  }
}

type Service = { image?: unknown; build?: unknown; ports?: unknown; expose?: unknown }

/**
 * The services of a compose file by their names, images and build contexts: as much as can be told without merging,
 * interpolating and following other files. The reader of compose files answers in the same shape.
 */
async function composeServices(look: Look, file: string): Promise<ServiceFound[]> {
  const parsed = await look.yaml<{ services?: Record<string, Service | null> }>(file)
  const services = parsed?.services
  if (typeof services !== 'object' || services === null || Array.isArray(services)) return []
  return Object.entries(services).map(([name, service]) => ({
    ...found({ strategy: 'compose', because: [`${file} names it`], port: portOf(service) }),
    ...placeOf(service),
    name,
    image: textOf(service?.image),
  }))
}

/** Where a service is built, and from which Dockerfile; nowhere when it is an image of someone else. */
function placeOf(service: Service | null): { rootDirectory: string | null; dockerfilePath?: string } {
  const build = service?.build
  const { context, dockerfile } = (typeof build === 'object' && build !== null ? build : { context: build }) as Record<
    string,
    unknown
  >
  if (build === undefined || build === null) return { rootDirectory: null }
  const folder = cleanFolder(textOf(context) ?? '')
  return {
    rootDirectory: folder === '' ? '.' : folder,
    dockerfilePath: posix.join(folder, textOf(dockerfile) ?? 'Dockerfile'),
  }
}

/** The container's side of the first port: `8080:80/tcp` is 80. */
function portOf(service: Service | null): number | null {
  const lists = [service?.ports, service?.expose].filter((list) => Array.isArray(list))
  const first: unknown = lists.flat()[0]
  const said = typeof first === 'object' && first !== null ? (first as { target?: unknown }).target : first
  const port = Number(/(\d+)(?:\/\w+)?$/.exec(String(said ?? ''))?.[1])
  return port > 0 && port < 65_536 ? port : null
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : null)

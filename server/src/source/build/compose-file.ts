import { posix } from 'node:path'
import { Refusal } from '../../errors.ts'
import type { ComposeService } from '../compose/deployable/service.ts'
import { COMPOSE_FILES } from '../compose/file-names.ts'
import { type Found, found, type ServiceFound } from './detection.ts'
import type { Look } from './look.ts'
import { cleanFolder } from './source-tree.ts'

type Composed = { services: ServiceFound[]; warnings: string[] }

/** A source that says itself of which services it consists, and what of it is done otherwise than it says. */
export async function detectCompose(look: Look): Promise<(Found & { services: ServiceFound[] }) | null> {
  const file = look.first(...COMPOSE_FILES)
  if (file === undefined) return null
  const { services, warnings } = await read(look, file).catch((error) => unreadable(look, file, error))
  const names = services.map(({ name }) => name).join(', ')
  const none = services.length === 0
  return {
    ...found({ strategy: 'compose', because: [`the source has ${file}`, `its services are ${names || 'none'}`] }),
    services,
    warnings: none && warnings.length === 0 ? [`${file} has no services.`] : warnings,
    confidence: none ? 'low' : 'high',
  }
}

/** As a deployment would read it, without the variables of a project. */
async function read(look: Look, file: string): Promise<Composed> {
  const { readCompose } = await import('../compose/read.ts')
  const { servicesOf } = await import('../compose/deployable/services-of.ts')
  const { project, warnings } = await readCompose(look.tree(), { environment: {}, projectName: 'project' })
  const all = servicesOf(project)
  const words = [...warnings, ...all.warnings].map(({ service, key, message }) =>
    [...(service === null ? [] : [service]), key, message].join(': '),
  )
  const order = Object.keys(project.services)
  const services = all.services.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
  return { services: services.map((service) => shown(service, file)), warnings: [...new Set(words)] }
}

function shown({ name, image, build, exposed }: ComposeService, file: string): ServiceFound {
  const port = exposed.find(({ protocol }) => protocol === 'tcp')?.port ?? null
  const folder = build?.context.kind === 'tree' ? cleanFolder(build.context.path) : null
  const path = build && 'path' in build.dockerfile ? cleanFolder(build.dockerfile.path) : undefined
  return {
    ...found({ strategy: 'compose', because: [`${file} names it`], port }),
    rootDirectory: folder === '' ? '.' : folder,
    ...(folder !== null && path !== undefined && { dockerfilePath: path }),
    name,
    image,
  }
}

/** What is wrong with it is told; as much of it as can be seen anyway is shown. A missing variable is the usual reason. */
async function unreadable(look: Look, file: string, error: unknown): Promise<Composed> {
  if (!(error instanceof Refusal)) throw error
  const parsed = await look.yaml<{ services?: Record<string, Service | null> }>(file)
  const said = parsed?.services
  const services = typeof said === 'object' && said !== null && !Array.isArray(said) ? Object.entries(said) : []
  const named = services.map(([name, service]) => ({
    ...found({ strategy: 'compose', because: [`${file} names it`] }),
    ...placeOf(service),
    name,
    image: textOf(service?.image),
  }))
  const hint = error.details.hint === undefined ? '' : ` ${error.details.hint}`
  return { services: named, warnings: [`${error.message}${hint}`] }
}

type Service = { image?: unknown; build?: unknown }

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

const textOf = (value: unknown) => (typeof value === 'string' ? value : null)

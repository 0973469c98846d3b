import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { idOf, timestamp } from './ids.ts'
import { Done, PageQuery, pageOf } from './pages.ts'

/** As it stands before the first slash of an image's name: with a dot or a port, or it would be read as a folder of the public registry. */
const host = z
  .string()
  .trim()
  .max(255)
  .regex(
    /^(?=[^:]*\.|.*:|localhost$)[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?$/,
    'must be a host as in the name of an image, such as ghcr.io or registry.example.com:5000',
  )
  .meta({ example: 'registry.example.com' })
const path = z
  .string()
  .max(255)
  .regex(
    /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/,
    'must be what follows the host in names of images, such as team or team/app',
  )
  .meta({ example: 'team', description: 'only for images whose name begins with this; left out: for all of the host' })
const username = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^:\p{Cc}]+$/u, 'must be printable and without a colon')
  .meta({ example: 'deploy' })
const password = z
  .string()
  .min(1)
  .max(10_000)
  .regex(/^[^\0]+$/, 'must not contain a zero byte')
  .meta({ example: 'a password or an access token', description: 'goes in, and never comes out again' })
const project = idOf('prj')
  .nullable()
  .meta({ description: 'only for this project; null: for all of the organization. One of the project goes first' })

export const Registry = z
  .object({
    id: idOf('reg'),
    host: z.string(),
    path: z.string().nullable(),
    username: z.string(),
    projectId: idOf('prj').nullable(),
    lastCheckedAt: timestamp.nullable().meta({ description: 'when the registry was last asked whether it takes it' }),
    lastCheckError: z.string().nullable().meta({ description: 'why it did not; null: it did' }),
    version: z.number().int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Registry', description: 'a credential for a private registry of images' })
export type Registry = z.output<typeof Registry>

const NewRegistry = z.object({
  host,
  path: path.nullable().default(null),
  username,
  password,
  projectId: project.default(null),
})
export type NewRegistry = z.output<typeof NewRegistry>

const RegistryPatch = z.object({
  path: path.nullable().optional(),
  username: username.optional(),
  password: password.optional(),
  projectId: project.optional(),
})
export type RegistryPatch = z.output<typeof RegistryPatch>

const byId = z.object({ id: idOf('reg') })

export const registries = {
  list: endpoint({
    method: 'GET',
    path: '/api/registries',
    summary: 'Credentials for private registries; passwords are never shown',
    access: { permission: 'registry:list' },
    query: PageQuery,
    response: pageOf(Registry),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/registries',
    summary: 'Add a credential; the registry is asked first, and one that it does not take is refused',
    access: { permission: 'registry:write' },
    body: NewRegistry,
    response: Registry,
    status: 201,
    example: { host: 'registry.example.com', username: 'deploy', password: 'a password or an access token' },
  }),
  show: endpoint({
    method: 'GET',
    path: '/api/registries/:id',
    summary: 'One credential and how its last check ended',
    access: { permission: 'registry:read' },
    params: byId,
    response: Registry,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/api/registries/:id',
    summary: 'Change a credential: another password or name is checked first; the host stays',
    access: { permission: 'registry:write' },
    params: byId,
    body: RegistryPatch,
    response: Registry,
    example: { path: 'team' },
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/registries/:id',
    summary: 'Forget a credential; what runs goes on',
    access: { permission: 'registry:admin' },
    params: byId,
    response: Done,
  }),
  check: endpoint({
    method: 'POST',
    path: '/api/registries/:id/check',
    summary: 'Ask the registry now whether it takes the credential',
    access: { permission: 'registry:write' },
    params: byId,
    response: z.object({
      ok: z.boolean(),
      reason: z.string().optional().meta({ description: 'why it does not, and what to do' }),
    }),
    neverKept: true,
  }),
} as const

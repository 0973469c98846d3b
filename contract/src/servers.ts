import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { idOf, timestamp } from './ids.ts'
import { Done, PageQuery, pageOf } from './pages.ts'

const name = z.string().trim().min(1).max(80)
const host = z
  .string()
  .trim()
  .min(1)
  .max(253)
  .regex(/^[A-Za-z0-9]([A-Za-z0-9.:_-]*[A-Za-z0-9])?$/, 'must be a host name or an address')
const port = z.number().int().min(1).max(65535)
const user = z
  .string()
  .max(64)
  .regex(/^[a-z_][a-z0-9_.-]*$/i, 'must be a plain user name')
const socketPath = z
  .string()
  .max(100)
  .regex(/^\/[A-Za-z0-9._/-]+$/, 'must be an absolute path')
const hostKey = z
  .string()
  .max(200)
  .regex(/^[a-z0-9@.-]+ SHA256:[A-Za-z0-9+/]{43}$/, 'must be a key type and fingerprint, as `ssh-keygen -l` shows')
  .meta({ example: 'ssh-ed25519 SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU' })

export const ServerCheck = z
  .object({
    name: z.enum([
      ...['connection', 'engine', 'swarm', 'organization', 'disk', 'memory', 'ports'],
      ...['patches', 'volumes', 'privileges', 'metadata'],
    ] as const),
    state: z.enum(['ok', 'warning', 'failed', 'unknown']),
    found: z.string(),
    fix: z.string().nullable().meta({ description: 'what to do, when something is to be done' }),
  })
  .meta({ id: 'ServerCheck' })
export type ServerCheck = z.output<typeof ServerCheck>

export const ServerReport = z
  .object({
    ok: z.boolean(),
    checkedAt: timestamp,
    engineVersion: z.string().nullable(),
    swarm: z.string().nullable(),
    cpus: z.number().nullable(),
    memoryBytes: z.number().nullable(),
    memoryAvailableBytes: z.number().nullable(),
    diskBytes: z.number().nullable(),
    diskFreeBytes: z.number().nullable(),
    portsInUse: z.array(z.number().int()).nullable(),
    checks: z.array(ServerCheck),
  })
  .meta({ id: 'ServerReport' })
export type ServerReport = z.output<typeof ServerReport>

const limit = (most: number, least = 1) => z.number().min(least).max(most)

/** What a project may do on this server beyond its own containers, and the most that one container may have. */
const ServerPolicy = z
  .object({
    hostPorts: z.boolean().meta({ description: 'services may open ports of the machine itself' }),
    localImages: z.boolean().meta({ description: 'images may be used that are on the machine and in no registry' }),
    remoteAdd: z.boolean().meta({ description: 'ADD of a Dockerfile may fetch from public names' }),
    maxMemoryMb: z.number().nullable(),
    maxCpus: z.number().nullable(),
    maxPids: z.number().nullable(),
  })
  .meta({ id: 'ServerPolicy' })
export type ServerPolicy = z.output<typeof ServerPolicy>

const ServerPolicyPatch = z
  .object({
    hostPorts: z.boolean().nullable().optional(),
    localImages: z.boolean().nullable().optional(),
    remoteAdd: z.boolean().nullable().optional(),
    maxMemoryMb: limit(1_048_576, 6).int().nullable().optional(),
    maxCpus: limit(1024, 0.01).nullable().optional(),
    maxPids: limit(1_000_000, 8).int().nullable().optional(),
  })
  .meta({ description: 'null: as the mode of the instance has it; what is not named stays' })
export type ServerPolicyPatch = z.output<typeof ServerPolicyPatch>

/** As it is stored: only what somebody has said. */
export type SaidServerPolicy = { [Name in keyof ServerPolicy]?: NonNullable<ServerPolicy[Name]> }

export const Server = z
  .object({
    id: idOf('srv'),
    name: z.string(),
    kind: z.enum(['local', 'ssh']),
    host: z.string().nullable(),
    port: z.number().int().nullable(),
    user: z.string().nullable(),
    socketPath: z.string().nullable(),
    hostKey: z.string().nullable().meta({ description: 'pinned by the first successful check' }),
    publicKey: z.string().nullable().meta({ description: "to be put into the server's authorized_keys" }),
    policy: ServerPolicy,
    lastReport: ServerReport.nullable(),
    version: z.number().int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Server' })
export type Server = z.output<typeof Server>

const NewServer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('local'), name }),
  z.object({
    kind: z.literal('ssh'),
    name,
    host,
    port: port.default(22),
    user: user.default('root'),
    socketPath: socketPath.default('/var/run/docker.sock'),
    privateKey: z.string().max(20_000).optional().meta({ description: 'left out: Slipway makes a key pair' }),
    passphrase: z.string().max(1000).optional(),
    hostKey: hostKey.optional(),
  }),
])
export type NewServer = z.output<typeof NewServer>

const ServerPatch = z.object({
  name: name.optional(),
  host: host.optional(),
  port: port.optional(),
  user: user.optional(),
  socketPath: socketPath.optional(),
  privateKey: z.string().max(20_000).optional(),
  passphrase: z.string().max(1000).nullable().optional(),
  hostKey: hostKey.nullable().optional().meta({ description: 'null: forget it, the next check pins anew' }),
  policy: ServerPolicyPatch.optional(),
})
export type ServerPatch = z.output<typeof ServerPatch>

const byId = z.object({ id: idOf('srv') })

export const servers = {
  list: endpoint({
    method: 'GET',
    path: '/api/servers',
    summary: 'The servers of this organization',
    access: { permission: 'server:list' },
    query: PageQuery,
    response: pageOf(Server),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/servers',
    summary: "Add a server: this instance's own engine, or one reached over SSH",
    access: { permission: 'server:write' },
    body: NewServer,
    response: Server,
    status: 201,
    example: { kind: 'ssh', name: 'fra-1', host: '192.0.2.10', user: 'deploy' },
  }),
  show: endpoint({
    method: 'GET',
    path: '/api/servers/:id',
    summary: 'One server and its last check',
    access: { permission: 'server:read' },
    params: byId,
    response: Server,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/api/servers/:id',
    summary: 'Change how a server is reached, and what it allows',
    access: { permission: 'server:write' },
    params: byId,
    body: ServerPatch,
    response: Server,
    example: { name: 'fra-1b' },
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/servers/:id',
    summary: 'Forget a server; nothing on it is touched',
    access: { permission: 'server:admin' },
    params: byId,
    response: Done,
  }),
  usage: endpoint({
    method: 'GET',
    path: '/api/servers/:id/usage',
    summary: 'What each project uses on the server now',
    access: { permission: 'server:read' },
    params: byId,
    response: z.object({
      data: z.array(
        z.object({
          projectId: idOf('prj'),
          containers: z.number().int(),
          cores: z.number().meta({ description: 'of the processor, in use at this moment' }),
          memoryBytes: z.number(),
          networkRxBytes: z.number(),
          networkTxBytes: z.number(),
        }),
      ),
    }),
  }),
  check: endpoint({
    method: 'POST',
    path: '/api/servers/:id/check',
    summary: 'Look at the server now: engine, Swarm, disk, memory, ports, each with what to do',
    access: { permission: 'server:write' },
    params: byId,
    response: z.object({ success: z.literal(true), server: Server, report: ServerReport }),
  }),
} as const

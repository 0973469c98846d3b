import { z } from 'zod'

const DifferenceKindSchema = z.enum([
  ...(['not_running', 'not_in_file', 'image', 'image_moved', 'command', 'environment', 'ports', 'mounts'] as const),
  ...(['networks', 'limits', 'restart', 'replicas', 'user', 'hostname', 'replicas_differ', 'unclear'] as const),
])
/** What the file of a stack and what is there of it may differ in. `unclear`: it takes a variable that only a shell knew. */
export type DifferenceKind = z.output<typeof DifferenceKindSchema>

const Told = z.object({
  key: z.string().meta({ description: 'as compose files call it' }),
  message: z.string(),
})

const words = (description: string) => z.array(z.string()).meta({ description })

const FoundMount = z.object({
  name: z.string().nullable().meta({ description: 'of a volume' }),
  source: z.string().nullable().meta({ description: 'of a path of the server' }),
  target: z.string(),
  kind: z.enum(['volume', 'anonymous', 'path', 'tmpfs']),
  readOnly: z.boolean(),
  existing: z.boolean().meta({ description: 'it is on the server, and is used there as it is' }),
})

const FoundPort = z.object({
  target: z.number().int(),
  published: z.number().int().nullable(),
  protocol: z.string(),
  address: z.string().nullable().meta({ description: 'null: open at every address' }),
})

const ProxyName = z.object({
  host: z.string(),
  path: z.string().nullable(),
  port: z.number().int().nullable(),
  by: z.string().meta({ description: 'the proxy that was told so' }),
})

export const MigrationService = z
  .object({
    key: z.string().meta({
      description: 'compose/<project>/<service>, swarm/<service> or container/<name>; stays when it is made anew',
      example: 'compose/blog/postgres',
    }),
    name: z.string(),
    serviceName: z.string().meta({ description: 'how it would be called as a service of a project' }),
    containerId: z.string().nullable(),
    replicas: z.number().int(),
    image: z.string(),
    digest: z.string().nullable().meta({ description: 'the image that would be used, by digest or id' }),
    onlyHere: z.boolean().meta({ description: 'no registry is known to have the image' }),
    command: words('beyond the image’s own; long words are cut'),
    ports: z.array(FoundPort),
    volumes: z.array(FoundMount),
    environment: words('names of variables; values are never answered'),
    networks: z.array(z.object({ network: z.string(), aliases: z.array(z.string()) })),
    labels: words('names of labels; values are never answered'),
    names: z.array(ProxyName).meta({ description: 'host names that a proxy on the server leads to it' }),
    restart: z.string(),
    health: z.string().nullable(),
    status: z.string(),
    platform: z.string().nullable().meta({ description: 'the platform that it belongs to' }),
    adoptable: z.boolean(),
    reasons: z.array(Told).meta({ description: 'why it cannot be adopted' }),
    warnings: z.array(Told).meta({ description: 'what would not be as it was' }),
  })
  .meta({ id: 'MigrationService' })
export type MigrationService = z.output<typeof MigrationService>

const FileReason = z.enum([
  ...(['missing', 'denied', 'not_a_file', 'too_large', 'forbidden', 'failed', 'invalid'] as const),
  ...(['needs_variable', 'not_asked'] as const),
])
export type FileReason = z.output<typeof FileReason>

const ComposeStack = z.object({
  name: z.string(),
  maker: z.enum(['compose v1', 'compose v2', 'swarm']),
  workingDir: z.string().nullable(),
  platform: z.string().nullable(),
  files: z.array(
    z.object({
      path: z.string(),
      found: z.boolean().nullable().meta({ description: 'null: it could not be looked for' }),
      reason: FileReason.nullable(),
      matches: z.boolean().nullable().meta({ description: 'null: it cannot be told' }),
    }),
  ),
  differences: z.array(z.object({ service: z.string(), kind: DifferenceKindSchema, detail: z.string() })),
  services: z.array(MigrationService),
})

const ParkedFile = z.object({
  path: z.string(),
  name: z.string(),
  services: z.array(z.string()),
  reason: FileReason.nullable(),
  movedFrom: z.string().nullable().meta({ description: 'the file of a running stack that it seems to have been' }),
})

const PortHolder = z.object({
  kind: z.enum(['container', 'service', 'program', 'unknown']),
  name: z.string().nullable(),
})

export const MigrationStack = z
  .object({
    server: z.object({
      engineVersion: z.string(),
      os: z.string(),
      swarm: z.string(),
      manager: z.boolean(),
      nodes: z.number().int().nullable(),
      liveRestore: z.boolean(),
      rootless: z.boolean(),
      ports: z
        .array(z.object({ port: z.number().int(), listening: z.boolean().nullable(), by: PortHolder.nullable() }))
        .meta({ description: 'who has the ports that the edge needs' }),
    }),
    composeStacks: z.array(ComposeStack),
    parked: z.array(ParkedFile).meta({ description: 'compose files of which nothing is there' }),
    containers: z.array(MigrationService).meta({ description: 'those of no stack' }),
    volumes: z.array(
      z.object({
        name: z.string(),
        driver: z.string(),
        anonymous: z.boolean(),
        device: z.string().nullable(),
        sizeBytes: z.number().nullable().meta({ description: 'only with `sizes`: the engine must walk the files' }),
        usedBy: z.array(z.string()).meta({ description: 'keys of services' }),
        ours: z.boolean(),
      }),
    ),
    networks: z.array(
      z.object({ name: z.string(), driver: z.string(), internal: z.boolean(), joinedBy: z.array(z.string()) }),
    ),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'MigrationStack' })
export type MigrationStack = z.output<typeof MigrationStack>

import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { idOf } from './ids.ts'
import { MigrationStack } from './migration-shape.ts'

const serverId = idOf('srv')

export const migration = {
  scan: endpoint({
    method: 'POST',
    path: '/api/migration/scan',
    summary:
      'Look at what runs on a server: stacks, containers, volumes, and what could be adopted; nothing is changed',
    access: { permission: 'server:write' },
    body: z.object({
      serverId,
      sizes: z
        .boolean()
        .default(false)
        .meta({ description: 'also how large each volume is, which takes the server some work' }),
    }),
    response: z.object({ success: z.literal(true), stack: MigrationStack }),
    example: { serverId: 'srv_01k2v9r6c8h3n5q7s9t0w2x4y6' },
    neverKept: true,
  }),
} as const

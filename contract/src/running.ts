import { z } from 'zod'
import { timestamp } from './ids.ts'

/** One container of a deployment, as the engine reports it at this moment. */
export const RunningTask = z
  .object({
    service: z.string(),
    deployment: z.string().nullable(),
    taskId: z.string(),
    containerId: z.string().nullable().meta({ description: 'null before the container is made' }),
    image: z.string(),
    state: z.string().meta({ description: 'as the engine says it: pending, starting, running, …' }),
    health: z
      .enum(['starting', 'healthy', 'unhealthy'])
      .nullable()
      .meta({ description: 'null without a check, and where the container is on another node' }),
    restarts: z.number().int().meta({ description: 'that died in its place; the engine remembers five' }),
    node: z.string().nullable(),
    ports: z.array(z.object({ target: z.number().int(), published: z.number().int(), protocol: z.string() })),
    networks: z.array(z.string()),
    volumes: z.array(z.object({ name: z.string(), target: z.string(), readOnly: z.boolean() })),
    startedAt: timestamp.nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'RunningTask' })

export const TaskUsage = z
  .object({
    service: z.string(),
    deployment: z.string().nullable(),
    taskId: z.string(),
    containerId: z.string(),
    cpuPercent: z.number().meta({ description: 'of its limit, or of one core where it has none' }),
    memoryBytes: z.number().meta({ description: 'without the file cache that the kernel would give back' }),
    memoryLimitBytes: z.number().nullable(),
    networkRxBytes: z.number(),
    networkTxBytes: z.number(),
    at: timestamp,
  })
  .meta({ id: 'TaskUsage' })

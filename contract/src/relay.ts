import { z } from 'zod'
import { endpoint } from './endpoint.ts'

const sha = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
  .nullable()
const text = (most: number) => z.string().max(most).nullable()
const hostNumber = z.number().int().positive().nullable()

/** What is used of a delivery: ids, names and commits, and nothing else of its body. */
export const RelayedSaid = z.object({
  /** Numbers of repositories and installations mean nothing at another git host. */
  host: z.string().min(1).max(300),
  action: text(100),
  repoId: hostNumber,
  installationId: hostNumber,
  repository: text(250),
  ref: text(300),
  before: sha,
  after: sha,
  pusher: text(100),
  message: text(8000),
})
export type RelayedSaid = z.output<typeof RelayedSaid>

/** Drawn with a number: a cloud that was restored from a backup gives the number again, and another mark. */
const mark = z.uuid()

/** Data of an event `delivery`; its number is the id of the event. */
export const RelayedDelivery = z.object({
  guid: z.string().regex(/^[\w-]{1,100}$/),
  event: z.string().regex(/^[a-z_]{1,100}$/),
  said: RelayedSaid,
  mark: mark.nullish(),
})
export type RelayedDelivery = z.output<typeof RelayedDelivery>

/** Data of an event `gap`: what came before this number is not there any more. `mark`: of the number before it. */
export const RelayGap = z.object({ next: z.number().int().positive(), mark: mark.nullish() })

/** At a cloud: what a linked instance hears of its git host, which cannot reach it. */
export const relay = {
  stream: endpoint({
    method: 'GET',
    path: '/api/relay/stream',
    summary:
      'For the credential of a link: deliveries of the git host that concern its organization, numbered without gaps (Last-Event-ID or ?after= to go on)',
    access: { permission: 'githost:read' },
    only: 'cloud',
    query: z.object({
      after: z.coerce
        .number()
        .int()
        .min(0)
        .optional()
        .meta({ description: 'go on after this number; what is up to it was taken, and is forgotten here' }),
      mark: mark.optional().meta({
        description:
          'what came with that number: where it is another one here, what was taken is not what was told here, and a gap is',
      }),
    }),
    response: { stream: 'text/event-stream' },
    unlimited: 'instances come back all at once when a process restarts',
  }),
} as const

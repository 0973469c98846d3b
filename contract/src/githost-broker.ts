import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { timestamp } from './ids.ts'

const AT = '/api/githost/broker'

/**
 * The most that a token which is made for an instance may do: read, and tell how deployments went. Whoever takes over an instance changes no
 * repository with it.
 */
export const BROKERED = { contents: 'read', metadata: 'read', statuses: 'write', deployments: 'write' } as const

const reading = z.literal('read').optional()
const telling = z.enum(['read', 'write']).optional()
const BrokeredPermissions = z.strictObject({
  contents: reading,
  metadata: reading,
  statuses: telling,
  deployments: telling,
})

const number = z.number().int().positive().max(Number.MAX_SAFE_INTEGER)

export const BeginBroker = z.object({
  state: z
    .string()
    .regex(/^[\w-]{20,200}$/, 'must be 20 to 200 letters, digits, dashes or underscores')
    .meta({ example: 'Z3vQk0Yc7tq1nB5mXw9eJr2uLh8sDf4a' }),
  returnTo: z
    .string()
    .max(500)
    .meta({ example: 'https://slipway.example.com/api/githost/connect/redirect' })
    .meta({ description: 'where the browser goes at the end, with the state and, where it ended badly, an error' }),
})
export type BeginBroker = z.output<typeof BeginBroker>

export const AskToken = z.object({
  installationId: number.meta({ example: 1 }),
  repositoryIds: z.array(number).min(1).max(500).optional().meta({ description: 'left out: all that were proved' }),
  permissions: BrokeredPermissions.optional().meta({ description: 'left out: all that such a token may have' }),
})
export type AskToken = z.output<typeof AskToken>

const BrokeredInstallation = z
  .object({
    installationId: z.number().int(),
    account: z.object({ id: z.number().int(), login: z.string(), type: z.string(), avatarUrl: z.string().nullable() }),
    selection: z.enum(['all', 'selected']),
    permissions: z.record(z.string(), z.string()).meta({ description: 'those that tokens from here carry' }),
    repositoryIds: z.array(z.number().int()).nullable().meta({ description: 'null: all of them, also later ones' }),
    suspended: z.boolean(),
  })
  .meta({ id: 'BrokeredInstallation' })
export type BrokeredInstallation = z.output<typeof BrokeredInstallation>

/** At a cloud: its app at the git host, for the instances that are linked to an organization. Only the credential of a link asks. */
export const githostBroker = {
  begin: endpoint({
    method: 'POST',
    path: AT,
    summary: 'Begin to connect the git host for a linked instance: answers with a page of the cloud',
    access: { permission: 'githost:write' },
    only: 'cloud',
    body: BeginBroker,
    response: z.object({ url: z.string(), host: z.string().meta({ description: 'the git host that it is about' }) }),
    perMinute: 60,
    example: {
      state: 'Z3vQk0Yc7tq1nB5mXw9eJr2uLh8sDf4a',
      returnTo: 'https://slipway.example.com/api/githost/connect/redirect',
    },
    neverKept: true,
  }),
  installations: endpoint({
    method: 'GET',
    path: `${AT}/installations`,
    summary: 'The installations that the organization holds, as far as they were proved',
    access: { permission: 'githost:read' },
    only: 'cloud',
    response: z.object({ host: z.string(), slug: z.string(), data: z.array(BrokeredInstallation) }),
  }),
  token: endpoint({
    method: 'POST',
    path: `${AT}/tokens`,
    summary: 'A token of one of these installations, for less than an hour, that reads and tells how deployments went',
    access: { permission: 'githost:write' },
    only: 'cloud',
    body: AskToken,
    response: z.object({ token: z.string(), expiresAt: timestamp }),
    perMinute: 600,
    example: { installationId: 1 },
    neverKept: true,
  }),
} as const

import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { idOf, timestamp } from './ids.ts'
import { Done, PageQuery, pageOf } from './pages.ts'
import type { Scope } from './permissions.ts'

/**
 * What the credential of a link may do at the cloud, whatever was sent: what passing requests on, promoting a project and connecting a git
 * host through the cloud need. The last of them is `githost:write`, which links of before lack: they are linked anew.
 * Nothing about people, tokens, the log, registries or backups: whoever takes over an instance gets no further than its projects.
 */
export const LINK_SCOPES: readonly Scope[] = [
  'deployment:admin',
  'deployment:list',
  'deployment:read',
  'deployment:write',
  'githost:list',
  'githost:read',
  'githost:write',
  'project:admin',
  'project:list',
  'project:read',
  'project:write',
  'server:list',
  'server:read',
]

const InstanceLink = z
  .object({
    id: idOf('lnk'),
    name: z.string().meta({ description: 'what the instance calls itself; nobody has checked it' }),
    instanceId: z.string().meta({ description: 'the id that the instance says it has' }),
    tokenId: idOf('tok').meta({
      description: 'its credential, which is among the access tokens; it ends with the link',
    }),
    createdBy: z.object({ id: idOf('usr'), name: z.string() }),
    createdAt: timestamp,
    lastUsedAt: timestamp.nullable(),
  })
  .meta({ id: 'InstanceLink' })
export type InstanceLink = z.output<typeof InstanceLink>

/** At the cloud: which instances are linked to the organization. */
export const links = {
  list: endpoint({
    method: 'GET',
    path: '/api/links',
    summary: "Instances that the caller has linked to this organization; with token:admin, everyone's",
    access: { permission: 'token:list' },
    only: 'cloud',
    query: PageQuery,
    response: pageOf(InstanceLink),
  }),
  endSelf: endpoint({
    method: 'DELETE',
    path: '/api/links/self',
    summary: 'End the link whose credential asks',
    access: { permission: 'self:write' },
    only: 'cloud',
    response: Done,
  }),
  revoke: endpoint({
    method: 'DELETE',
    path: '/api/links/:id',
    summary: 'End a link: the next request of that instance is refused',
    access: { permission: 'token:write' },
    only: 'cloud',
    params: z.object({ id: idOf('lnk') }),
    response: Done,
  }),
} as const

const Waiting = {
  userCode: z.string().meta({ example: 'K7QM-4T2X', description: 'what an owner or admin there types' }),
  verifyUrl: z.string().meta({ description: 'where it is typed: a page of the cloud' }),
  expiresAt: timestamp,
}

const CloudLink = z
  .object({
    state: z.enum(['none', 'pending', 'linked']),
    cloudUrl: z.string().nullable().meta({ description: 'the cloud that this instance works with; null: none is set' }),
    userCode: Waiting.userCode.optional(),
    verifyUrl: Waiting.verifyUrl.optional(),
    expiresAt: timestamp.optional(),
    organization: z
      .object({ id: z.string(), name: z.string() })
      .optional()
      .meta({ description: 'the organization there' }),
    linkedBy: z.object({ id: idOf('usr'), name: z.string().nullable() }).optional(),
    linkedAt: timestamp.optional(),
    relay: z
      .object({
        state: z.enum(['following', 'waiting', 'refused', 'off']).meta({
          description:
            'waiting: the cloud is asked again; refused: it does not let the link follow, and is asked again every hour; off: nobody has asked yet',
        }),
        lastNumber: z.number().int().meta({ description: 'of the newest delivery that was taken' }),
        lastAt: timestamp.nullable(),
        since: timestamp.nullable(),
      })
      .optional()
      .meta({ description: 'deliveries of the git host that the cloud passes on' }),
    problem: z
      .string()
      .optional()
      .meta({ description: 'what is wrong with it, or how the last try ended; and what to do' }),
  })
  .meta({ id: 'CloudLink' })
export type CloudLink = z.output<typeof CloudLink>

/** At an instance: the cloud that the organization is linked to. */
export const cloudLink = {
  show: endpoint({
    method: 'GET',
    path: '/api/cloud/link',
    summary:
      'Whether the organization is linked to a hosted cloud. While somebody there has to decide, it is asked there, once per interval',
    access: { permission: 'server:read' },
    only: 'self_hosted',
    response: CloudLink,
  }),
  begin: endpoint({
    method: 'POST',
    path: '/api/cloud/link',
    summary:
      'Ask the hosted cloud for a link: answers with a code that an owner or admin there types. Replaces one that was asked for before',
    access: { permission: 'server:admin' },
    only: 'self_hosted',
    perMinute: 30,
    response: z.object({
      ...Waiting,
      interval: z.number().int().meta({ description: 'seconds between two looks at it that learn something new' }),
    }),
    status: 201,
    neverKept: true,
  }),
  end: endpoint({
    method: 'DELETE',
    path: '/api/cloud/link',
    summary: 'End the link: its credential is revoked there and deleted here, the latter in any case',
    access: { permission: 'server:admin' },
    only: 'self_hosted',
    query: z.object({
      force: z.enum(['true', 'false']).default('false').meta({
        description: 'also while projects are being promoted, which end as failed: what was made for them stays there',
      }),
    }),
    response: z.object({
      success: z.literal(true),
      revokedThere: z.boolean(),
      hint: z.string().optional().meta({ description: 'what to do where it was not' }),
    }),
  }),
} as const

import { z } from 'zod'
import { Token } from './access.ts'
import { endpoint } from './endpoint.ts'
import { idOf, timestamp } from './ids.ts'
import { Done } from './pages.ts'
import { RoleSchema, ScopeSchema } from './permission-schemas.ts'
import { visibleLine } from './visible-text.ts'

/** A person reads it aloud or types it: case, spaces and hyphens do not matter, and O and I are taken for 0 and 1. */
const UserCode = z
  .string()
  .min(1)
  .max(32)
  .meta({ example: 'K7QM-4T2X', description: 'the code that the command line shows' })
const byUserCode = z.object({ userCode: UserCode })

/** As a token is called. It is shown to whoever decides, so it cannot look like another line of the page. */
const name = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .refine((text) => visibleLine(text) === text, 'must be one line of text that can be seen')

/** PKCE (RFC 7636), S256 alone: whoever reads the request on its way cannot use it without the verifier. */
const Challenge = z
  .string()
  .regex(/^[\w-]{43}$/, 'must be the SHA-256 of the verifier, as base64url without padding')
  .meta({ example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' })
const Verifier = z
  .string()
  .regex(/^[\w.~-]{43,128}$/, 'must be 43 to 128 letters, digits or any of - . _ ~')
  .meta({ example: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' })

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):([1-9]\d{0,4})(?:\/[\w.~-]*)*$/

/** The machine that asks, by its own address, and nothing that could be parsed as another one (RFC 8252, 7.3). */
const isLoopback = (text: string) => Number(LOOPBACK.exec(text)?.[1] ?? 65536) <= 65535

/** It stands at a page where somebody decides about it, as a name does. */
const Instance = z.object({
  id: z.string().regex(/^\w{1,64}$/, 'must be letters, digits and _, at most 64'),
  name,
})

const CliSignIn = z
  .object({
    userCode: UserCode,
    name: z.string().meta({ description: 'what the machine calls itself; nobody has checked it' }),
    instance: z
      .object({ id: z.string(), name: z.string() })
      .nullable()
      .meta({ description: 'the instance that asks to be linked; null: a command line asks to be signed in' }),
    address: z.string().meta({ description: 'where the request came from' }),
    sameAddress: z.boolean().meta({ description: 'whether the one who looks comes from the same network' }),
    browserHere: z.boolean().meta({
      description: 'whether the token is fetched with a one-time code that only a browser of that machine brings',
    }),
    askedAt: timestamp,
    expiresAt: timestamp,
    organizationId: idOf('org').meta({
      description: 'the organization that it would be for, unless another one is chosen',
    }),
    organizations: z
      .array(z.object({ id: idOf('org'), name: z.string(), role: RoleSchema }))
      .meta({ description: 'those that it can be approved for; an instance only by an owner or admin' }),
    token: z
      .object({ name: z.string(), days: z.number().int().nullable(), scopes: z.array(ScopeSchema).nullable() })
      .meta({
        description:
          'what it would get: for so many days, or until somebody ends it; with these scopes, or with all of its person',
      }),
  })
  .meta({ id: 'CliSignIn' })
export type CliSignIn = z.output<typeof CliSignIn>

const Approval = z.object({
  organizationId: idOf('org').optional(),
  scopes: z.array(ScopeSchema).min(1).max(64).nullable().default(null),
  projectId: idOf('prj').nullable().default(null),
  elsewhere: z.boolean().default(false).meta({
    description: 'this browser is on another machine: no one-time code, the command line fetches its token by asking',
  }),
})
export type Approval = z.output<typeof Approval>

const CliRequest = z.object({
  challenge: Challenge,
  name,
  redirect: z
    .string()
    .max(300)
    .refine(isLoopback, 'must be http://127.0.0.1:PORT/… or http://[::1]:PORT/…, with a plain path')
    .optional()
    .meta({
      description: 'where the machine that asks waits for the one-time code: a plain path on its loopback address',
    }),
  instance: Instance.optional().meta({
    description: 'an instance asks to be linked to an organization of this cloud, and no command line to be signed in',
  }),
})
export type CliRequest = z.output<typeof CliRequest>

const Redemption = z.object({
  requestId: z.string().min(1).max(200),
  code: z.string().min(1).max(200).optional(),
  verifier: Verifier,
})
export type Redemption = z.output<typeof Redemption>

/** What a page sends to itself. */
const sentFrom = <const P extends string>(path: P) =>
  endpoint({
    method: 'POST',
    path,
    summary: 'What is sent from that page',
    access: { public: 'takes its own forms alone, and decides nothing without the session of who sends them' },
    perMinute: 60,
    body: { stream: 'application/x-www-form-urlencoded' },
    response: { stream: 'text/html' },
    unaudited: 'a page: what is decided on it leaves the entry of that decision',
  })

/** How the command line is signed in: it asks, a signed-in person decides in a browser, it gets an access token. */
export const cliLogin = {
  cliPage: endpoint({
    method: 'GET',
    path: '/cli',
    summary: 'The page that the command line opens: sign in, compare the code, decide',
    access: { public: 'shows a form to sign in; a request for signing in only to somebody who is' },
    query: z.object({ code: UserCode.optional() }),
    response: { stream: 'text/html' },
  }),
  sendCliPage: sentFrom('/cli'),
  devicePage: endpoint({
    method: 'GET',
    path: '/device',
    summary: 'The page to enter the code of a command line on another machine; none is taken from a link',
    access: { public: 'shows a form to sign in, and one to enter a code' },
    response: { stream: 'text/html' },
  }),
  sendDevicePage: sentFrom('/device'),
  ask: endpoint({
    method: 'POST',
    path: '/api/auth/cli',
    summary:
      'Ask to be signed in, as the command line does, or to be linked, as an instance does; good for 10 minutes, until somebody decides',
    access: { public: 'gives nothing but a question that a signed-in person may answer' },
    perMinute: 30,
    body: CliRequest,
    response: z.object({
      requestId: z.string().meta({ description: 'a secret of who asks, like the verifier' }),
      userCode: UserCode,
      verifyUrl: z.string(),
      expiresAt: timestamp,
      expiresIn: z.number().int().meta({ description: 'seconds, for whom another clock goes wrong' }),
      interval: z.number().int().meta({ description: 'seconds between two calls for the token, at least' }),
    }),
    status: 201,
    example: { challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', name: 'ada@laptop' },
    unaudited: 'nobody is known yet: the entry is written into the log of the organization that it is decided in',
  }),
  show: endpoint({
    method: 'GET',
    path: '/api/auth/cli/:userCode',
    summary:
      'Which machine asks to be signed in, or instance to be linked, from where, since when, and what it would get; for a session alone',
    access: { permission: 'self:read' },
    params: byUserCode,
    response: CliSignIn,
  }),
  approve: endpoint({
    method: 'POST',
    path: '/api/auth/cli/:userCode/approve',
    summary:
      'Let that machine in as this person, in one organization; an instance is linked by an owner or admin, with fixed scopes; for a session alone',
    access: { permission: 'self:write' },
    params: byUserCode,
    body: Approval,
    response: z.object({
      success: z.literal(true),
      redirect: z
        .string()
        .nullable()
        .meta({ description: 'where the browser brings the one-time code, within a minute; null: nowhere' }),
    }),
    example: { organizationId: idOf('org').meta()?.example },
    neverKept: true,
  }),
  deny: endpoint({
    method: 'POST',
    path: '/api/auth/cli/:userCode/deny',
    summary: 'Refuse that machine; for a session alone',
    access: { permission: 'self:write' },
    params: byUserCode,
    response: Done,
  }),
  token: endpoint({
    method: 'POST',
    path: '/api/auth/cli/token',
    summary:
      'Fetch the access token of a request that was approved, once; until then the codes of RFC 8628: ' +
      'authorization_pending, slow_down, access_denied, expired_token',
    access: { public: 'the request, its verifier and the one-time code are the credential' },
    perMinute: 300,
    body: Redemption,
    response: z.object({
      success: z.literal(true),
      token: Token,
      secret: z.string().meta({ example: 'slp_…' }),
      link: z
        .object({ id: idOf('lnk'), organizationId: idOf('org'), organizationName: z.string() })
        .optional()
        .meta({ description: 'where an instance was linked' }),
    }),
    example: { requestId: 'the_secret_of_the_request', verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' },
    neverKept: true,
  }),
} as const

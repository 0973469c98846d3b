import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { accountPlace } from '../../../server/src/core/githost/secrets.ts'
import { parseKeyRing } from '../../../server/src/drivers/crypto/key-ring.ts'
import { SECRET_KEY } from '../../../test-kit/server-process.ts'
import type { Stage, Tenant } from './stage.ts'

export type Source = 'app' | 'oauth' | 'cli'
type At = { stage: Stage; org: Tenant; source: Source }
type Wanted = { status: number; code?: string; hint?: RegExp }

/** A state of the host or of the connection, and what whoever needs the host for an answer is told then. */
export type Condition = {
  name: string
  sources: Source[]
  begin(at: At): Promise<() => Promise<unknown>>
  /** Before each question, where the first one changes what is known. */
  again?(at: At): Promise<unknown>
  /** Null: as ever. */
  wanted: Wanted | null
  special?: Record<string, Wanted | ((source: Source) => Wanted | null)>
  /** The host is to be left alone for a while, and it is said for how long. */
  isWait?: true
  /** The account at the host stands in the way, not the host itself. */
  isGuard?: true
  /** It cannot be undone in this process. */
  isLast?: true
}

const ALL: Source[] = ['app', 'oauth', 'cli']
const BUSY = { status: 503, code: 'githost_busy', hint: /Wait until then/ }
const AWAY = { status: 502, code: 'githost_unreachable', hint: /Try again/ }
const NOT_CONNECTED = { status: 400, code: 'githost_not_connected', hint: /[Cc]onnect/ }

const unblocked = ({ database }: Stage) => database.pool.query('delete from githost_limit')

export const CONDITIONS: Condition[] = [
  { name: 'fine', sources: ALL, wanted: null, begin: async () => async () => {} },
  {
    name: 'hourly limit',
    sources: ALL,
    wanted: BUSY,
    isWait: true,
    begin: async ({ stage }) => {
      stage.host.do.limits({ primary: 0 })
      return async () => {
        stage.host.do.limits({ primary: 100_000 })
        await unblocked(stage)
      }
    },
  },
  {
    name: 'secondary limit',
    sources: ALL,
    wanted: BUSY,
    isWait: true,
    begin: async ({ stage }) => {
      stage.host.do.faults({ secondaryNext: 1_000_000, retryAfterSeconds: 30 })
      return async () => {
        stage.host.do.clearFaults()
        await unblocked(stage)
      }
    },
  },
  {
    name: 'errors of the host',
    sources: ALL,
    wanted: AWAY,
    isWait: true,
    begin: async ({ stage }) => {
      stage.host.do.faults({ errorShare: 1, errorStatus: 502 })
      return async () => stage.host.do.clearFaults()
    },
  },
  {
    name: 'host away',
    sources: ALL,
    wanted: AWAY,
    isWait: true,
    begin: async ({ stage }) => {
      stage.host.do.faults({ outage: true })
      return async () => stage.host.do.clearFaults()
    },
  },
  {
    name: 'single sign-on',
    sources: ['oauth', 'cli'],
    wanted: { status: 404, code: 'not_found', hint: /single sign-on at https:\/\/.*\/sso/ },
    isGuard: true,
    begin: async ({ stage }) => guarded(stage, { sso: true }, { sso: false }),
  },
  {
    name: 'address list',
    sources: ALL,
    wanted: { status: 404, code: 'not_found', hint: /IP allow list/ },
    isGuard: true,
    // The token of an installation is made by the host's own account of the app, which no organization guards.
    special: { 'GET clone-token': (source) => (source === 'app' ? { status: 200 } : null) },
    begin: async ({ stage }) => guarded(stage, { ipAllowList: ['192.0.2.1'] }, { ipAllowList: null as never }),
  },
  {
    name: 'OAuth apps restricted',
    sources: ['oauth', 'cli'],
    wanted: { status: 404, code: 'not_found', hint: /approve the app/ },
    isGuard: true,
    begin: async ({ stage }) => guarded(stage, { oauthAppsAllowed: ['another'] }, { oauthAppsAllowed: null as never }),
  },
  {
    name: 'suspended',
    sources: ['app'],
    // The first that notices says so; from then on it is no source.
    wanted: { status: 409, code: 'githost_forbids', hint: /Lift the suspension/ },
    begin: async ({ stage, org }) => {
      const id = await installationOf(stage, org)
      stage.host.do.suspend({ id })
      return async () => {
        stage.host.do.suspend({ id, on: false })
        await asBefore({ stage, org })
      }
    },
    again: asBefore,
  },
  {
    name: 'not connected',
    sources: ALL,
    wanted: NOT_CONNECTED,
    special: {
      'GET repos': NOT_CONNECTED,
      'GET orgs/:org/repos': NOT_CONNECTED,
      'POST repos': NOT_CONNECTED,
      'DELETE repos/:owner/:repo': NOT_CONNECTED,
      'GET webhooks': NOT_CONNECTED,
      'POST webhooks': NOT_CONNECTED,
      'DELETE webhooks': NOT_CONNECTED,
      'POST connect': { status: 200 },
      'GET clone-token': { status: 409, code: 'no_installation' },
    },
    begin: async (at) => {
      const putBack = await keepRows(at)
      await forgotten(at)
      return putBack
    },
    // Whoever connects with `gh` is connected at once.
    again: forgotten,
  },
  {
    name: 'revoked',
    sources: ['app', 'oauth'],
    wanted: NOT_CONNECTED,
    special: { 'POST connect': { status: 200 } },
    begin: revoked,
    again: asBefore,
    isLast: true,
  },
  {
    name: 'revoked',
    sources: ['cli'],
    wanted: NOT_CONNECTED,
    special: { 'POST connect': { status: 200 } },
    begin: revoked,
    isLast: true,
  },
]

const TABLES = ['githost_account', 'githost_link', 'githost_repository', 'githost_mirror']

/** How to have the connection again as it is now. */
export async function keepRows({ stage: { database }, org }: Pick<At, 'stage' | 'org'>) {
  const { pool } = database
  const kept: [table: string, rows: unknown[]][] = []
  for (const table of TABLES) {
    const { rows } = await pool.query(`select to_jsonb(t) as row from ${table} t where org_id = $1`, [org.orgId])
    kept.push([table, rows.map(({ row }) => row)])
  }
  return async () => {
    for (const [table, rows] of kept) {
      await pool.query(`delete from ${table} where org_id = $1`, [org.orgId])
      const all = `select * from jsonb_populate_recordset(null::${table}, $1)`
      await pool.query(`insert into ${table} ${all}`, [JSON.stringify(rows)])
    }
  }
}

async function forgotten({ stage: { database }, org }: At): Promise<void> {
  for (const table of ['githost_account', 'githost_link'])
    await database.pool.query(`delete from ${table} where org_id = $1`, [org.orgId])
}

async function guarded({ host }: Stage, on: object, off: object) {
  host.do.org({ login: 'acme', ...on })
  return async () => host.do.org({ login: 'acme', ...off })
}

async function installationOf({ database }: Stage, { orgId }: Tenant): Promise<number> {
  const { rows } = await database.pool.query('select installation_id from githost_link where org_id = $1', [orgId])
  return Number(rows[0]?.installation_id)
}

/** As if nobody had noticed yet. */
async function asBefore({ stage: { database }, org }: Pick<At, 'stage' | 'org'>): Promise<void> {
  for (const table of ['githost_account', 'githost_link'])
    await database.pool.query(`update ${table} set broken_at = null, reason = null where org_id = $1`, [org.orgId])
  await database.pool.query('update githost_installation set suspended_at = null, gone_at = null')
  // A list that is asked for again beside would notice it before the next route does.
  await database.pool.query('update githost_mirror set listed_at = now() where org_id = $1', [org.orgId])
}

async function revoked({ stage, org, source }: At) {
  const { host, database } = stage
  if (source === 'app') {
    const { rows } = await database.pool.query('select slug from githost_app where org_id = $1', [org.orgId])
    host.do.rotateKey({ slug: rows[0].slug })
    host.do.dropOldKeys({ slug: rows[0].slug })
  } else host.do.revoke({ token: source === 'cli' ? ghToken(stage) : await accountToken(stage, org) })
  return async () => {}
}

const keys = parseKeyRing(SECRET_KEY)

/** As if somebody else had signed in: this token may be revoked without ending the other. */
export async function spareToken({ host, database }: Stage, { orgId }: Tenant): Promise<void> {
  const { token } = host.do.token({ login: 'ada' })
  const { rows } = await database.pool.query(`select id from githost_account where org_id = $1 and kind = 'oauth'`, [
    orgId,
  ])
  const { id } = rows[0]
  const sealed = keys.seal(token, accountPlace(id, 'token'))
  await database.pool.query('update githost_account set token = $2 where id = $1', [id, sealed])
}

/** The token that an account is connected with, as only who has the key can read it. */
export async function accountToken({ database }: Stage, { orgId }: Tenant): Promise<string> {
  const { rows } = await database.pool.query(
    `select id, token from githost_account where org_id = $1 and kind = 'oauth'`,
    [orgId],
  )
  return keys.open(rows[0].token, accountPlace(rows[0].id, 'token'))
}

export const ghToken = ({ ghDir }: Stage): string =>
  /oauth_token: (\S+)/.exec(readFileSync(join(ghDir, 'hosts.yml'), 'utf8'))?.[1] ?? ''

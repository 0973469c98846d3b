import { CONDITIONS, type Condition, keepRows, type Source, spareToken } from './conditions.ts'
import { begin } from './flows.ts'
import type { Answer, Stage, Tenant } from './stage.ts'

/** What an answer is held against: its status and code, and a word of its hint. */
type Wanted = { status: number; code?: string; hint?: RegExp }
type Asking = { stage: Stage; org: Tenant; source: Source; condition: Condition }
type Route = {
  name: string
  ask(asking: Asking): Promise<Answer>
  /** What it needs at the host, per source; null: it answers from rows alone. */
  asksHost(source: Source): boolean
  fine: Wanted | Record<Source, Wanted>
  /** Where the host guards an account, that is not on the way of this one. */
  unguarded?: true
}

const REPO = '/api/githost/repos/acme/shop'
const people = (source: Source) => source !== 'app'
const always = () => true
const never = () => false
const OK: Wanted = { status: 200 }
const FORBIDS: Wanted = { status: 409, code: 'githost_forbids' }
const NO_INSTALLATION: Wanted = { status: 409, code: 'no_installation' }
let made = 0

const get = (name: string, path: string, asksHost: Route['asksHost'], fine: Route['fine'] = OK): Route => ({
  name,
  ask: ({ org }) => org.api('GET', path),
  asksHost,
  fine,
})

const fresh = async ({ stage, org }: Asking): Promise<string> => {
  const full = `acme/m${made++}`
  await stage.host.do.repo({ full, private: true, files: { a: 'a' } })
  const row = await stage.database.pool.query(
    `insert into githost_repository select * from jsonb_populate_record(null::githost_repository, (
       select to_jsonb(r) || jsonb_build_object('name', $2::text, 'full_name_key', $3::text, 'repo_id', $4::bigint)
       from githost_repository r where r.org_id = $1 and r.full_name_key = 'acme/shop' limit 1)) returning 1`,
    [org.orgId, full.slice(5), full, 900_000 + made],
  )
  if (row.rowCount !== 1) throw new Error('the mirror has no acme/shop to copy')
  return full
}

/** The nineteen of the interface. */
export const ROUTES: Route[] = [
  get('GET status', '/api/githost/status', never),
  get('GET home', '/api/githost/home', never),
  get('GET local-status', '/api/githost/local-status', never),
  get('GET connect/poll', '/api/githost/connect/poll', never),
  {
    name: 'POST connect',
    ask: ({ org, source }) => org.api('POST', '/api/githost/connect', { source }),
    asksHost: (source) => source === 'cli',
    fine: OK,
    unguarded: true,
  },
  {
    name: 'GET connect/redirect',
    ask: async ({ stage, org }) => {
      const { status, text } = await stage.browser().visit(await begin(org, { source: 'app' }))
      return { status, text, body: null, retryAfter: 0 }
    },
    asksHost: never,
    fine: OK,
  },
  {
    name: 'POST disconnect',
    ask: disconnected,
    asksHost: never,
    fine: OK,
  },
  get('GET repos', '/api/githost/repos', never),
  {
    name: 'POST repos',
    ask: ({ org }) => org.api('POST', '/api/githost/repos', { name: `made-m${made++}`, owner: 'acme' }),
    asksHost: people,
    fine: { app: FORBIDS, oauth: { status: 201 }, cli: { status: 201 } },
    unguarded: true,
  },
  get('GET orgs/:org/repos', '/api/githost/orgs/acme/repos', never),
  get('GET repos/:owner/:repo', `${REPO}?branches=true`, always),
  {
    name: 'DELETE repos/:owner/:repo',
    ask: async (asking) => asking.org.api('DELETE', `/api/githost/repos/${await fresh(asking)}`),
    asksHost: people,
    // The web login does not ask for delete_repo; whoever signed in with `gh` here did.
    fine: { app: FORBIDS, oauth: FORBIDS, cli: OK },
  },
  get('GET branches', `${REPO}/branches`, always),
  get('GET clone-token', `${REPO}/clone-token`, (source) => source === 'app', {
    app: OK,
    oauth: NO_INSTALLATION,
    cli: NO_INSTALLATION,
  }),
  get('GET files', `${REPO}/files`, always),
  get('GET file', `${REPO}/file`, always),
  get('GET webhooks', `${REPO}/webhooks`, people),
  {
    name: 'POST webhooks',
    ask: async (asking) => asking.org.api('POST', `/api/githost/repos/${await fresh(asking)}/webhooks`),
    asksHost: people,
    fine: { app: OK, oauth: { status: 201 }, cli: { status: 201 } },
  },
  {
    name: 'DELETE webhooks',
    ask: ({ org }) => org.api('DELETE', `${REPO}/webhooks`, { hookId: 999_999 }),
    asksHost: people,
    fine: {
      app: { status: 400, code: 'invalid_request' },
      oauth: { status: 404, code: 'not_found' },
      cli: { status: 404, code: 'not_found' },
    },
  },
]

/** Forgets a source while the host is as it is, and puts the rows back. */
async function disconnected({ stage, org, source }: Asking): Promise<Answer> {
  const putBack = await keepRows({ stage, org })
  if (source === 'oauth' && (await stage.isConnected(org))) await spareToken(stage, org)
  const answer = await org.api('POST', '/api/githost/disconnect', { source: source === 'app' ? 'all' : source })
  await putBack()
  return answer
}

/** Every route, by every source, in every condition of the host that there is for it. */
export async function matrix(stage: Stage, tenants: Record<Source, Tenant>, only?: 'last'): Promise<Set<string>> {
  const seen = new Set<string>()
  for (const source of ['app', 'oauth', 'cli'] as const) {
    const org = tenants[source]
    const mine = CONDITIONS.filter(({ sources, isLast }) => sources.includes(source) && isLast === (only && true))
    for (const condition of mine) {
      const restore = await condition.begin({ stage, org, source })
      for (const route of ROUTES) {
        if (condition.isGuard && route.unguarded) continue
        const name = `${route.name} by ${source}, ${condition.name}`
        await condition.again?.({ stage, org, source })
        const wanted = wantedOf(route, source, condition)
        const answer = await route.ask({ stage, org, source, condition })
        stage.check(name, judged(answer, wanted), shownWanted(wanted))
        if (condition.isWait && wanted.status >= 502) stage.check(`${name}: says when`, answer.retryAfter > 0, true)
        seen.add(name)
      }
      await restore()
    }
  }
  return seen
}

export function wantedOf(route: Route, source: Source, condition: Condition): Wanted {
  const fine = 'status' in route.fine ? (route.fine as Wanted) : (route.fine as Record<Source, Wanted>)[source]
  const special = condition.special?.[route.name]
  if (special) return typeof special === 'function' ? (special(source) ?? fine) : special
  return route.asksHost(source) && condition.wanted ? condition.wanted : fine
}

export const judged = ({ status, body }: Answer, wanted: Wanted) => ({
  status,
  ...(wanted.code && { code: body?.code }),
  ...(wanted.hint && { hint: wanted.hint.test(String(body?.hint)) }),
})
export const shownWanted = ({ status, code, hint }: Wanted) => ({
  status,
  ...(code && { code }),
  ...(hint && { hint: true }),
})

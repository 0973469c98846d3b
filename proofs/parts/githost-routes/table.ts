import { newId } from '../../../server/src/db/ids.ts'
import { connectBy } from '../../../test-kit/githost-browser.ts'
import { until } from '../../../test-kit/until.ts'
import { begin } from './flows.ts'
import type { Stage } from './stage.ts'

const COLUMNS = [
  'read',
  'clone token',
  'hooks',
  'create in organization',
  'create for person',
  'delete',
  'report',
] as const
/** Of the design, cell by cell, in an order in which each row differs from the one before by one source. */
const TABLE: [sources: string, ...cells: string[]][] = [
  ['', '400', '409', '400', '400', '400', '400', '-'],
  ['C', 'C', '409', 'C', 'C', 'C', 'C', 'C'],
  ['OC', 'O', '409', 'O', 'O', 'O', 'O', 'O'],
  ['O', 'O', '409', 'O', 'O', 'O', 'O', 'O'],
  ['AO', 'A', 'A', 'hook', 'O', 'O', 'O', 'A'],
  ['AOC', 'A', 'A', 'hook', 'O', 'O', 'O', 'A'],
  ['AC', 'A', 'A', 'hook', 'C', 'C', 'C', 'A'],
  ['A', 'A', 'A', 'hook', '409', '409', '409', 'A'],
]

/** Each of the 56 cells asked for over HTTP; who did it is read in the host's own log. */
export async function truthTable(stage: Stage): Promise<number> {
  const { first: org, check } = stage
  let before = ''
  let cells = 0
  for (const [sources, ...wanted] of TABLE) {
    await change(stage, before, sources)
    before = sources
    for (const [at, operation] of COLUMNS.entries()) {
      check(`with ${sources || 'nothing'}, ${operation}`, await cell(stage, operation, sources), wanted[at])
      cells++
    }
  }
  await administration(stage)
  await org.api('POST', '/api/githost/disconnect', { source: 'all' })
  return cells
}

/** From one row of the table to the next; what is disconnected leaves the others. */
async function change({ first: org, browser, check }: Stage, from: string, to: string): Promise<void> {
  for (const gone of from.replaceAll(new RegExp(`[${to || '-'}]`, 'g'), ''))
    await org.api('POST', '/api/githost/disconnect', { source: gone === 'O' ? 'oauth' : 'cli' })
  for (const come of to.replaceAll(new RegExp(`[${from || '-'}]`, 'g'), '')) {
    if (come === 'C') await org.api('POST', '/api/githost/connect', { source: 'cli' })
    if (come === 'O') await connectBy(browser(), 'ada', await begin(org, { source: 'oauth' }))
    if (come === 'A') {
      await connectBy(browser(), 'ada', await begin(org, { source: 'app' }), { target: 'acme' })
      await connectBy(browser(), 'dora', await begin(org, { source: 'app' }))
    }
  }
  const { accounts } = (await org.api('GET', '/api/githost/status')).body
  const direct = accounts.filter(({ source, login }: { source: string; login: string }) =>
    source === 'app' ? login === 'acme' : login === { oauth: 'ada', cli: 'cleo' }[source],
  )
  const letters = direct
    .map(({ source }: { source: string }) => (source[0] === 'a' ? 'A' : source[0] === 'o' ? 'O' : 'C'))
    .sort()
  check(`connected are ${to || 'nothing'}`, letters.join(''), [...to].sort().join(''))
}

let made = 0

async function cell(stage: Stage, operation: (typeof COLUMNS)[number], sources: string): Promise<string> {
  const { host, first: org } = stage
  const fresh = async () => {
    const full = `acme/t${made++}`
    await host.do.repo({ full, private: true, files: { a: 'a' } })
    return full
  }
  if (operation === 'report') return report(stage)
  const full = operation === 'hooks' || operation === 'delete' ? await fresh() : 'acme/shop'
  // Listed first, so that only the operation itself is looked at.
  if (sources !== '') await org.api('GET', `/api/githost/repos/${full}`)
  host.do.requests()
  const at = `/api/githost/repos/${full}`
  const name = `made-${made++}`
  const person = sources.includes('O') ? 'ada' : sources.includes('C') ? 'cleo' : 'dora'
  const answer = await {
    read: () => org.api('GET', `${at}/branches`),
    'clone token': () => org.api('GET', `${at}/clone-token`),
    hooks: () => org.api('POST', `${at}/webhooks`),
    'create in organization': () => org.api('POST', '/api/githost/repos', { name, owner: 'acme' }),
    'create for person': () => org.api('POST', '/api/githost/repos', { name, owner: person }),
    delete: () => org.api('DELETE', at),
  }[operation]()
  if (operation === 'hooks' && answer.body.via === 'app') return 'hook'
  if (answer.status === 200 && operation === 'clone token') return 'A'
  return doneBy(host.do.requests()) ?? String(answer.status)
}

type Requests = ReturnType<Stage['host']['do']['requests']>

function doneBy(requests: Requests): string | undefined {
  const letters: Record<string, string> = { installation: 'A', 'oauth:ada': 'O', 'oauth:cleo': 'C' }
  const found = requests.map(({ actor }) => letters[actor] ?? letters[actor.split(':')[0] ?? '']).filter(Boolean)
  return found.at(-1)
}

/** A row of the outbox, as a deployment that ended leaves it. */
async function report({ host, first: org, database: { pool } }: Stage): Promise<string> {
  const id = newId('dep')
  const { rows } = await pool.query(`select id, githost_repo_id from project where org_id = $1 and name = 'reported'`, [
    org.orgId,
  ])
  host.do.requests()
  const sha = await head(host)
  await pool.query(
    `insert into githost_report (deployment_id, org_id, project_id, repo_id, sha, state, send_at) values ($1, $2, $3, $4, $5, 'failure', now())`,
    [id, org.orgId, rows[0].id, rows[0].githost_repo_id, sha],
  )
  await until('the report is done with', 30_000, async () => {
    const seen = await pool.query('select 1 from githost_report where deployment_id = $1 and send_at is null', [id])
    return seen.rows.length > 0 || undefined
  })
  return doneBy(host.do.requests().filter(({ path }) => path.includes('/statuses'))) ?? '-'
}

const head = async (host: Stage['host']) =>
  (await host.do.push({ full: 'acme/shop', content: `${made++}`, quiet: true })).after

/** An app that may administer creates and deletes by itself; the minimal one does not. */
async function administration({ host, first: org, app, check, database }: Stage): Promise<void> {
  const { rows } = await database.pool.query(
    `select i.installation_id from githost_installation i join githost_link l using (app, installation_id) where l.org_id = $1 and i.account_login = 'acme'`,
    [org.orgId],
  )
  const id = Number(rows[0].installation_id)
  const permissions = { metadata: 'read', contents: 'read', statuses: 'write', deployments: 'write' } as const
  host.do.appSettings({ slug: app.slug, permissions: { ...permissions, administration: 'write' } })
  host.do.acceptPermissions({ id })
  await database.pool.query(`update githost_installation set checked_at = '-infinity' where installation_id = $1`, [id])
  await until('the new permission is seen', 60_000, async () => {
    const seen = await database.pool.query(
      `select 1 from githost_installation where installation_id = $1 and permissions ->> 'administration' = 'write'`,
      [id],
    )
    return seen.rows.length > 0 || undefined
  })
  host.do.requests()
  const made = await org.api('POST', '/api/githost/repos', { name: 'administered', owner: 'acme' })
  check('an app that may administer creates', [made.status, doneBy(host.do.requests())], [201, 'A'])
  const gone = await org.api('DELETE', '/api/githost/repos/acme/administered')
  check('and deletes', [gone.status, doneBy(host.do.requests())], [200, 'A'])
  host.do.appSettings({ slug: app.slug, permissions })
  host.do.acceptPermissions({ id })
  await database.pool.query(
    `update githost_installation set permissions = permissions - 'administration' where installation_id = $1`,
    [id],
  )
}

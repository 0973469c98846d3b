import { connectBy } from '../../../test-kit/githost-browser.ts'
import { until } from '../../../test-kit/until.ts'
import { begin } from './flows.ts'
import type { Stage, Tenant } from './stage.ts'

/** What becomes of installations at the host, and what the organization is told. */
export async function installationLife(stage: Stage): Promise<void> {
  const { host, check, database } = stage
  const org = await stage.tenant('life@example.com')
  await connectBy(stage.browser(), 'ada', await begin(org, { source: 'app' }), { target: 'acme' })
  await connectBy(stage.browser(), 'ada', await begin(org, { source: 'oauth' }))
  const { rows } = await database.pool.query('select installation_id from githost_link where org_id = $1', [org.orgId])
  const id = Number(rows[0].installation_id)
  const status = async () => (await org.api('GET', '/api/githost/status')).body
  /** What the host's word makes due at once. */
  const recheck = () =>
    database.pool.query(`update githost_installation set checked_at = '-infinity' where installation_id = $1`, [id])
  const source = async (full: string) => (await org.api('GET', `/api/githost/repos/${full}`)).body.source

  await host.do.repo({ full: 'acme/apart', private: true, files: { a: 'a' } })
  host.do.select({ id, repos: ['shop'] })
  await recheck()
  await until('the selection is seen', 60_000, async () =>
    (await source('acme/apart')) === 'oauth' ? true : undefined,
  )
  check('selection: what is left out is seen by the account', await source('acme/apart'), 'oauth')
  check('selection: and the rest by the app', await source('acme/shop'), 'app')
  const token = await org.api('GET', '/api/githost/repos/acme/apart/clone-token')
  check('selection: no clone token for it', [token.status, token.body.code], [409, 'no_installation'])
  host.do.select({ id, repos: null })

  host.do.suspend({ id })
  await recheck()
  await until('the suspension is seen', 60_000, async () => ((await status()).problems.length > 0 ? true : undefined))
  const [problem] = (await status()).problems
  check('suspended: a problem with a hint', [problem.code, problem.hint], ['suspended', 'Lift that at the git host.'])
  check('suspended: the account goes on', (await org.api('GET', '/api/githost/repos/acme/shop/branches')).status, 200)
  host.do.suspend({ id, on: false })
  await recheck()
  await until('it is lifted', 60_000, async () => ((await status()).problems.length === 0 ? true : undefined))

  const left = (await org.api('POST', '/api/githost/disconnect', { source: 'oauth' })).body
  check('disconnect of the account leaves the app', [left.disconnected, left.state], [['oauth'], 'app'])
  check('which answers', (await org.api('GET', '/api/githost/repos/acme/shop/branches')).status, 200)
  await uninstalled(stage, org, id)
}

async function uninstalled({ host, check }: Stage, org: Tenant, id: number): Promise<void> {
  host.do.uninstall({ id })
  const noticed = await org.api('GET', '/api/githost/repos/acme/shop/branches')
  check('uninstalled: nobody says that the repository is gone', noticed.status >= 400 && noticed.status < 500, true)
  const after = await org.api('GET', '/api/githost/repos/acme/shop/branches')
  check('uninstalled: not connected', [after.status, after.body.code], [400, 'githost_not_connected'])
  check('uninstalled: state', (await org.api('GET', '/api/githost/status')).body.state, 'disconnected')
}

import { expect, test } from 'vitest'
import { pollHeads } from '../../../src/core/githost/push/poll.ts'
import { recheckInstallations } from '../../../src/core/githost/push/recheck.ts'
import { textOf } from '../links/two-worlds.ts'
import { begin, connectThrough, HOME_URL, REDIRECT_PATH, startBrokered, toHost } from './broker-stage.ts'
import { connectedLogin } from './stage.ts'

const brokered = await startBrokered()
const { home, cloud, line, host, linked, repos } = brokered
const { db } = home.platform
const never = new AbortController().signal
const linksOf = (orgId: string) => db.selectFrom('githostLink').selectAll().where('orgId', '=', orgId).execute()
const statusOf = async ({ owner }: Awaited<ReturnType<typeof linked>>['here']) =>
  (await owner.api('GET', '/api/githost/status')).body

async function connected(name: string) {
  const pair = await linked(name)
  const end = await connectThrough(brokered, await begin(pair.here), 'ada', 'acme')
  expect(end.text).toContain('The git host is connected')
  return pair
}

test('a linked organization connects through the cloud: two pages, one proof there, and it is usable here', async () => {
  const { here, there } = await linked('Engine')
  const { visitor, here: mine, there: theirs, action } = await toHost(brokered, await begin(here), 'ada')
  expect(mine.text).toContain('Connect <b>Engine</b>')
  expect(theirs.url.startsWith(`${line.url}${REDIRECT_PATH}?start=`)).toBe(true)
  expect(theirs.text).toContain('Connect <b>Engine</b> for the instance <b>home.example.com (Engine)</b>')
  expect(theirs.text).toContain('sent to <b>home.example.com</b>')
  const end = await visitor.visit(`${action}&target=acme`)
  expect([end.url.startsWith(`${HOME_URL}${REDIRECT_PATH}?state=`), end.status]).toEqual([true, 200])
  expect([...new URL(end.url).searchParams.keys()]).toEqual(['state'])
  expect(end.text).toContain('The git host is connected')
  // At the cloud it is connected exactly as if somebody had done it there.
  expect((await there.owner.api('GET', '/api/githost/status')).body).toMatchObject({ state: 'app' })
  const status = await statusOf(here)
  expect(status).toMatchObject({ state: 'app', cloudUnreachable: false, problems: [] })
  expect(status.accounts).toMatchObject([{ login: 'acme', type: 'organization', source: 'app' }])
  expect(status.installUrl).toContain('slipway-acme')
  expect((await here.owner.api('GET', '/api/githost/connect/poll')).body).toMatchObject({ status: 'connected' })
  const audit = await db.selectFrom('audit').select('action').where('orgId', '=', here.id).execute()
  expect(audit.map(({ action: done }) => done)).toContain('githost.connected')
})

test('what the instance reads, it reads with tokens that the cloud makes: lists, files, clone tokens', async () => {
  const { here } = await connected('Reader')
  const listed = await here.owner.api('GET', '/api/githost/repos')
  expect(listed.body.data.map(({ fullName }: { fullName: string }) => fullName).sort()).toEqual([
    'acme/books',
    'acme/shop',
  ])
  const file = await here.owner.api('GET', '/api/githost/repos/acme/shop/file')
  expect([file.status, file.body.content ?? file.body]).toEqual([200, expect.anything()])
  const token = await here.owner.api('GET', '/api/githost/repos/acme/shop/clone-token')
  expect([token.status, token.body.cloneUrl]).toEqual([200, `${host.url}/acme/shop.git`])
  // The app may create repositories; what comes through the cloud may not.
  const made = await here.owner.api('POST', '/api/githost/repos', { name: 'new', owner: 'acme' })
  expect([made.status, made.body.code]).toEqual([409, 'githost_forbids'])
  await pollHeads(home.platform, { signal: never })
})

test('how pushes are learned of says that the cloud passes them on, as long as it does', async () => {
  const { here } = await connected('Told')
  await here.owner.api('GET', '/api/githost/repos')
  const via = async () => (await here.owner.api('GET', '/api/githost/repos/acme/shop')).body.push.via
  expect(await via()).toBe('poll')
  const follow = (until: string) =>
    home.platform.pool.query(
      `update cloud_link set relay_state = 'following', relay_until = now() + $2::interval where org_id = $1`,
      [here.id, until],
    )
  await follow('1 minute')
  expect(await via()).toBe('relay')
  await follow('-1 second')
  expect(await via()).toBe('poll')
})

test('no token of it is in a row of either side, the audit logs included', async () => {
  const { here } = await connected('Quiet')
  const { token } = (await here.owner.api('GET', '/api/githost/repos/acme/shop/clone-token')).body
  expect(token.length).toBeGreaterThan(20)
  for (const world of [home, cloud]) expect(await textOf(world)).not.toContain(token)
  const { rows } = await cloud.platform.pool.query(`select detail from audit where action = 'githost.broker.token'`)
  expect(rows.at(-1).detail).toMatchObject({ repositories: 1, permissions: { contents: 'read', metadata: 'read' } })
})

test('a partial proof at the cloud is as partial here', async () => {
  await connected('Whole')
  const { here, there } = await linked('Part')
  host.do.collaborator({ full: 'acme/shop', login: 'bob', level: 'admin' })
  const { visitor, action } = await toHost(brokered, await begin(here), 'bob')
  const query = new URLSearchParams({
    client_id: cloud.config.githost.app?.clientId ?? '',
    redirect_uri: `${line.url}${REDIRECT_PATH}`,
    state: new URL(action).searchParams.get('state') ?? '',
  })
  const back = await visitor.visit(`${host.url}/login/oauth/authorize?${query}`, undefined, /^http:\/\/127/)
  await visitor.visit(`${back.url}&installation_id=${await installationOf('acme')}&setup_action=install`)
  expect(await linksOf(here.id)).toMatchObject([{ repoIds: [String(repos.shop.id)] }])
  const listed = await here.owner.api('GET', '/api/githost/repos')
  expect(listed.body.data.map(({ fullName }: { fullName: string }) => fullName)).toEqual(['acme/shop'])
  expect((await here.owner.api('GET', '/api/githost/repos/acme/books')).status).toBe(404)
  expect((await there.owner.api('GET', '/api/githost/repos/acme/books')).status).toBe(404)
})

const installationOf = async (login: string) => {
  const rows = cloud.platform.db.selectFrom('githostInstallation').select('installationId')
  return (await rows.where('accountLogin', '=', login).executeTakeFirstOrThrow()).installationId
}

test('who says no at the git host is told so at the instance, and nothing is connected on either side', async () => {
  const { here, there } = await linked('No')
  const { visitor, action } = await toHost(brokered, await begin(here), 'ada')
  const state = new URL(action).searchParams.get('state')
  const end = await visitor.visit(`${line.url}${REDIRECT_PATH}?error=access_denied&state=${state}`)
  expect(end.text).toContain('told not to connect')
  expect([...new URL(end.url).searchParams]).toContainEqual(['error', 'access_denied'])
  expect((await here.owner.api('GET', '/api/githost/connect/poll')).body).toMatchObject({ status: 'denied' })
  for (const org of [here, there]) expect(await statusOf(org)).toMatchObject({ state: 'disconnected' })
})

test('what fails at the cloud is told there, with a way back', async () => {
  const { here } = await linked('Failing')
  const { visitor, action } = await toHost(brokered, await begin(here), 'ada')
  const state = new URL(action).searchParams.get('state')
  const page = await visitor.visit(`${line.url}${REDIRECT_PATH}?code=wrong&installation_id=1&state=${state}`)
  expect(page.text).toContain('could not be connected')
  const [, back = ''] = /href="([^"]+)"/.exec(page.text.replaceAll('&#38;', '&')) ?? []
  expect(back.startsWith(`${HOME_URL}${REDIRECT_PATH}?state=`)).toBe(true)
  expect((await visitor.visit(back)).text).toContain('failed at the hosted cloud')
  expect((await here.owner.api('GET', '/api/githost/connect/poll')).body).toMatchObject({ status: 'failed' })
})

test('a cloud that is away: connecting says 503, what comes from elsewhere is read on, and status says so', async () => {
  const { here } = await connected('Away')
  await connectedLogin(home, host, here, 'person-away')
  await host.do.repo({ full: 'person-away/own', private: true, files: { 'a.txt': 'a' } })
  home.platform.githostTokens.drop()
  await line.being('cut', async () => {
    const refused = await here.owner.api('POST', '/api/githost/connect', { source: 'cloud' })
    expect([refused.status, refused.body.code]).toEqual([503, 'cloud_unreachable'])
    expect(await statusOf(here)).toMatchObject({ cloudUnreachable: true })
    const own = await here.owner.api('GET', '/api/githost/repos/person-away/own/file?file=a.txt')
    expect(own.status).toBe(200)
    const listed = await here.owner.api('GET', '/api/githost/repos')
    expect([listed.status, listed.body.data.length]).toEqual([200, 1])
    const theirs = await here.owner.api('GET', '/api/githost/repos/acme/shop/branches')
    expect([theirs.status, theirs.body.code]).toEqual([503, 'cloud_unreachable'])
    expect(await linksOf(here.id)).toMatchObject([{ brokenAt: null }])
  })
  await expect
    .poll(async () => (await here.owner.api('GET', '/api/githost/repos/acme/shop/branches')).status, {
      timeout: 15_000,
    })
    .toBe(200)
  expect(await statusOf(here)).toMatchObject({ cloudUnreachable: false })
})

test('a link that was revoked at the cloud breaks the source here, and status says what to do', async () => {
  const { here, there } = await connected('Revoked')
  const [link] = (await there.owner.api('GET', '/api/links')).body.data
  await there.owner.api('DELETE', `/api/links/${link.id}`)
  home.platform.githostTokens.drop()
  const refused = await here.owner.api('GET', '/api/githost/repos/acme/shop/branches')
  expect([refused.status, refused.body.code]).toEqual([400, 'githost_not_connected'])
  const { problems } = await statusOf(here)
  expect(problems).toMatchObject([{ source: 'app', code: 'broken', hint: expect.stringContaining('anew') }])
  const again = await here.owner.api('POST', '/api/githost/connect', { source: 'cloud' })
  expect([again.status, again.body.hint]).toEqual([409, expect.stringContaining('anew')])
})

test('the cloud is asked once a day what the organization there holds, and a revoked link is noticed by that as well', async () => {
  const { here, there } = await connected('Daily')
  const recheck = async () => {
    await db
      .updateTable('githostInstallation')
      .set({ checkedAt: new Date(0) })
      .execute()
    await recheckInstallations(home.platform, never)
    return statusOf(here)
  }
  expect(await recheck()).toMatchObject({ state: 'app', problems: [] })
  const id = Number(await installationOf('acme'))
  const at = cloud.platform.db.updateTable('githostInstallation').where('installationId', '=', String(id))
  await at.set({ suspendedAt: new Date() }).execute()
  expect(await recheck()).toMatchObject({ problems: [{ code: 'suspended' }] })
  await at.set({ suspendedAt: null }).execute()
  await line.being('cut', recheck)
  await expect.poll(recheck, { timeout: 15_000 }).toMatchObject({ state: 'app', problems: [] })
  await there.owner.api('POST', '/api/githost/disconnect', { source: 'all' })
  expect(await recheck()).toMatchObject({ state: 'disconnected' })
  const other = await connected('Daily, revoked')
  const [link] = (await other.there.owner.api('GET', '/api/links')).body.data
  await other.there.owner.api('DELETE', `/api/links/${link.id}`)
  await recheck()
  expect(await statusOf(other.here)).toMatchObject({ problems: [{ code: 'broken' }] })
})

test('with the link goes what came through it, and so it does when the git host is disconnected', async () => {
  const { here } = await connected('Gone')
  await here.owner.api('GET', '/api/githost/repos')
  expect((await here.owner.api('DELETE', '/api/cloud/link')).status).toBe(200)
  expect(await statusOf(here)).toMatchObject({ state: 'disconnected', installUrl: null })
  for (const table of ['githostApp', 'githostLink', 'githostRepository', 'githostMirror'] as const)
    expect(await db.selectFrom(table).selectAll().where('orgId', '=', here.id).execute()).toEqual([])
  const other = await connected('Other')
  await other.here.owner.api('POST', '/api/githost/disconnect', { source: 'all' })
  await db
    .updateTable('githostInstallation')
    .set({ checkedAt: new Date(0) })
    .execute()
  await recheckInstallations(home.platform, never)
  expect(await statusOf(other.here)).toMatchObject({ state: 'disconnected' })
})

test('without a link the cloud is no way to connect, and who asks for it is told to link first', async () => {
  const here = await home.org('Unlinked')
  const picked = await here.owner.api('POST', '/api/githost/connect', {})
  expect(picked.body.alternatives).not.toContain('cloud')
  const named = await here.owner.api('POST', '/api/githost/connect', { source: 'cloud' })
  expect([named.status, named.body.hint]).toEqual([400, expect.stringContaining('POST /api/cloud/link')])
})

import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { appPlace } from '../../../src/core/githost/secrets.ts'
import { newId } from '../../../src/db/ids.ts'
import { link, madeApp, project, pushBody, send, server, settleAll, sign } from './push-stage.ts'
import { startGithostWorld } from './stage.ts'

const { host, world } = await startGithostWorld()
const { db, keys } = world.platform
const stage = { host, world }
host.do.user({ login: 'ada' })
host.do.org({ login: 'acme', members: { ada: 'admin' } })
host.do.org({ login: 'other', members: { ada: 'admin' } })
const [org, foreign] = [await world.org('Acme'), await world.org('Other')]
const app = await madeApp(stage, 'acme', org)
const theirs = await madeApp(stage, 'other', foreign)
await link(stage, org, app)
await link(stage, foreign, theirs)
const { id: repoId } = await host.do.repo({ full: 'acme/shop', private: true, autoInit: true })
const projectId = await project(stage, org, 'acme/shop', { serverId: await server(world, org) })

const push = () => host.do.push({ full: 'acme/shop', content: randomUUID(), quiet: true })
const bodyOf = async () => pushBody(app, 'acme/shop', { repoId, ...(await push()) })
const deployed = async () =>
  (await db.selectFrom('deployment').select('id').where('projectId', '=', projectId).execute()).length
const stored = async () =>
  Number(
    (
      await db
        .selectFrom('githostDelivery')
        .select(({ fn }) => fn.countAll().as('n'))
        .executeTakeFirstOrThrow()
    ).n,
  )

test.each<[string, number, Parameters<typeof send>[3]]>([
  ['without a signature', 401, { headers: { 'x-hub-signature-256': undefined } }],
  ['signed with another secret', 401, { secret: 'another secret' }],
  ['signed with the secret of another app', 401, { secret: theirs.secret }],
  [
    'signed by the old method only',
    401,
    { headers: { 'x-hub-signature-256': undefined, 'x-hub-signature': 'sha1=00' } },
  ],
  ['with half a signature', 401, { headers: { 'x-hub-signature-256': 'sha256=00' } }],
  ['with an empty signature', 401, { headers: { 'x-hub-signature-256': '' } }],
  ['as a form', 415, { headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
  ['compressed', 415, { headers: { 'content-encoding': 'gzip' } }],
  ['without an id', 400, { headers: { 'x-github-delivery': undefined } }],
  ['with an id that is none', 400, { guid: 'a b' }],
])('a delivery %s is refused with %i, and nothing is stored', async (_, status, sending) => {
  const [before, body] = [await stored(), await bodyOf()]
  expect((await send(world, app, body, sending)).status).toBe(status)
  expect(await stored()).toBe(before)
})

test('a signature is over the bytes as they came', async () => {
  const body = await bodyOf()
  const spaced = body.replace('{', '{ ')
  expect((await send(world, app, spaced, { headers: { 'x-hub-signature-256': sign(app.secret, body) } })).status).toBe(
    401,
  )
  expect((await send(world, app, spaced)).status).toBe(202)
})

test('a packed body is not unpacked, whatever its signature', async () => {
  const packed = gzipSync(await bodyOf())
  const answer = await world.app.inject({
    method: 'POST',
    url: `/api/githost/webhook?k=${app.key}`,
    headers: {
      ...{ 'content-type': 'application/json', 'x-github-event': 'push', 'x-github-delivery': randomUUID() },
      'x-hub-signature-256': sign(app.secret, packed),
    },
    payload: packed,
  })
  expect(answer.statusCode).toBe(401)
})

test('more than 25 MB is refused before anything is looked at', async () => {
  expect((await send(world, app, 'x'.repeat(25 * 1024 * 1024 + 1))).status).toBe(413)
})

test('a large delivery is taken, and its body is not kept', async () => {
  const { guid, status } = await send(world, app, (await bodyOf()).replace('{', `{"more":"${'x'.repeat(2_000_000)}",`))
  expect(status).toBe(202)
  const row = await db.selectFrom('githostDelivery').select('body').where('guid', 'like', `${guid}%`).executeTakeFirst()
  expect(row?.body).toBeNull()
})

test('an unknown key says no more than a wrong signature; a hook without a secret can check nothing', async () => {
  const body = await bodyOf()
  const unknown = await send(world, { key: 'unknown', secret: app.secret }, body)
  expect([unknown.status, unknown.body.code]).toEqual([401, 'signature_invalid'])
  const mute = await madeApp(stage, 'other', foreign)
  await db.updateTable('githostApp').set({ hookSecret: null }).where('id', '=', mute.row).execute()
  const answer = await send(world, mute, body, { secret: '' })
  expect([answer.status, answer.body.code]).toEqual([503, 'hook_without_secret'])
})

test('the app that was registered by hand tells without a key, with its own secret alone', async () => {
  const registered = await madeApp(stage, 'acme', null)
  const secret = 'of the configuration'
  const { appId } = await db
    .updateTable('githostApp')
    .set({ hookSecret: null })
    .where('id', '=', registered.row)
    .returning('appId')
    .executeTakeFirstOrThrow()
  const { githost } = world.config
  const none = { slug: 'a', clientId: 'b', clientSecret: 'c', privateKey: 'd' }
  expect((await send(world, { key: '', secret }, await bodyOf())).status).toBe(401)
  const app2 = { appId: Number(appId), ...none, webhookSecret: secret, oldWebhookSecret: null }
  githost.app = app2
  expect((await send(world, { key: '', secret }, await bodyOf())).status).toBe(202)
  // While it is changed at the host, both are good.
  githost.app = { ...app2, webhookSecret: 'the next of the configuration', oldWebhookSecret: secret }
  for (const good of [secret, githost.app.webhookSecret ?? ''])
    expect((await send(world, { key: '', secret: good }, await bodyOf())).status).toBe(202)
  expect((await send(world, { key: '', secret: app.secret }, await bodyOf())).status).toBe(401)
  githost.app = null
})

test('a valid delivery of one organization’s app that names another’s repository is ignored', async () => {
  // What other tests have sent is looked at when its time comes, and that may be now.
  await db.updateTable('githostHead').set({ dirtyAt: null }).execute()
  const [before, moved] = [await deployed(), await push()]
  const body = pushBody(theirs, 'acme/shop', { repoId, ...moved })
  expect((await send(world, theirs, body)).status).toBe(202)
  // Naming the other's installation does not help: it is not an installation of this app.
  const claimed = pushBody({ ...theirs, installationId: app.installationId }, 'acme/shop', { repoId, ...moved })
  expect((await send(world, theirs, claimed)).status).toBe(202)
  await settleAll(world)
  expect(await deployed()).toBe(before)
  const { data } = (await foreign.owner.api('GET', '/api/githost/deliveries')).body
  expect(data.map(({ decision }: { decision: string }) => decision)).toEqual(['ignored', 'ignored'])
  const ours = (await org.owner.api('GET', '/api/githost/deliveries')).body.data
  for (const { id } of data) {
    expect(ours.some((one: { id: string }) => one.id === id)).toBe(false)
    expect((await org.owner.api('GET', `/api/githost/deliveries/${id}`)).status).toBe(404)
    expect((await org.owner.api('POST', `/api/githost/deliveries/${id}/replay`)).status).toBe(404)
  }
})

test('a link of some repositories takes deliveries of those alone', async () => {
  const third = await world.org('Third')
  const { id: hidden } = await host.do.repo({ full: 'acme/hidden', private: true, autoInit: true })
  const shared = await madeApp(stage, 'acme', null)
  await link(stage, third, shared, [repoId])
  await send(world, shared, pushBody(shared, 'acme/hidden', { repoId: hidden, ...(await push()) }))
  expect((await third.owner.api('GET', '/api/githost/deliveries')).body.data).toEqual([])
  await send(world, shared, pushBody(shared, 'acme/shop', { repoId, ...(await push()) }))
  expect((await third.owner.api('GET', '/api/githost/deliveries')).body.data).toMatchObject([{ decision: 'ignored' }])
})

test('a repository’s own hook tells of that repository alone', async () => {
  const [id, key, secret] = [newId('ghh'), randomUUID(), randomUUID()]
  const sealed = keys.seal(secret, `githost_hook/${id}/secret`)
  const names = { id, orgId: org.id, host: world.config.githost.host, repoId, hookId: 1, hookKey: key, secret: sealed }
  await db.insertInto('githostHook').values(names).execute()
  // One that a project of the same organization follows: only the hook is not its own.
  const { id: second } = await host.do.repo({ full: 'acme/second', private: true, autoInit: true })
  expect((await org.owner.api('GET', '/api/githost/repos/acme/second')).status).toBe(200)
  await project(stage, org, 'acme/second', { serverId: await server(world, org) })
  const other = pushBody(app, 'acme/second', { repoId: second, ...(await push()) })
  const storedAs = async (guid: string) =>
    db.selectFrom('githostDelivery').selectAll().where('guid', 'like', `${guid}%`).executeTakeFirstOrThrow()
  const told = await send(world, { key, secret }, other)
  expect(await storedAs(told.guid)).toMatchObject({ decision: 'ignored', orgId: org.id })
  // The same words from the app, which covers both, are looked into.
  const again = await send(world, app, other)
  expect(await storedAs(again.guid)).toMatchObject({ decision: null, orgId: org.id })
  expect((await send(world, { key, secret }, await bodyOf())).body).toEqual({ accepted: true })
})

test('secrets rotate under load: 500 pushes, none refused and none lost', async () => {
  const old = app.secret
  const fresh = randomUUID()
  const seal = (secret: string, column: 'hook_secret' | 'old_hook_secret') =>
    keys.seal(secret, appPlace(app.row, column))
  const statuses: number[] = []
  let last = ''
  for (let at = 0; at < 500; at++) {
    if (at === 150) {
      const until = new Date(Date.now() + 24 * 3600_000)
      const both = { hookSecret: seal(fresh, 'hook_secret'), oldHookSecret: seal(old, 'old_hook_secret') }
      await db
        .updateTable('githostApp')
        .set({ ...both, oldHookSecretUntil: until })
        .where('id', '=', app.row)
        .execute()
    }
    const moved = await push()
    last = moved.after
    // The host goes over to the new one a while after we did.
    const secret = at < 300 ? old : fresh
    statuses.push((await send(world, app, pushBody(app, 'acme/shop', { repoId, ...moved }), { secret })).status)
    if (at % 50 === 0) await settleAll(world)
  }
  await settleAll(world)
  expect(statuses.filter((status) => status !== 202)).toEqual([])
  const { sha } = await db
    .selectFrom('githostHead')
    .select('sha')
    .where('repoId', '=', String(repoId))
    .executeTakeFirstOrThrow()
  expect(sha).toBe(last)
  await db.updateTable('githostApp').set({ oldHookSecretUntil: new Date() }).where('id', '=', app.row).execute()
  expect((await send(world, app, await bodyOf(), { secret: old })).status).toBe(401)
})

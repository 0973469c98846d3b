import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { link, madeApp, project, pushBody, send, server } from './push-stage.ts'
import { startGithostWorld } from './stage.ts'

const { host, world } = await startGithostWorld()
const { db } = world.platform
const stage = { host, world }
host.do.user({ login: 'ada' })
host.do.org({ login: 'acme', members: { ada: 'admin' } })
const org = await world.org('Acme')
const app = await madeApp(stage, 'acme', org)
await link(stage, org, app)
const { id: repoId } = await host.do.repo({ full: 'acme/shop', private: true, autoInit: true })
await project(stage, org, 'acme/shop', { serverId: await server(world, org) })
const { api } = org.owner
const told = async (secret: string) => {
  const moved = await host.do.push({ full: 'acme/shop', content: randomUUID(), quiet: true })
  return (await send(world, app, pushBody(app, 'acme/shop', { repoId, ...moved }), { secret })).status
}
const rowOf = () => db.selectFrom('githostApp').selectAll().where('id', '=', app.row).executeTakeFirstOrThrow()
const secretOf = async (column: 'hookSecret' | 'oldHookSecret') => {
  const name = column === 'hookSecret' ? 'hook_secret' : 'old_hook_secret'
  return world.platform.keys.open((await rowOf())[column] ?? '', `githost_app/${app.row}/${name}`)
}

test('a new key of the app is used once the host takes it, and the old one may be deleted there', async () => {
  const { pem } = host.do.rotateKey({ slug: app.slug })
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const wrong = String(foreign.privateKey.export({ type: 'pkcs1', format: 'pem' }))
  for (const privateKey of [wrong, 'x'.repeat(200)]) {
    const refused = await api('POST', '/api/githost/app/key', { privateKey })
    expect([refused.status, refused.body.field]).toEqual([400, 'privateKey'])
    expect(refused.text).not.toContain(privateKey.slice(40, 100))
  }
  expect((await api('GET', '/api/githost/repos/acme/shop/clone-token')).status).toBe(200)
  const set = await api('POST', '/api/githost/app/key', { privateKey: pem })
  expect([set.status, set.body]).toEqual([200, { success: true, slug: app.slug }])
  host.do.dropOldKeys({ slug: app.slug })
  expect((await api('GET', '/api/githost/repos/acme/shop/clone-token')).status).toBe(200)
  const audited = await db.selectFrom('audit').selectAll().where('action', '=', 'githost.app.key').execute()
  expect(audited).toMatchObject([{ target: app.slug }])
  expect(JSON.stringify(audited)).not.toContain('PRIVATE')
})

test('the secret of the hook is drawn anew; deliveries with the old one are taken for a day', async () => {
  const old = await secretOf('hookSecret')
  const rotated = await api('POST', '/api/githost/app/hook-secret', {})
  expect([rotated.status, rotated.body.slug]).toEqual([200, app.slug])
  expect(rotated.text).not.toContain(await secretOf('hookSecret'))
  expect([await told(old), await told(await secretOf('hookSecret')), await told('another')]).toEqual([202, 202, 401])
  const hours = (Date.parse(rotated.body.oldUntil) - Date.now()) / 3600_000
  expect(Math.round(hours)).toBe(24)
  const over = { oldHookSecretUntil: new Date(Date.now() - 1000) }
  await db.updateTable('githostApp').set(over).where('id', '=', app.row).execute()
  expect([await told(old), await told(await secretOf('hookSecret'))]).toEqual([401, 202])
})

test('where the host did not answer, both secrets stay good, and the next try goes on with the same', async () => {
  const before = await secretOf('hookSecret')
  host.do.faults({ outage: true })
  expect((await api('POST', '/api/githost/app/hook-secret', {})).body.code).toBe('githost_unreachable')
  host.do.clearFaults()
  const fresh = await secretOf('hookSecret')
  expect([fresh === before, (await rowOf()).oldHookSecretUntil]).toEqual([false, null])
  expect([await told(before), await told(fresh)]).toEqual([202, 202])
  expect((await api('POST', '/api/githost/app/hook-secret', {})).status).toBe(200)
  expect([await secretOf('hookSecret'), await secretOf('oldHookSecret')]).toEqual([fresh, before])
})

test('an app of the instance, of another organization, or one of several that is not named is not changed', async () => {
  const other = await world.org('Other')
  for (const slug of [undefined, app.slug]) {
    const refused = await other.owner.api('POST', '/api/githost/app/hook-secret', { slug })
    expect([refused.status, refused.body.field]).toEqual([400, 'slug'])
  }
  const instance = await madeApp(stage, 'acme', null)
  expect((await api('POST', '/api/githost/app/hook-secret', { slug: instance.slug })).status).toBe(400)
  await madeApp(stage, 'acme', org)
  const several = await api('POST', '/api/githost/app/hook-secret', {})
  expect([several.status, several.body.hint.includes(app.slug)]).toEqual([400, true])
  expect((await api('POST', '/api/githost/app/hook-secret', { slug: app.slug })).status).toBe(200)
})

import { expect, test } from 'vitest'
import { pollDevices } from '../../../src/core/githost/connect/device.ts'
import { accountPlace } from '../../../src/core/githost/secrets.ts'
import { startGithostWorld } from './stage.ts'

const { host, world } = await startGithostWorld((lab) => ({
  oauth: { clientId: lab.do.oauthApp({ name: 'slipway', callbackUrls: [] }).clientId, clientSecret: null },
}))
host.do.user({ login: 'ada' })
host.do.deviceSettings({ interval: 0 })
await host.do.repo({ full: 'ada/hello', private: true, files: { a: 'a' } })
const { db, keys } = world.platform
const signal = new AbortController().signal

const connectOf = async (org: Awaited<ReturnType<typeof world.org>>) =>
  (await org.owner.api('POST', '/api/githost/connect', { source: 'oauth' })).body
const pollOf = async (org: Awaited<ReturnType<typeof world.org>>) =>
  (await org.owner.api('GET', '/api/githost/connect/poll')).body
/** What the recurring job does, without waiting for its turn. */
const pollNow = async () => {
  await db
    .updateTable('githostAttempt')
    .set({ pollAt: new Date(0) })
    .where('pollAt', 'is not', null)
    .execute()
  await pollDevices(world.platform, signal)
}

test('a device login is finished by the server, and its codes are the same for every tab', async () => {
  const org = await world.org()
  expect(await pollOf(org)).toMatchObject({ status: 'none', flow: null })
  const begun = await connectOf(org)
  expect(begun).toMatchObject({
    connected: false,
    flow: 'device_code',
    userCode: expect.stringMatching(/^\w{4}-\w{4}$/),
  })
  expect((await connectOf(org)).userCode).toBe(begun.userCode)
  await pollNow()
  expect(await pollOf(org)).toMatchObject({ status: 'pending', flow: 'device_code', userCode: begun.userCode })
  host.do.approveDevice({ userCode: begun.userCode, login: 'ada' })
  await pollNow()
  expect(await pollOf(org)).toMatchObject({ status: 'connected', login: 'ada', userCode: null })
  expect((await org.owner.api('GET', '/api/githost/repos')).body.data).toMatchObject([{ fullName: 'ada/hello' }])
  const row = await db.selectFrom('githostAttempt').selectAll().where('orgId', '=', org.id).executeTakeFirstOrThrow()
  expect([row.secret, row.pollAt, row.status]).toEqual([null, null, 'bound'])
  const account = await db
    .selectFrom('githostAccount')
    .selectAll()
    .where('orgId', '=', org.id)
    .executeTakeFirstOrThrow()
  expect(keys.open(account.token ?? '', accountPlace(account.id, 'token'))).toMatch(/^gho_/)
})

test('who presses Cancel at the host is told so, and a code that was not used in time ends', async () => {
  const org = await world.org()
  const { userCode } = await connectOf(org)
  host.do.approveDevice({ userCode, login: 'ada', deny: true })
  await pollNow()
  expect(await pollOf(org)).toMatchObject({ status: 'denied' })
  const other = await world.org()
  await connectOf(other)
  await db
    .updateTable('githostAttempt')
    .set({ expiresAt: new Date(0) })
    .where('orgId', '=', other.id)
    .execute()
  await pollNow()
  expect(await pollOf(other)).toMatchObject({ status: 'expired' })
})

test('an outage of the host while somebody types the code loses nothing', async () => {
  const org = await world.org()
  const { userCode } = await connectOf(org)
  host.do.approveDevice({ userCode, login: 'ada' })
  host.do.faults({ outage: true })
  await pollNow()
  expect(await pollOf(org)).toMatchObject({ status: 'pending' })
  host.do.clearFaults()
  await pollNow()
  expect(await pollOf(org)).toMatchObject({ status: 'connected' })
})

test('an account that gives too little is not connected, and it is said what is missing', async () => {
  const org = await world.org()
  const { userCode } = await connectOf(org)
  host.do.approveDevice({ userCode, login: 'ada' })
  const [device] = host.do.openDevices().filter((one) => one.userCode === userCode)
  expect(device).toMatchObject({ approved: true })
  const { id } = await db
    .selectFrom('githostAttempt')
    .select('id')
    .where('orgId', '=', org.id)
    .executeTakeFirstOrThrow()
  const { bindAccount } = await import('../../../src/core/githost/connect/bind.ts')
  const attempt = await db.selectFrom('githostAttempt').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const { token } = host.do.token({ login: 'ada', scopes: ['public_repo'] })
  const granted = { token, refreshToken: null, expiresAt: null, scopes: [] }
  await expect(bindAccount(world.platform, attempt, granted, signal)).rejects.toThrow(/too little: public_repo/)
})

test('a device login that the host does not allow becomes a command for the terminal', async () => {
  const { clientId } = host.do.oauthApp({ name: 'off', callbackUrls: [], deviceFlow: false })
  const before = world.config.githost.oauth
  world.config.githost.oauth = { clientId, clientSecret: null }
  const answer = await connectOf(await world.org())
  world.config.githost.oauth = before
  expect(answer).toMatchObject({ flow: 'terminal', command: expect.stringMatching(/^gh auth login --hostname /) })
})

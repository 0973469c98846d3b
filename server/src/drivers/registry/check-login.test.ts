import { createServer } from 'node:net'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { fakeRegistry } from '../../../../test-kit/fake-registry.ts'
import { registryDoor } from './check-login.ts'

const login = { username: 'deploy', password: 'right: with a colon' }
const fake = await fakeRegistry(login)
const other = await fakeRegistry(login)
const door = registryDoor({ extraRoots: async () => [] })
const { signal } = new AbortController()
const anywhere = () => true
const nowhere = () => false

afterAll(() => Promise.all([fake.close(), other.close()]))
beforeEach(() => {
  Object.assign(fake, { way: 'bearer', realm: null, instead: null })
  fake.asked.length = 0
  other.asked.length = 0
})

const check = (more: object = {}, how: object = {}) =>
  door.check(
    { host: fake.host, ...login, ...more },
    { mayConnect: anywhere, mayConnectPlain: anywhere, signal, deadlineMs: 2000, ...how },
  )
/** What went out with a password in it. */
const told = () => [...fake.asked, ...other.asked].filter(({ authorization }) => authorization !== null)

describe.each(['basic', 'bearer'] as const)('a registry that asks by %s', (way) => {
  test('takes the right password, and refuses a wrong one', async () => {
    fake.way = way
    await check()
    for (const wrong of [{ password: 'wrong' }, { username: 'nobody' }])
      await expect(check(wrong)).rejects.toMatchObject({ driver: 'registry', code: 'login_refused' })
  })
})

test('one that asks nobody cannot say whether a password is right, unless it knows a wrong one', async () => {
  fake.way = 'open'
  await expect(check()).rejects.toMatchObject({ code: 'asks_nobody' })
  const right = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`
  fake.instead = ({ headers }, response) => {
    const known = headers.authorization === undefined || headers.authorization === right
    response.writeHead(known ? 200 : 401).end()
  }
  await check()
  await expect(check({ password: 'wrong' })).rejects.toMatchObject({ code: 'login_refused' })
})

test('where tokens are to be had is text of whoever answers: it passes the guard, and gets no password elsewise', async () => {
  const inside = `http://${other.host}/token`
  fake.realm = inside
  await check()
  expect(other.asked).toHaveLength(1)
  other.asked.length = 0
  const port = Number(fake.host.split(':')[1])
  const onlyFake = (address: string) => address === '127.0.0.1'
  fake.realm = 'http://169.254.169.254/latest/meta-data'
  await expect(check({}, { mayConnectPlain: onlyFake })).rejects.toMatchObject({ code: 'address_refused' })
  for (const realm of ['', 'ftp://127.0.0.1/', 'file:///etc/passwd', `http://u:p@127.0.0.1:${port}/`, '/token', '::']) {
    fake.realm = realm
    fake.asked.length = 0
    await expect(check(), realm).rejects.toMatchObject({ code: 'token_server_refused' })
    expect(told(), realm).toEqual([])
  }
})

test('nobody is followed elsewhere: not from the registry, not from its token server', async () => {
  fake.instead = (_, response) => response.writeHead(307, { location: `http://${other.host}/v2/` }).end()
  await expect(check()).rejects.toMatchObject({ code: 'no_registry' })
  fake.instead = (request, response) => {
    if (request.url === '/v2/')
      response.writeHead(401, { 'www-authenticate': `Bearer realm="http://${fake.host}/token"` }).end()
    else response.writeHead(302, { location: `http://${other.host}/token` }).end()
  }
  await expect(check()).rejects.toMatchObject({ code: 'token_server_refused' })
  expect(other.asked).toEqual([])
})

test('without TLS nothing is sent, not even a question, where the operator has not named the network', async () => {
  await expect(check({}, { mayConnectPlain: nowhere })).rejects.toMatchObject({ code: 'tls' })
  await expect(check({}, { mayConnect: nowhere })).rejects.toMatchObject({ code: 'address_refused' })
  await expect(check({ host: 'localhost:1' }, { mayConnect: nowhere })).rejects.toMatchObject({
    code: 'address_refused',
  })
  expect(fake.asked).toEqual([])
})

test.each([
  ['a page', 200, '<html>', 'asks_nobody'],
  ['an error', 500, '', 'no_registry'],
  ['another way to sign in', 401, '', 'no_registry'],
])('what answers with %s is no registry that a password is for', async (_, status, body, code) => {
  fake.instead = (__, response) => response.writeHead(status).end(body)
  await expect(check()).rejects.toMatchObject({ code })
})

test('a token server that gives no token, or megabytes, is said to be one', async () => {
  const tokens = (body: string) => {
    fake.instead = (request, response) => {
      if (request.url === '/v2/')
        response.writeHead(401, { 'www-authenticate': `Bearer realm="http://${fake.host}/token"` }).end()
      else response.writeHead(200).end(body)
    }
  }
  for (const body of ['', '{}', '[]', 'null', '{"token":7}', '{"token":"a\\nb"}']) {
    tokens(body)
    await expect(check(), body).rejects.toMatchObject({ code: 'token_server_refused' })
  }
  tokens(`{"token":"${'a'.repeat(3 << 20)}"}`)
  await expect(check()).rejects.toMatchObject({ code: 'no_registry' })
})

test('what does not answer is given up at the deadline, and who leaves gets his own reason', async () => {
  const silent = createServer(() => {})
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening))
  const host = `127.0.0.1:${(silent.address() as { port: number }).port}`
  await expect(check({ host }, { deadlineMs: 300 })).rejects.toMatchObject({ code: 'timeout' })
  const leaving = new AbortController()
  const waiting = check({ host }, { signal: leaving.signal })
  leaving.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  silent.close()
})

test('no failure has the password in it', async () => {
  const failures = [{ password: 'wrong-8412' }, { host: 'registry.invalid', password: 'wrong-8412' }]
  for (const wrong of failures) {
    const failure = await check(wrong).catch((error: Error & { hint: string }) => error)
    expect(JSON.stringify([failure?.message, failure && 'hint' in failure ? failure.hint : ''])).not.toContain('8412')
  }
})

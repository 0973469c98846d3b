import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { tool } from '../../../../lab/tools.ts'
import { authorities, listeners } from '../../../../test-kit/tls-listeners.ts'
import { httpPassage } from './http-passage.ts'

const made = authorities(tool('openssl'))
const known = made.authority('Known')
const stranger = made.authority('Stranger')
const on = listeners()
const ends: (() => void)[] = [on.closeAll, made.remove]
afterAll(() => {
  for (const end of ends) end()
})

/** What came of asking, with a credential; and whether the credential arrived. */
async function asked(pair: { key: string; cert: string }): Promise<{ answer: unknown; arrived: boolean }> {
  let arrived = false
  const server = createServer(pair, (request, response) => {
    arrived = request.headers.authorization === 'Bearer secret'
    response.end('{}')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  ends.unshift(() => server.close())
  return { answer: await ask((server.address() as AddressInfo).port), arrived }
}

async function ask(port: number): Promise<unknown> {
  const passage = httpPassage({
    mayConnect: (address) => address === '127.0.0.1',
    mayConnectPlain: () => false,
    extraRoots: async () => [known.root],
    told: () => {},
  })
  const call = { method: 'POST', path: '/', headers: { authorization: 'Bearer secret' }, body: Buffer.from('{}') }
  const ended = passage.pass(`https://localhost:${port}`, call, { signal: new AbortController().signal, whose: 'org' })
  return ended
    .then(
      ({ status }) => status,
      (error: { code: string }) => error.code,
    )
    .finally(() => passage.close())
}

test('a cloud whose authority is among those that the operator named is asked', async () => {
  expect(await asked(known.issue(['localhost']))).toEqual({ answer: 200, arrived: true })
})

test.each([
  ['of another authority', () => stranger.issue(['localhost'])],
  ['for another name', () => known.issue(['elsewhere.example'])],
  ['that has ended', () => known.issue(['localhost'], { from: -9, to: -1 })],
])('a certificate %s gets no credential to see', async (_, issue) => {
  expect(await asked(issue())).toEqual({ answer: 'untrusted', arrived: false })
})

test('authorities that could not be read are read again by the next call', async () => {
  let reads = 0
  const server = createServer(known.issue(['localhost']), (_, response) => response.end('{}'))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  ends.unshift(() => server.close())
  const passage = httpPassage({
    mayConnect: (address) => address === '127.0.0.1',
    mayConnectPlain: () => false,
    extraRoots: async () => {
      if (++reads === 1) throw new Error('no such file')
      return [known.root]
    },
    told: () => {},
  })
  const url = `https://localhost:${(server.address() as AddressInfo).port}`
  const call = { method: 'GET', path: '/', headers: {}, body: null }
  const ask = () => passage.pass(url, call, { signal: new AbortController().signal, whose: 'org' })
  await expect(ask()).rejects.toMatchObject({ driver: 'cloud', code: 'no_roots' })
  expect((await ask()).status).toBe(200)
  expect((await ask()).status).toBe(200)
  expect(reads).toBe(2)
  passage.close()
})

test('an address that takes no connection is given up after two seconds', async () => {
  const port = await on.blackHole()
  // After ten it would be a timeout.
  expect(await ask(port)).toBe('unreachable')
})

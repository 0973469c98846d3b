import { connect, type Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { startWorld } from '../../../test-kit/world.ts'
import { makeDeployment } from './made.ts'

/**
 * What a stream does when the credential that opened it ends. What services print comes from a stand-in here: an engine
 * cannot be made to print at the moments that matter.
 */
const world = await startWorld({ streamsPerToken: 20 })
const org = await world.org()
const { db, runtime } = world.platform
await world.app.listen({ port: 0, host: '127.0.0.1' })
const { port } = world.app.server.address() as { port: number }

runtime.observe = async () => [] as never
let printed = ''
runtime.logs = async function* (_, __, { signal }) {
  for (let n = 0; !signal.aborted; n++) {
    yield { at: new Date().toISOString(), stream: 'stdout', line: `tick ${n} ${printed}`, taskId: 'x' } as never
    await new Promise((next) => setTimeout(next, 50))
  }
}

const clients = new Set<Socket>()
afterAll(() => {
  for (const socket of clients) socket.destroy()
})

const FORMATS = {
  events: (id: string) => `/api/deployments/${id}/stream`,
  'text follow': (id: string) => `/api/deployments/${id}/logs?kind=runtime&follow=true&format=text`,
  'JSON follow': (id: string) => `/api/deployments/${id}/logs?kind=runtime&follow=true`,
}

function view(path: string, credential: string) {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  clients.add(socket)
  const seen = { status: 0, text: '', over: false }
  socket.on('error', () => {}).on('close', () => (seen.over = true))
  socket.on('data', (chunk) => {
    seen.text += chunk
    seen.status ||= Number(seen.text.slice(9, 12))
    if (seen.text.endsWith('\r\n0\r\n\r\n') || (seen.status !== 200 && seen.text.includes('\r\n\r\n'))) seen.over = true
  })
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${credential}\r\n\r\n`)
  return seen
}
const byToken = (token: string) => `authorization: Bearer ${token}`

/** What ends the right to watch, each of a person of its own. */
const ENDS: Record<string, () => Promise<{ credential: string; deployment?: string; end(): Promise<unknown> }>> = {
  'a token that is revoked': async () => {
    const { token, userId } = await world.person(org.id, 'viewer')
    const { id } = await db.selectFrom('token').select('id').where('userId', '=', userId).executeTakeFirstOrThrow()
    return { credential: byToken(token), end: () => org.owner.api('DELETE', `/api/tokens/${id}`) }
  },
  'a token that expires': async () => {
    const person = await world.person(org.id, 'viewer')
    const expiresAt = new Date(Date.now() + 4000)
    return { credential: byToken(await world.tokenFor(person, { expiresAt })), end: async () => {} }
  },
  'a member who is removed': async () => {
    const { token, userId } = await world.person(org.id, 'admin')
    return { credential: byToken(token), end: () => org.owner.api('DELETE', `/api/members/${userId}`) }
  },
  'a session that is ended': async () => {
    const person = await world.person(org.id, 'developer')
    const { cookie } = await world.session(person)
    return {
      credential: `cookie: ${cookie}`,
      end: () => db.deleteFrom('session').where('userId', '=', person.userId).execute(),
    }
  },
  'a session whose person is removed': async () => {
    const person = await world.person(org.id, 'developer')
    const { cookie } = await world.session(person)
    return { credential: `cookie: ${cookie}`, end: () => org.owner.api('DELETE', `/api/members/${person.userId}`) }
  },
  'a project that is deleted': async () => {
    const { id, projectId } = await makeDeployment(world, org)
    return {
      credential: byToken((await world.person(org.id, 'viewer')).token),
      deployment: id,
      end: () => db.deleteFrom('project').where('id', '=', projectId).execute(),
    }
  },
}

test('streams of every format end with the credential that opened them, and nobody else is let go', async () => {
  const { id } = await makeDeployment(world, org)
  const stays = Object.values(FORMATS).map((path) => view(path(id), byToken(org.owner.token)))
  const lowered = await world.person(org.id, 'admin')
  stays.push(view(FORMATS.events(id), byToken(lowered.token)))
  const opened: { why: string; end(): Promise<unknown>; seen: ReturnType<typeof view> }[] = []
  for (const [why, make] of Object.entries(ENDS)) {
    const { credential, deployment = id, end } = await make()
    for (const [format, path] of Object.entries(FORMATS)) {
      opened.push({ why: `${why}: ${format}`, end, seen: view(path(deployment), credential) })
    }
  }
  await expect.poll(() => opened.filter(({ seen }) => seen.status !== 200).map(({ why }) => why)).toEqual([])
  for (const end of new Set(opened.map(({ end }) => end))) await end()
  await org.owner.api('PATCH', `/api/members/${lowered.userId}`, { role: 'viewer' })
  const left = () => opened.filter(({ seen }) => !seen.over).map(({ why }) => why)
  await expect.poll(left, { timeout: 40_000 }).toEqual([])
  expect(stays.filter(({ over }) => over)).toEqual([])
  const text = opened.find(({ why }) => why === 'a token that is revoked: text follow')?.seen.text
  expect(text).toContain('the credential that it was opened with has ended')
}, 90_000)

test('one question is asked for all who watch, however many they are', async () => {
  const { id } = await makeDeployment(world, org)
  const { token } = await world.person(org.id, 'viewer')
  const viewers = Array.from({ length: 20 }, () => view(FORMATS.events(id), byToken(token)))
  await expect.poll(() => viewers.every(({ status }) => status === 200)).toBe(true)
  const asked: string[] = []
  const query = world.platform.pool.query
  world.platform.pool.query = ((...args: Parameters<typeof query>) => {
    const [first] = args as unknown as [{ name?: string }]
    if (first?.name?.endsWith('.confirm')) asked.push(first.name)
    return query.apply(world.platform.pool, args)
  }) as typeof query
  await expect.poll(() => asked.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(2)
  world.platform.pool.query = query
  expect(asked.filter((name) => name === 'token.confirm').length).toBeLessThanOrEqual(2)
}, 60_000)

test('a credential has so many streams open and no more, and a person with many credentials not many more', async () => {
  const { id } = await makeDeployment(world, org)
  const person = await world.person(org.id, 'viewer')
  const first = Array.from({ length: 20 }, () => view(FORMATS.events(id), byToken(person.token)))
  await expect.poll(() => first.every(({ status }) => status === 200)).toBe(true)
  const refused = await person.api('GET', FORMATS.events(id))
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  expect(refused.body.error).toContain('20 streams open')
  for (const path of [FORMATS['text follow'], FORMATS['JSON follow']]) {
    expect((await person.api('GET', path(id))).status).toBe(429)
  }
  const more: ReturnType<typeof view>[] = []
  for (let n = 0; n < 4; n++) {
    const token = await world.tokenFor(person)
    for (let k = 0; k < 20; k++) more.push(view(FORMATS.events(id), byToken(token)))
  }
  await expect.poll(() => more.every(({ status }) => status === 200)).toBe(true)
  const beyond = await world.as(await world.tokenFor(person))('GET', FORMATS.events(id))
  expect([beyond.status, beyond.body.error]).toEqual([429, expect.stringContaining('person has 100 streams')])
  for (const socket of clients) socket.destroy()
  const again = () => {
    const seen = view(FORMATS.events(id), byToken(person.token))
    return new Promise<number>((done) => setTimeout(() => done(seen.status), 200))
  }
  await expect.poll(again).toBe(200)
}, 60_000)

test('a variable that is set while someone follows is hidden from them from then on, and what it replaces stays so', async () => {
  const { id, projectId } = await makeDeployment(world, org)
  const { token } = await world.person(org.id, 'viewer')
  const set = async (value: string) => {
    const heard = new Promise<void>((done) => world.platform.changes.subscribe(projectId, done))
    await org.owner.api('PUT', `/api/projects/${projectId}/variables`, { variables: [{ name: 'PASSWORD', value }] })
    await heard
  }
  const formats = [FORMATS['text follow'], FORMATS['JSON follow']]
  const readers = formats.map((path) => view(path(id), byToken(token)))
  await expect.poll(() => readers.every(({ text }) => text.includes('tick 3'))).toBe(true)
  for (const value of ['sesame-open-please', 'another-secret-word']) {
    await set(value)
    printed = `from the start ${value}`
    const from = readers.map(({ text }) => text.length)
    await expect.poll(() => readers.every(({ text }, n) => text.slice(from[n]).includes('•••'))).toBe(true)
  }
  printed = 'sesame-open-please and another-secret-word'
  await expect.poll(() => readers.every(({ text }) => text.includes('••• and •••'))).toBe(true)
  printed = ''
  for (const { text } of readers) expect(text).not.toMatch(/sesame|another-secret/)
})

import { readFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startMailServer, type TestMailServer } from '../../../../lab/mail/start.ts'
import type { DriverFailure } from '../../errors.ts'
import type { Mail } from './mail.ts'
import { type SmtpOptions, smtpDoor } from './smtp.ts'

const FROM = 'noreply@slipway.example'
const { signal } = new AbortController()
let server: TestMailServer
const ends: (() => unknown)[] = []

beforeAll(async () => {
  server = await startMailServer()
})
afterAll(async () => {
  for (const end of ends) await end()
  await server.stop()
})

const roots = async () => [await readFile(server.caFile, 'utf8')]
const doorTo = (url: string, more: Partial<SmtpOptions> = {}) =>
  smtpDoor({ url, from: FROM, extraRoots: roots, ...more })
const mail = (more: Partial<Mail> = {}): Mail => ({
  to: 'ada@example.com',
  subject: 'Your code',
  text: 'The code is 123456.\n',
  messageId: 'eml_1@slipway.example',
  ...more,
})
const send = (more: Partial<Mail> = {}) => doorTo(server.url).send(mail(more), signal)
const failureOf = (sending: Promise<void>) =>
  sending.then(
    () => null,
    (error: DriverFailure) => error,
  )

/** What takes connections and answers as it is told. */
async function startFake(answer: (socket: Socket, line: string) => void, greeting = ''): Promise<number> {
  const sockets = new Set<Socket>()
  const fake = createServer((socket) => {
    sockets.add(socket)
    if (greeting) socket.write(greeting)
    socket.on('error', () => {}).on('data', (piece) => answer(socket, piece.toString()))
  })
  await new Promise<void>((listening) => fake.listen(0, listening))
  ends.push(() => {
    for (const socket of sockets) socket.destroy()
    fake.close()
  })
  return (fake.address() as { port: number }).port
}

describe.each(['url', 'tlsUrl'] as const)('by %s', (way) => {
  test('a mail arrives with its text, its subject and the id that it was given', async () => {
    const to = `${way.toLowerCase()}@example.com`
    const subject = `Grüße aus Zürich, 日本 and ${'far '.repeat(40)}away`
    const text = 'Ärger?\n\n.\n..two dots\nFrom the start of a line\n=3D is no sign\n'
    await doorTo(server[way]).send(mail({ to, subject, text, messageId: 'eml_7@slipway.example' }), signal)
    await expect.poll(() => server.mails(to)).toHaveLength(1)
    const [arrived] = await server.mails(to)
    expect(arrived).toMatchObject({ subject, text })
    expect(arrived?.headers).toMatchObject({
      'message-id': '<eml_7@slipway.example>',
      from: FROM,
      to,
      'content-type': 'text/plain; charset=utf-8',
      'auto-submitted': 'auto-generated',
    })
  })

  test('a certificate that nobody vouches for gets neither the login nor the mail', async () => {
    const door = doorTo(server[way], { extraRoots: async () => [] })
    await expect(door.send(mail({ to: 'untrusting@example.com' }), signal)).rejects.toMatchObject({
      driver: 'mail',
      code: 'mail_untrusted',
    })
    expect(server.addresses()).not.toContain('untrusting@example.com')
  })

  test('a wrong password is said to be one, and stands in no failure', async () => {
    const url = server[way].replace(server.password, 'wrong-8412')
    const failure = await failureOf(doorTo(url).send(mail(), signal))
    expect(failure).toMatchObject({ driver: 'mail', code: 'mail_denied', facts: { status: 535 } })
    const encoded = Buffer.from('\0slipway\0wrong-8412').toString('base64')
    const all = JSON.stringify([failure?.message, failure?.hint, failure?.facts, failure?.stack, failure?.cause])
    for (const secret of ['8412', encoded]) expect(all).not.toContain(secret)
  })
})

test('an address that the server refuses for good is told from one that it puts off', async () => {
  await expect(send({ to: 'nobody@example.com' })).rejects.toMatchObject({
    code: 'mail_refused',
    facts: { status: 550 },
  })
  await expect(send({ to: 'later@example.com' })).rejects.toMatchObject({
    code: 'mail_deferred',
    facts: { status: 451 },
  })
})

test('where nobody listens, or no name leads, the server is unreachable', async () => {
  for (const url of ['smtp://127.0.0.1:1', 'smtps://127.0.0.1:1', 'smtp://u:p@nowhere.invalid'])
    await expect(doorTo(url).send(mail(), signal), url).rejects.toMatchObject({ code: 'mail_unreachable' })
})

test('a server that says nothing is left at the deadline, and at once by who leaves or closes', async () => {
  const url = `smtp://127.0.0.1:${await startFake(() => {})}`
  await expect(doorTo(url, { deadlineMs: 200 }).send(mail(), signal)).rejects.toMatchObject({
    code: 'mail_unreachable',
  })
  const leaving = new AbortController()
  const waiting = doorTo(url).send(mail(), leaving.signal)
  leaving.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  const door = doorTo(url)
  const open = door.send(mail(), signal)
  door.close()
  await expect(open).rejects.toThrow('closed')
  await expect(door.send(mail(), signal)).rejects.toThrow('closed')
})

test('whoever offers no TLS gets nothing, unless it is this machine', async () => {
  const said: string[] = []
  const answer = (socket: Socket, line: string) => {
    said.push(line)
    if (/^EHLO/.test(line)) socket.write('250-fake\r\n250 AUTH PLAIN\r\n')
    else if (/^AUTH/.test(line)) socket.write('235 welcome\r\n')
    else if (/^QUIT/.test(line)) socket.end('221 bye\r\n')
    else if (/^DATA/.test(line)) socket.write('354 go on\r\n')
    else socket.write(/^STARTTLS/.test(line) ? '502 no\r\n' : '250 ok\r\n')
  }
  const port = await startFake(answer, '220 fake\r\n')
  // This machine by an address that is not a loopback one.
  await expect(doorTo(`smtp://u:secret@0.0.0.0:${port}`).send(mail(), signal)).rejects.toMatchObject({
    code: 'mail_untrusted',
  })
  expect(said.join('')).not.toMatch(/AUTH PLAIN|MAIL FROM/)
  await doorTo(`smtp://u:secret@127.0.0.1:${port}`).send(mail(), signal)
  expect(said.join('')).toContain('MAIL FROM')
})

test('a server that takes no login where there is one to give gets no mail', async () => {
  const answer = (socket: Socket, line: string) => socket.write(/^EHLO/.test(line) ? '250 fake\r\n' : '250 ok\r\n')
  const url = `smtp://u:p@127.0.0.1:${await startFake(answer, '220 fake\r\n')}`
  await expect(doorTo(url).send(mail(), signal)).rejects.toMatchObject({ code: 'mail_denied' })
})

test.each([
  ['421 closing\r\n', 'mail_deferred'],
  ['554 not you\r\n', 'mail_unreachable'],
  ['HTTP/1.1 400 Bad Request\r\n\r\n', 'mail_unreachable'],
])('who greets with %j is nobody to refuse a mail for good', async (greeting, code) => {
  const port = await startFake(() => {}, greeting)
  await expect(doorTo(`smtp://127.0.0.1:${port}`).send(mail(), signal)).rejects.toMatchObject({ code })
})

test('what is no single address is sent to nobody', async () => {
  const before = server.addresses()
  const tries = [
    'eve@example.com, mallory@example.com',
    'eve@example.com,mallory@example.com',
    'eve@example.com;mallory@example.com',
    'eve@example.com mallory@example.com',
    'eve@example.com\r\nRCPT TO:<mallory@example.com>',
    'eve@example.com>\r\nRCPT TO:<mallory@example.com',
    'eve@example.com\nBcc: mallory@example.com',
    'Eve <eve@example.com>',
    '"mallory@example.com" <eve@example.com>',
    '"mallory@example.com,"@example.com',
    'mallory@example.com@example.com',
    '@mallory.example:eve@example.com',
    'friends: mallory@example.com;',
    'eve@example.com(mallory@example.com)',
    'eve@[127.0.0.1]',
    'eve@example.com\u0000',
    'eve\u2028@example.com',
    'eve\uff20example.com',
    'évé@example.com',
    'eve@exämple.com',
    'eve@example',
    'eve@-example.com',
    '.eve@example.com',
    `${'e'.repeat(65)}@example.com`,
    '@example.com',
    '',
  ]
  for (const to of tries) await expect(send({ to }), JSON.stringify(to)).rejects.toMatchObject({ code: 'mail_refused' })
  // Mail is delivered in the order it came: what was sent before this one would be there.
  await send({ to: 'after@example.com' })
  await expect.poll(() => server.addresses()).toContain('after@example.com')
  expect(server.addresses().filter((one) => one !== 'after@example.com')).toEqual(before)
})

test('a subject stays one line of one header, whatever is in it', async () => {
  const to = 'subject@example.com'
  const subject =
    'Hi\r\nBcc: mallory@example.com\r\n\r\nbody\u2028X-More: 1\u0000 =?UTF-8?Q?=0D=0ABcc:_mallory@example.com?='
  await send({ to, subject, text: 'mine' })
  await expect.poll(() => server.mails(to)).toHaveLength(1)
  const [arrived] = await server.mails(to)
  expect(arrived?.headers).not.toHaveProperty('bcc')
  expect(arrived?.headers).not.toHaveProperty('x-more')
  expect(arrived?.text.trim()).toBe('mine')
  expect(server.addresses()).not.toContain('mallory@example.com')
})

test('a mail names no files and no addresses to fetch from: its text is text', async () => {
  const to = 'text@example.com'
  const text = { path: '/etc/hostname' } as unknown as string
  await expect(send({ to, text })).rejects.toThrow()
  expect(server.addresses()).not.toContain(to)
})

import type { ServerResponse } from 'node:http'
import type { BytesReader, Init } from '@slipway/contract/client'
import { afterEach, expect, test } from 'vitest'
import { answering, sendJson } from '../../test/answering.ts'
import { slipway } from '../../test/run-here.ts'
import { Lost, request } from './request.ts'

let server: Awaited<ReturnType<typeof answering>> | undefined
afterEach(() => server?.close())

type Asked = Partial<Init> & { path?: string }

async function ask(answer: Parameters<typeof answering>[0], { path = '/x', signal, ...init }: Asked = {}) {
  server = await answering(answer)
  return request(
    new URL(path, server.url),
    { method: 'GET', headers: {}, ...init },
    { signal: signal ?? new AbortController().signal, explain: (error) => error },
  )
}

const textOf = async (reader: BytesReader) => Buffer.from((await reader.read()).value ?? []).toString()

test('an answer has its status, its headers by any spelling and its text, which is read as often as one likes', async () => {
  const answer = await ask((_, reply) => sendJson(reply, { said: 'grüß dich' }, 418, { 'X-Kind': 'tea' }))
  expect([answer.status, answer.ok]).toEqual([418, false])
  expect([answer.headers.get('x-KIND'), answer.headers.get('none')]).toEqual(['tea', null])
  expect(await answer.text()).toBe('{"said":"grüß dich"}')
  expect(await answer.json()).toEqual({ said: 'grüß dich' })
})

test.each(['POST', 'DELETE'])(
  'the body of a %s is sent with its length, and nothing asks for it to be packed',
  async (method) => {
    const answer = await ask(
      async (asked, reply) => {
        const { 'content-length': length, 'transfer-encoding': coding, 'accept-encoding': packed } = asked.headers
        sendJson(reply, { body: (await asked.toArray()).join(''), length, coding, packed, method: asked.method })
      },
      { method, body: '{"ü":1}' },
    )
    expect(await answer.json()).toEqual({ body: '{"ü":1}', length: '8', packed: 'identity', method })
  },
)

test('a redirect is an answer, and what has no body is no stream', async () => {
  const moved = await ask((_, reply) => void reply.writeHead(307, { location: '/y' }).end())
  expect([moved.status, moved.headers.get('location')]).toEqual([307, '/y'])
  server?.close()
  const nothing = await ask((_, reply) => void reply.writeHead(204).end())
  expect([nothing.ok, nothing.body, await nothing.text()]).toEqual([true, null, ''])
})

test('a body comes in pieces as they are sent, and who cancels it closes the connection', async () => {
  let reply: ServerResponse | undefined
  const answer = await ask((_, one) => {
    reply = one
    one.writeHead(200).write('one')
  })
  const closed = new Promise((done) => reply?.once('close', () => done('closed')))
  const reader = answer.body?.getReader() as BytesReader
  expect(await textOf(reader)).toBe('one')
  reply?.write('two')
  expect(await textOf(reader)).toBe('two')
  // Also while something waits for the next piece.
  const next = reader.read().catch(() => 'cut')
  await reader.cancel()
  expect(await closed).toBe('closed')
  await next
})

test('what is not read is not sent', async () => {
  let sent = 0
  const answer = await ask((_, reply) => {
    const piece = Buffer.alloc(1 << 20)
    const more = () => {
      while (sent < 256 && !reply.destroyed) {
        sent++
        if (!reply.write(piece)) return void reply.once('drain', more)
      }
    }
    more()
  })
  await answer.body?.getReader().read()
  let before = -1
  await expect
    .poll(() => {
      const still = before === sent
      before = sent
      return still
    })
    .toBe(true)
  expect(sent).toBeLessThan(64)
})

test.each([
  ['of known length', { 'content-length': '100' }],
  ['in chunks', {}],
])('an answer %s that ends early is an error and no short answer', async (_, headers) => {
  const answer = await ask((_asked, reply) => {
    reply.writeHead(200, headers).write('{"data":[]}')
    setTimeout(() => reply.destroy(), 20)
  })
  await expect(answer.text()).rejects.toMatchObject({ name: 'Lost', begun: true })
})

test('a connection that is cut before anybody reads is told to the reader', async () => {
  let reply: ServerResponse | undefined
  const answer = await ask((_, one) => {
    reply = one
    one.writeHead(200).write('one')
  })
  reply?.destroy()
  await new Promise((done) => setTimeout(done, 50))
  await expect(answer.text()).rejects.toBeInstanceOf(Lost)
})

test('who leaves gets their own reason: before, while it is waited for, and in the middle', async () => {
  const gone = AbortSignal.abort(new Error('left'))
  await expect(ask(() => {}, { signal: gone })).rejects.toThrow('left')
  expect(server?.seen).toEqual([])
  server?.close()
  const waiting = new AbortController()
  await expect(ask(() => waiting.abort(new Error('left while waiting')), { signal: waiting.signal })).rejects.toThrow(
    'left while waiting',
  )
  server?.close()
  const reading = new AbortController()
  const answer = await ask((_, reply) => void reply.writeHead(200).write('one'), { signal: reading.signal })
  const text = answer.text()
  reading.abort(new Error('left while reading'))
  await expect(text).rejects.toThrow('left while reading')
})

test('nobody there, and somebody who hangs up, are lost connections with their code', async () => {
  await expect(ask((asked) => void asked.socket.destroy())).rejects.toMatchObject({ code: 'ECONNRESET', begun: false })
  const { url } = server as { url: string }
  server?.close()
  const options = { signal: new AbortController().signal, explain: (error: unknown) => error }
  const again = request(new URL(url), { method: 'GET', headers: {} }, options)
  await expect(again).rejects.toMatchObject({ name: 'Lost', code: 'ECONNREFUSED' })
})

test('a header that cannot be sent is no lost connection', async () => {
  await expect(ask(() => {}, { headers: { authorization: 'Bearer ü\n' } })).rejects.not.toBeInstanceOf(Lost)
})

test('an answer that is cut is exit code 8, and a token may come with the end of its line', async () => {
  const tokens: unknown[] = []
  server = await answering((asked, reply) => {
    tokens.push(asked.headers.authorization)
    reply.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{')
    setTimeout(() => reply.destroy(), 20)
  })
  const { code, json } = await slipway(['whoami', '--json'], { env: { SLIPWAY_URL: server.url, SLIPWAY_TOKEN: 't\n' } })
  expect([code, json().error]).toEqual([8, `The connection to ${server.url} was cut in the middle of an answer.`])
  expect(tokens).toEqual(['Bearer t'])
})

import type { ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { answering, sendJson } from '../../test/answering.ts'
import { deployment, project } from '../../test/deployments.ts'
import { slipway } from '../../test/run-here.ts'

let server: Awaited<ReturnType<typeof answering>> | undefined
afterEach(() => server?.close())

const line = (id: string, text: string) =>
  `event: log\nid: ${id}\ndata: ${JSON.stringify({ ts: `2026-01-31T12:00:0${id}.000Z`, service: 'web', stream: 'stdout', line: text })}\n\n`

test('logs -f goes on behind the last line when it is cut, and with the next release when there is one', async () => {
  const left = new AbortController()
  const asked: (string | undefined)[] = []
  let active = deployment({ active: true })
  const answers: ((answer: ServerResponse) => void)[] = [
    (answer) => answer.end(line('1', 'one')),
    (answer) => {
      answer.write(line('2', 'two'))
      active = deployment({ id: 'dep_3', number: 3, active: true })
      setTimeout(() => answer.destroy(), 20)
    },
    (answer) => answer.write(line('3', 'of another')),
  ]
  server = await answering((request, answer) => {
    const { pathname } = new URL(request.url ?? '', 'http://x')
    if (pathname === '/api/projects') return sendJson(answer, { data: [project], nextCursor: null })
    if (pathname === '/api/deployments') return sendJson(answer, { data: [active], nextCursor: null })
    asked.push(`${pathname.split('/')[3]} ${request.headers['last-event-id'] ?? ''}`.trim())
    answer.writeHead(200, { 'content-type': 'text/event-stream' })
    answers.shift()?.(answer)
    if (answers.length === 0) setTimeout(() => left.abort(), 200)
  })
  const env = { SLIPWAY_URL: server.url, SLIPWAY_TOKEN: 't', SLIPWAY_PROJECT: 'shop' }
  const { code, out, err } = await slipway(['logs', '-f', 'web'], { env, signal: left.signal })
  expect(code).toBe(130)
  expect(out).toBe('web  12:00:01.000  one\nweb  12:00:02.000  two\nweb  12:00:03.000  of another\n')
  expect(asked).toEqual(['dep_2', 'dep_2 1', 'dep_3'])
  expect(err).toContain('— #3 has taken the place of #2 —')
})

test('logs -f goes over to the release that took the place, although the stream of the one before stays open', async () => {
  const left = new AbortController()
  const asked: string[] = []
  let active = deployment({ active: true })
  server = await answering((request, answer) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
    if (pathname === '/api/projects') return sendJson(answer, { data: [project], nextCursor: null })
    if (pathname === '/api/deployments') return sendJson(answer, { data: [active], nextCursor: null })
    asked.push(`${pathname.split('/')[3]} ${searchParams.get('limit')}`)
    answer.writeHead(200, { 'content-type': 'text/event-stream' })
    answer.write(line('1', 'of both'))
    if (pathname.includes('dep_2')) {
      active = deployment({ id: 'dep_3', number: 3, active: true })
      return
    }
    answer.write(line('2', 'of the new one'))
    setTimeout(() => left.abort(), 200)
  })
  const env = { SLIPWAY_URL: server.url, SLIPWAY_TOKEN: 't', SLIPWAY_PROJECT: 'shop' }
  const { code, out } = await slipway(['logs', '-f'], { env, signal: left.signal })
  expect(code).toBe(130)
  // A service that was not replaced is read again with the new release, and not told twice.
  expect(out).toBe('web  12:00:01.000  of both\nweb  12:00:02.000  of the new one\n')
  expect(asked).toEqual(['dep_2 100', 'dep_3 5000'])
})

import type { ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { answering, sendJson } from '../../test/answering.ts'
import { deployment, project } from '../../test/deployments.ts'
import { slipway } from '../../test/run-here.ts'

let server: Awaited<ReturnType<typeof answering>> | undefined
afterEach(() => server?.close())

const line = (id: string, text: string, more: object = {}) =>
  `event: log\nid: ${id}\ndata: ${JSON.stringify({ ts: `2026-01-31T12:00:0${id}.000Z`, service: 'web', stream: 'stdout', line: text, ...more })}\n\n`

/** Answers requests for logs one after the other with these; the last of them ends the command. */
async function follow(words: string[], shown: Record<string, unknown>, answers: ((answer: ServerResponse) => void)[]) {
  const left = new AbortController()
  const asked: string[] = []
  server = await answering((request, answer) => {
    const { pathname } = new URL(request.url ?? '', 'http://x')
    if (pathname === '/api/projects') return sendJson(answer, { data: [project], nextCursor: null })
    if (pathname === '/api/deployments') return sendJson(answer, { data: [deployment(shown)], nextCursor: null })
    asked.push(`${pathname} ${request.headers['last-event-id'] ?? ''}`.trim())
    answer.writeHead(200, { 'content-type': 'text/event-stream' })
    answers.shift()?.(answer)
    if (answers.length === 0) setTimeout(() => left.abort(), 200)
  })
  const env = { SLIPWAY_URL: server.url, SLIPWAY_TOKEN: 't', SLIPWAY_PROJECT: 'shop' }
  return { asked, ...(await slipway(['logs', '-f', ...words], { env, signal: left.signal })) }
}

test('logs -f goes on behind the last line when it is cut, and says when another release prints', async () => {
  const release = { deploymentId: 'dep_3', number: 3 }
  const { code, out, err, asked } = await follow(['web'], { active: true }, [
    (answer) => answer.end(line('1', 'one')),
    (answer) => {
      answer.write(line('2', 'two'))
      setTimeout(() => answer.destroy(), 20)
    },
    (answer) => {
      answer.write(line('3', '[#3 has taken the place of #2]', { service: null, release }))
      answer.write(line('4', 'of another'))
    },
  ])
  expect(code).toBe(130)
  expect(out).toBe('web  12:00:01.000  one\nweb  12:00:02.000  two\nweb  12:00:04.000  of another\n')
  const path = `/api/projects/${project.id}/logs`
  expect(asked).toEqual([path, `${path} 1`, `${path} 2`])
  expect(err).toContain('— #3 has taken the place of #2 —')
})

test('logs -f of a release that does not serve stays with it', async () => {
  const { out, asked } = await follow(['2'], { active: false }, [(answer) => answer.write(line('1', 'its last words'))])
  expect(out).toBe('web  12:00:01.000  its last words\n')
  expect(asked).toEqual(['/api/deployments/dep_2/logs'])
})

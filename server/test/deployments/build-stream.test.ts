import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { startSite } from '../../../test-kit/site-in-process.ts'

const site = await startSite('steps')

type Event = { type: string; data: Record<string, unknown> }
const eventsOf = async (id: string): Promise<Event[]> => {
  const { text } = await site.api('GET', `/api/deployments/${id}/stream?since=0`)
  return String(text)
    .split('\n\n')
    .flatMap((block) => {
      const [, type = '', data] = /^event: (\w+)\ndata: (.+)$/m.exec(block) ?? []
      return data === undefined ? [] : [{ type, data: JSON.parse(data) }]
    })
}
const DIGEST = /sha256:|^[0-9a-f]{32,}$/

const files = (word: string) => ({
  Dockerfile: `FROM busybox:1
COPY page /www/
RUN echo "made ${word}" && echo oops >&2
EXPOSE 8080
CMD ["httpd", "-f", "-p", "8080", "-h", "/www"]
`,
  page: 'hello',
})

test('each step of a build is started before it is finished, and its lines bear its name, whether it is cached or not', async () => {
  const project = await site.project('steps', { bakeSeconds: 0 })
  const word = randomBytes(6).toString('hex')
  for (const isCached of [false, true]) {
    const ended = await site.ended(await site.start(project, files(word)))
    expect(ended, JSON.stringify(ended.error)).toMatchObject({ status: 'ready' })
    const events = await eventsOf(ended.id)
    const steps = Map.groupBy(
      events.filter(({ type, data }) => type === 'step' && data.id !== undefined),
      ({ data }) => data.id,
    )
    expect(steps.size).toBeGreaterThan(4)
    for (const [id, told] of steps) {
      const states = told.map(({ data }) => data.state).join(' ')
      expect(states, `${id} ${told[0]?.data.name}`).toMatch(/^started finished( started finished)*( finished)?$/)
      for (const { data } of told) expect(data.name).not.toMatch(DIGEST)
    }
    const run = [...steps.values()].flat().findLast(({ data }) => String(data.name).includes('RUN echo'))
    expect(run?.data.cached).toBe(isCached)
    const lines = events.filter(({ type }) => type === 'log').map(({ data }) => data)
    for (const { step } of lines) expect(step).not.toMatch(DIGEST)
    if (!isCached) expect(lines.find(({ line }) => line === `made ${word}`)?.step).toBe(run?.data.name)
  }
}, 180_000)

test('a build that fails points to the last line of the step that failed', async () => {
  const project = await site.project('fails')
  const Dockerfile = `FROM busybox:1\nRUN echo ${randomBytes(6).toString('hex')} before; echo the reason; exit 3\n`
  const ended = await site.ended(await site.start(project, { Dockerfile }))
  expect(ended).toMatchObject({ status: 'failed', error: { code: 'build_failed' } })
  const { body } = await site.api('GET', `/api/deployments/${ended.id}/logs`)
  const shown = body.data.find(({ seq }: { seq: number }) => seq === ended.error?.logSeq)
  expect(shown).toMatchObject({ line: 'the reason', step: expect.stringContaining('RUN echo') })
}, 120_000)

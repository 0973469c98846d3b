import { describe, expect, test } from 'vitest'
import type { BuildEvent } from '../builder.ts'
import { type ProgressDocument, readProgress } from './read.ts'
import { trackSteps } from './steps.ts'
import { explainFailure } from './verdict.ts'

const at = '2026-01-01T00:00:00.5Z'
const run = { digest: 'sha256:1', name: '[2/2] RUN echo hälf' }
const documents: ProgressDocument[] = [
  { vertexes: [run] },
  { vertexes: [{ ...run, started: at }] },
  { logs: [piece('sha256:1', 'one\ntw'), piece('sha256:1', 'o\n}\n{\nh'), piece('sha256:1', Buffer.from([0xc3]))] },
  {
    logs: [
      piece('sha256:1', Buffer.concat([Buffer.from([0xa4]), Buffer.from('lf')])),
      piece('sha256:1', 'oops\r\n', 2),
    ],
  },
  { statuses: [{ id: 'extracting', vertex: 'sha256:1', current: 5, total: 10 }] },
  { vertexes: [{ ...run, started: at, completed: '2026-01-01T00:00:02Z' }] },
]
const indented = documents.map((document) => `${JSON.stringify(document, null, 2)}\n`).join('')
const compact = documents.map((document) => `${JSON.stringify(document)}\n`).join('')

describe.for([
  ['indented documents (buildx 0.13)', indented],
  ['one document per line (newer)', compact],
] as const)('%s', ([, output]) => {
  test('give the same lines wherever the output is cut', () => {
    const whole = Buffer.from(output)
    for (const size of [1, 7, 64, whole.length]) {
      const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, n) =>
        whole.subarray(n * size, (n + 1) * size),
      )
      const { events, text } = readAll(chunks)
      expect(linesOf(events)).toEqual([
        'stdout one',
        'stdout two',
        'stdout }',
        'stdout {',
        'stderr oops',
        'stdout hälf',
      ])
      expect(text).toEqual([])
    }
  })

  test('give steps with their times', () => {
    const { events } = readAll([Buffer.from(output)])
    const steps = events.filter((event) => event.type === 'step')
    expect(steps.map(({ state, durationMs }) => [state, durationMs])).toEqual([
      ['started', null],
      ['finished', 1500],
    ])
    expect(events).toContainEqual({
      type: 'progress',
      step: 'sha256:1',
      what: 'extracting',
      current: 5,
      total: 10,
      done: false,
    })
  })
})

describe('a step', () => {
  const over = { ...run, started: at, completed: at }

  test('that is first reported when it is over has been started before', () => {
    const { events } = readAll(documentsOf({ vertexes: [run] }, { vertexes: [over] }, { vertexes: [over] }))
    expect(events).toMatchObject([
      { state: 'started', startedAt: expect.any(String), finishedAt: null, durationMs: null },
      { state: 'finished', durationMs: 0 },
    ])
  })

  test('that starts again after it was over is told so', () => {
    const { events } = readAll(
      documentsOf({ vertexes: [over] }, { vertexes: [{ ...run, started: at }] }, { vertexes: [over] }),
    )
    expect(events.map((event) => event.type === 'step' && event.state)).toEqual([
      'started',
      'finished',
      'started',
      'finished',
    ])
  })

  test('that never began has no beginning', () => {
    const { events } = readAll(documentsOf({ vertexes: [{ ...run, error: 'context canceled' }] }))
    expect(events).toMatchObject([{ state: 'failed', cancelled: true, startedAt: null }])
  })
})

describe('what is printed', () => {
  test('bears the name of its step', () => {
    const { events } = readAll(
      documentsOf({ vertexes: [run], logs: [piece('sha256:1', 'a\n'), piece('sha256:2', 'b\n')] }),
    )
    expect(events).toMatchObject([
      { step: 'sha256:1', name: run.name, line: 'a' },
      { step: 'sha256:2', name: 'build', line: 'b' },
    ])
  })

  test('a line without an end is cut, not collected', () => {
    const logs = Array.from({ length: 100 }, () => piece('sha256:1', 'x'.repeat(1000)))
    const { events } = readAll(documentsOf({ vertexes: [{ ...run, started: at }] }, { logs }))
    const lines = events.flatMap((event) => (event.type === 'log' ? [event.line.length] : []))
    expect(lines).toEqual([16_384, 16_384, 16_384, 16_384, 16_384, 16_384, 100_000 - 6 * 16_384])
  })

  test('text around the documents stays text, also when it looks like one', () => {
    const { text } = readAll([Buffer.from('{"half\nDockerfile:3\n-----\nERROR: no')])
    expect(text).toEqual(['{"half', 'Dockerfile:3', '-----', 'ERROR: no'])
  })

  test('a clipped log is noticed', () => {
    const logs = [piece('sha256:1', 'a\n[output clipped, log limit 2MiB reached]\n')]
    const { tracker } = readAll(documentsOf({ vertexes: [{ ...run, started: at }] }, { logs }))
    expect(tracker.clipped()).toBe(true)
  })
})

describe('a failed build', () => {
  const failed = {
    ...run,
    started: at,
    completed: at,
    error: 'process "/bin/sh -c exit 7" did not complete successfully: exit code: 7',
  }
  const sibling = {
    digest: 'sha256:0',
    name: '[b 2/2] RUN sleep 9',
    started: at,
    completed: at,
    error: 'failed: context canceled',
  }
  const trailer = `Dockerfile:3\n-----\n   3 | >>> RUN exit 7\n-----\nERROR: failed to solve: ${failed.error}\n`

  test('names the step that failed first, not the siblings it took along', () => {
    const { tracker, text } = readAll([...documentsOf({ vertexes: [sibling, failed] }), Buffer.from(trailer)])
    expect(explainFailure(tracker, text, 'web/Dockerfile')).toEqual({
      message: failed.error,
      file: 'web/Dockerfile',
      line: 3,
      step: 'sha256:1',
      exitCode: 7,
      cancelled: false,
      timedOut: false,
      clipped: false,
    })
    expect(tracker.steps().map((step) => [step.state, step.cancelled])).toEqual([
      ['failed', true],
      ['failed', false],
    ])
  })

  test('a step that failed and then succeeded is not the cause', () => {
    const { tracker } = readAll(
      documentsOf({ vertexes: [failed] }, { vertexes: [{ ...run, started: at, completed: at }] }),
    )
    expect(tracker.firstError()).toBeUndefined()
  })
})

function piece(vertex: string, data: string | Buffer, stream = 1) {
  return { vertex, stream, data: Buffer.from(data).toString('base64'), timestamp: at }
}

function documentsOf(...list: ProgressDocument[]): Buffer[] {
  return list.map((document) => Buffer.from(`${JSON.stringify(document)}\n`))
}

function readAll(chunks: Buffer[]) {
  const events: BuildEvent[] = []
  const text: string[] = []
  const tracker = trackSteps(
    (event) => events.push(event),
    (name) => name,
  )
  const reader = readProgress({ document: tracker.take, text: (line) => text.push(line) })
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  tracker.end()
  return { events, text, tracker }
}

function linesOf(events: BuildEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'log' ? [`${event.stream} ${event.line}`] : []))
}

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { type Bench, HELPER_IMAGE, openBench } from '../../../../test-kit/builder.ts'
import { processesCalled } from '../../../../test-kit/processes.ts'
import { buildxBuilder } from './buildx.ts'

let bench: Bench
const base = 'FROM busybox:1'
/** Never the same command twice, or the engine would answer from its cache. */
const fresh = () => `: ${Math.random()};`
/** A length of sleep that no other process on the machine has. */
const uncommon = () => `${100 + Math.random() * 800}`.slice(0, 12)

beforeAll(() => {
  bench = openBench(labPart('engine'))
})
afterAll(() => bench.close())

describe('a build', () => {
  test('tells its steps, its lines and its image', async () => {
    const project = bench.project()
    await bench.write(project, { 'app.txt': 'hello' })
    const request = bench.request(project, `${base} AS a\nCOPY app.txt /\nRUN ${fresh()} cat /app.txt; echo bad >&2\n`)
    const { result, events } = await bench.run(request)
    if (!result.ok) throw new Error(result.failure.message)
    const image = await bench.ask<{ Id: string }>(`/images/${request.tag}/json`)
    expect(image.Id).toBe(result.imageId)
    const step = result.steps.find(({ name }) => name.includes('RUN'))
    expect(step).toMatchObject({ state: 'finished', cached: false, durationMs: expect.any(Number) })
    const logs = events.filter((event) => event.type === 'log').map(({ step: id, stream, line }) => [id, stream, line])
    expect(logs).toEqual(
      expect.arrayContaining([
        [step?.id, 'stdout', 'hello'],
        [step?.id, 'stderr', 'bad'],
      ]),
    )
    const states = events.flatMap((event) => (event.type === 'step' && event.id === step?.id ? [event.state] : []))
    expect(states).toEqual(['started', 'finished'])
    expect(result.steps.map(({ name }) => name)).toContain('[internal] load build definition from Dockerfile')
  })

  test('repeated without a change is answered from the cache with the same image', async () => {
    const project = bench.project()
    await bench.write(project, { 'app.txt': 'hello' })
    const text = `${base}\nCOPY app.txt /\nRUN ${fresh()} true\n`
    const first = await bench.run(bench.request(project, text))
    const second = await bench.run(bench.request(project, text))
    const third = await bench.run(bench.request(project, text, { noCache: true }))
    if (!first.result.ok || !second.result.ok || !third.result.ok) throw new Error('a build failed')
    expect(second.result.imageId).toBe(first.result.imageId)
    expect(second.result.cacheHits).toBeGreaterThan(first.result.cacheHits)
    expect(second.result.steps.find(({ name }) => name.includes('RUN'))?.cached).toBe(true)
    expect(third.result.steps.find(({ name }) => name.includes('RUN'))?.cached).toBe(false)
  })

  test('takes arguments (none that steer BuildKit), a stage, a Dockerfile of the source with an ignore file of its own', async () => {
    const project = bench.project()
    const dockerfile = `${base} AS one\nARG WHO\nCOPY . /in\nRUN ${fresh()} ls /in; echo "for $WHO"\n${base}\nRUN exit 1\n`
    await bench.write(project, { 'deploy/App.Dockerfile': dockerfile, 'deploy/App.Dockerfile.dockerignore': 'secret*' })
    await bench.write(project, { 'secret.txt': '', 'public.txt': '' })
    const more = {
      dockerfile: { inContext: 'deploy/App.Dockerfile' },
      target: 'one',
      args: { WHO: 'you', BUILDKIT_SYNTAX: 'evil.example/x' },
    }
    const { result, lines } = await bench.run(bench.request(project, '', more))
    expect(result.ok).toBe(true)
    expect(lines).toEqual(['deploy', 'public.txt', 'for you'])
  })

  test('prints 20,000 lines, and all of them arrive in order', async () => {
    const text = `${base}\nRUN ${fresh()} awk 'BEGIN { for (i = 0; i < 20000; i++) print "line " i }'\n`
    const { result, lines } = await bench.run(bench.request(bench.project(), text))
    expect(result).toMatchObject({ ok: true, clipped: false })
    expect(lines).toHaveLength(20_000)
    expect(lines.every((line, n) => line === `line ${n}`)).toBe(true)
  })
})

describe('a build that its Dockerfile broke', () => {
  test('names the step, the file, the line and the exit code of a failing command', async () => {
    const other = `${base} AS b\nRUN sleep 20\n`
    const text = `${base} AS a\nRUN true\nRUN ${fresh()} echo no \\\n && exit 7\n${other}FROM a\nCOPY --from=b /etc/passwd /x\n`
    const { result } = await bench.run(bench.request(bench.project(), text))
    if (result.ok) throw new Error('it succeeded')
    expect(result.failure).toMatchObject({
      file: 'Dockerfile',
      line: 3,
      exitCode: 7,
      cancelled: false,
      timedOut: false,
    })
    const failed = result.steps.find(({ id }) => id === result.failure.step)
    expect(failed).toMatchObject({ name: expect.stringMatching(/^\[a 3\/3\] RUN/), state: 'failed', cancelled: false })
  })

  test.for([
    ['an unknown instruction', 'FROM busybox:1\nFOO bar\n', /unknown instruction/, 2],
    ['a missing source file', 'FROM busybox:1\n\nCOPY nope /\n', /nope.*not found/, 3],
    [
      'the way to the host network',
      'FROM busybox:1\nRUN --network=host true\n',
      /network.host is not allowed/,
      undefined,
    ],
    ['an image of the platform', 'ARG B=slipway.invalid/x\nFROM $B\n', /another project/, 2],
    ['a foreign frontend', '# syntax=evil.example/x\nFROM busybox:1\n', /syntax evil.example\/x is not allowed/, 1],
  ] as const)('says what is wrong: %s', async ([, text, message, line]) => {
    const { result } = await bench.run(bench.request(bench.project(), text))
    if (result.ok) throw new Error('it succeeded')
    expect(result.failure.message).toMatch(message)
    expect(result.failure.line).toBe(line)
  })

  test('a Dockerfile that is missing, or a link that leads out of the source, is not there', async () => {
    for (const inContext of ['Dockerfile', '../../../../etc/passwd']) {
      const { result } = await bench.run(bench.request(bench.project(), '', { dockerfile: { inContext } }))
      expect(result).toMatchObject({ ok: false, failure: { message: `There is no file ${inContext} in the source.` } })
    }
  })
})

describe('limits', () => {
  const tight = { memoryBytes: 64 << 20, cpus: 0.2, pids: 30 }

  test('four gigabytes of memory are not to be had', async () => {
    const text = `${base}\nRUN ${fresh()} awk 'BEGIN { s = "x"; for (i = 0; i < 32; i++) s = s s; print length(s) }'\n`
    const { result } = await bench.run(bench.request(bench.project(), text, { limits: { ...tight, cpus: 1 } }))
    expect(result).toMatchObject({ ok: false, failure: { exitCode: 137 } })
  })

  test('a fork bomb stops at the number of processes', async () => {
    const text = `${base}\nRUN ${fresh()} for i in $(seq 300); do sleep 3 & done; wait\n`
    const { result, lines } = await bench.run(bench.request(bench.project(), text, { limits: tight }))
    expect(result).toMatchObject({ ok: false, failure: { exitCode: 2 } })
    expect(lines.join('\n')).toContain("can't fork")
  })

  test('busy loops share the processor time of one project', async () => {
    const loop = `timeout 2 awk 'BEGIN { for (;;) i++ }'`
    const text = `${base}\nRUN ${fresh()} ${loop} & ${loop} & wait; awk '{ print $16 + $17 }' /proc/1/stat\n`
    const { result, lines } = await bench.run(bench.request(bench.project(), text, { limits: tight }))
    expect(result.ok).toBe(true)
    // In hundredths of a second: two loops of 2 s would take 400.
    expect(Number(lines.at(-1))).toBeLessThan(100)
  })

  test('that were raised and lowered again bind as the last build says', async () => {
    const project = bench.project()
    const hungry = () => `${base}\nRUN ${fresh()} awk 'BEGIN { s = "x"; for (i = 0; i < 26; i++) s = s s }'\n`
    const outcomes: boolean[] = []
    for (const memoryBytes of [32 << 20, 512 << 20, 32 << 20]) {
      const limits = { ...tight, cpus: 2, memoryBytes }
      outcomes.push((await bench.run(bench.request(project, hungry(), { limits }))).result.ok)
    }
    expect(outcomes).toEqual([false, true, false])
  })
})

describe('a build that is ended', () => {
  test('by its caller is gone from the engine at once', async () => {
    const nap = uncommon()
    const stop = new AbortController()
    const building = bench.run(bench.request(bench.project(), `${base}\nRUN sleep ${nap}\n`), stop.signal)
    await expect.poll(() => processesCalled('sleep', nap)).toHaveLength(1)
    stop.abort()
    // It would sleep for minutes.
    await expect.poll(() => processesCalled('sleep', nap)).toEqual([])
    expect((await building).result).toMatchObject({ ok: false, failure: { cancelled: true, timedOut: false } })
  })

  test('before it began is cancelled too', async () => {
    const { result } = await bench.run(bench.request(bench.project(), `${base}\n`), AbortSignal.abort())
    expect(result).toMatchObject({ ok: false, failure: { cancelled: true }, steps: [] })
  })

  test('by its deadline says so', async () => {
    const nap = uncommon()
    const request = bench.request(bench.project(), `${base}\nRUN sleep ${nap}\n`, { deadlineMs: 2500 })
    const { result } = await bench.run(request)
    expect(result).toMatchObject({ ok: false, failure: { cancelled: false, timedOut: true } })
    await expect.poll(() => processesCalled('sleep', nap)).toEqual([])
  })
})

describe('what stands in the way of building is thrown', () => {
  test('an engine that is not there', async () => {
    const engine = { kind: 'local', socketPath: join(bench.folder, 'none.sock') } as const
    const building = bench.run(bench.request(bench.project(), base, { engine }))
    await expect(building).rejects.toMatchObject({ code: 'engine_unreachable', hint: expect.any(String) })
  })

  test('a helper image that is not on the engine, a buildx that is not on the machine', async () => {
    const options = {
      buildx: labPart('engine').buildx,
      scratch: bench.scratch,
      instance: 'x',
      helperImage: HELPER_IMAGE,
    }
    const build = (more: object) =>
      buildxBuilder({ ...options, ...more }).build(
        bench.request(bench.project(), base),
        () => {},
        new AbortController().signal,
      )
    await expect(build({ helperImage: 'slipway.invalid/none:1' })).rejects.toMatchObject({
      code: 'helper_image_missing',
    })
    await expect(build({ buildx: '/no/buildx' })).rejects.toMatchObject({ code: 'buildx_missing' })
  })

  test.for([
    ['a context that is not named after the project', { context: '/tmp' }],
    ['an argument whose name is none', { args: { 'a b': '' } }],
    ['a secret whose name would be another option', { secrets: { 'x,src=/etc/passwd': '' } }],
    ['a limit that limits nothing', { limits: { memoryBytes: Number.POSITIVE_INFINITY, cpus: 1, pids: 1 } }],
    ['a secret longer than an environment holds', { secrets: { x: 'x'.repeat(200_000) } }],
  ] as const)('%s', async ([, more]) => {
    const building = bench.builder.build(
      bench.request(bench.project(), base, more),
      () => {},
      AbortSignal.timeout(9000),
    )
    await expect(building).rejects.toMatchObject({ code: 'request_invalid' })
  })
})

test('a build leaves its image and nothing else', async () => {
  const project = bench.project()
  expect((await bench.run(bench.request(project, `${base}\nRUN ${fresh()} true\n`))).result.ok).toBe(true)
  expect(readdirSync(join(bench.scratch, 'work'))).toEqual([])
  const containers = await bench.ask<{ Mounts: { Source: string }[] }[]>('/containers/json?all=1')
  expect(containers.filter(({ Mounts }) => Mounts.some(({ Source }) => Source.includes(project)))).toEqual([])
})

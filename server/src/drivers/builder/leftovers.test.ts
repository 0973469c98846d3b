import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { type Bench, HELPER_IMAGE, openBench } from '../../../../test-kit/builder.ts'
import { processesCalled } from '../../../../test-kit/processes.ts'
import type { BuildRequest } from './builder.ts'
import { markOf } from './leftovers.ts'

let bench: Bench
const uncommon = () => `${100 + Math.random() * 800}`.slice(0, 12)

beforeAll(() => {
  bench = openBench(labPart('engine'))
})
afterAll(() => bench.close())

describe('an owner killed with -9', () => {
  test('takes its build along, and its files go at the next start', async () => {
    const nap = uncommon()
    const request = bench.request(bench.project(), `FROM busybox:1\nRUN sleep ${nap}\n`)
    const owner = startOwner(request)
    await expect.poll(() => processesCalled('sleep', nap)).toHaveLength(1)
    owner.kill('SIGKILL')
    // It would sleep for minutes.
    await expect.poll(() => processesCalled('sleep', nap)).toEqual([])
    expect(readdirSync(join(bench.scratch, 'work'))).toHaveLength(1)
    await bench.builder.endLeftovers()
    expect(readdirSync(join(bench.scratch, 'work'))).toEqual([])
  })
})

describe('a build whose owner is gone', () => {
  test('and that missed the signal is found and ended', async () => {
    const stray = mark(`${bench.instance}/999999.1/dep_stray/web`)
    expect(await bench.builder.endLeftovers()).toEqual(['dep_stray'])
    expect(await ended(stray)).toBe('SIGKILL')
    expect(await bench.builder.endLeftovers()).toEqual([])
  })

  test('and one of a living owner that has lost it, are ended by whoever has it now', async () => {
    const [ours, others, another] = [
      markOf(bench.instance, { build: 'dep_lost', service: 'web' }).value,
      `${bench.instance}/1.1/dep_lost/web`,
      `${bench.instance}/1.1/dep_else/web`,
    ].map(mark) as [ChildProcess, ChildProcess, ChildProcess]
    await bench.builder.endBuild('dep_lost')
    expect(await ended(others)).toBe('SIGKILL')
    expect([ours.signalCode, another.signalCode]).toEqual([null, null])
    await Promise.all([ours, another].map(endNow))
  })

  test('is told from one of a living owner, and from those of another installation', async () => {
    const ourMark = markOf(bench.instance, { build: 'dep_ours', service: 'web' }).value
    const ours = mark(ourMark)
    const foreign = mark('another/999999.1/dep_foreign/web')
    const folder = join(bench.scratch, 'work', `${ourMark.split('/')[1]}-abc`)
    mkdirSync(folder, { recursive: true })
    expect(await bench.builder.endLeftovers()).toEqual([])
    expect([ours.exitCode, foreign.exitCode]).toEqual([null, null])
    expect(existsSync(folder)).toBe(true)
    await Promise.all([ours, foreign].map(endNow))
  })
})

function mark(value: string): ChildProcess {
  return spawn('/usr/bin/sleep', ['60'], { env: { SLIPWAY_BUILD: value }, stdio: 'ignore' })
}

/** The next test looks for what is left of such processes. */
function endNow(child: ChildProcess) {
  child.kill('SIGKILL')
  return ended(child)
}

function ended(child: ChildProcess): Promise<NodeJS.Signals | null> {
  return new Promise((resolve) => {
    if (child.signalCode) resolve(child.signalCode)
    else child.once('exit', (_, signal) => resolve(signal))
  })
}

/** A process of its own that builds, as the server would. */
function startOwner(request: BuildRequest): ChildProcess {
  mkdirSync(request.context, { recursive: true })
  const { buildx } = labPart('engine')
  const options = { buildx, scratch: bench.scratch, instance: bench.instance, helperImage: HELPER_IMAGE }
  const program = join(bench.folder, 'owner.mjs')
  writeFileSync(
    program,
    `import { buildxBuilder } from ${JSON.stringify(join(import.meta.dirname, 'buildx.ts'))}
    const [options, request] = JSON.parse(process.argv[2])
    await buildxBuilder(options).build(request, () => {}, new AbortController().signal)`,
  )
  return spawn(process.execPath, [program, JSON.stringify([options, request])], { stdio: 'inherit' })
}

describe('steps that outlived their engine', () => {
  test('are ended before the next build of their project begins, and those of another project are not', async () => {
    const [project, other] = [bench.project(), bench.project()]
    const naps = await Promise.all([project, other].map((one) => strayStep(one)))
    await bench.run(bench.request(project, 'FROM busybox:1\nRUN true\n'))
    await expect.poll(() => processesCalled('sleep', naps[0]?.nap ?? '')).toEqual([])
    expect(processesCalled('sleep', naps[1]?.nap ?? '')).toHaveLength(1)
    for (const { id } of naps) await bench.ask(`/containers/${id}?force=1`, 'DELETE')
  })
})

/** A process in the cgroup of a project's steps. */
async function strayStep(project: string): Promise<{ id: string; nap: string }> {
  const nap = uncommon()
  const { Id } = await bench.ask<{ Id: string }>('/containers/create', 'POST', {
    Image: HELPER_IMAGE,
    Cmd: ['sleep', nap],
    User: '1000',
    HostConfig: { CgroupParent: `/slipway/${project}`, NetworkMode: 'none' },
  })
  await bench.ask(`/containers/${Id}/start`, 'POST')
  await expect.poll(() => processesCalled('sleep', nap)).toHaveLength(1)
  return { id: Id, nap }
}

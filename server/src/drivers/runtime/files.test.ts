import { randomBytes } from 'node:crypto'
import type Docker from 'dockerode'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { trialRuntime, trialSpec } from '../../../../test-kit/runtime.ts'
import { until } from '../../../../test-kit/until.ts'
import type { FileAnswer } from '../engine/answers.ts'
import { callEngine } from '../engine/ask.ts'
import { connectEngine } from '../engine/connect.ts'
import { having, LABEL } from './labels.ts'
import type { LaidFile, ServiceSpec } from './rollout/spec.ts'

const engine = { kind: 'local', socketPath: labPart('engine').socket } as const
const instance = `test-files-${randomBytes(4).toString('hex')}`
const runtime = trialRuntime({ instance })
const project = `prj_f${randomBytes(4).toString('hex')}`
const { signal } = new AbortController()
let docker: Docker
let close: () => void

beforeAll(async () => {
  ;({ docker, close } = await connectEngine(engine, { signal, deadlineMs: 20_000 }))
})
afterAll(async () => {
  await runtime.withdraw(engine, project, { signal, atOnce: true })
  await runtime.owner.release(engine, 'org_rtest', { signal })
  close()
  runtime.close()
}, 60_000)

const file = (kind: LaidFile['kind'], text: string, target: string, more: Partial<LaidFile> = {}): LaidFile => {
  const content = Buffer.from(text).toString('base64')
  return { kind, name: target.slice(1), content, target, uid: '0', gid: '0', mode: 0o444, ...more }
}

/** Prints what it finds at its targets, and stays. */
const reader = (files: LaidFile[]) => `
const fs = require('fs'), mounts = fs.readFileSync('/proc/mounts', 'utf8')
for (const path of ${JSON.stringify(files.map(({ target }) => target))}) {
  const { uid, gid, mode } = fs.statSync(path)
  const inMemory = new RegExp('^tmpfs ' + path + ' ', 'm').test(mounts)
  console.log(path, fs.readFileSync(path, 'utf8'), uid, gid, (mode & 0o7777).toString(8), inMemory ? 'memory' : 'disk')
}
setInterval(() => {}, 1000)`

function spec(service: string, deployment: string, files: LaidFile[]): ServiceSpec {
  const { healthcheck } = trialSpec({ project, service, deployment }, 'good')
  const own = { entrypoint: ['node', '-e', reader(files)], files, monitorMs: 500, stopGraceMs: 500 }
  return trialSpec({ project, service, deployment }, 'good', { ...own, healthcheck: { ...healthcheck, kind: 'none' } })
}

async function up(wanted: ServiceSpec) {
  const applied = await runtime.apply(engine, wanted, { signal })
  const watched = { deployment: wanted.deployment, signal, stableMs: 100 }
  expect(await runtime.watch(engine, wanted, watched)).toMatchObject({ outcome: 'healthy' })
  return applied
}

async function printed(wanted: ServiceSpec): Promise<string[]> {
  return until('what it prints', 45_000, async () => {
    const lines: string[] = []
    for await (const { line } of runtime.logs(engine, wanted, { signal, tail: 50 })) lines.push(line)
    return lines.length >= (wanted.files?.length ?? 0) && lines
  })
}

async function kept(kind: LaidFile['kind']): Promise<FileAnswer[]> {
  const query = { filters: having({ [LABEL.instance]: instance, [LABEL.project]: project }) }
  return callEngine(docker, { path: `/${kind}s`, query }, signal)
}
const later = () => new Date(Date.now() + 60_000)
const roots = { services: [], networks: [], images: [], projects: [project] }

test('files are in the container with their owner and mode, and in memory only', async () => {
  const files = [
    file('config', 'a=1', '/etc/app/a.conf'),
    file('config', 'a=1', '/etc/app/b.conf', { uid: '1000', gid: '1001', mode: 0o640 }),
    file('secret', 'hush', '/run/secrets/key', { uid: '1000', gid: '1000', mode: 0o400 }),
    file('secret', 'hush', '/opt/key', { mode: 0o440 }),
  ]
  const wanted = spec('reads', 'v1', files)
  await up(wanted)
  expect((await printed(wanted)).toSorted()).toEqual([
    '/etc/app/a.conf a=1 0 0 444 memory',
    '/etc/app/b.conf a=1 1000 1001 640 memory',
    '/opt/key hush 0 0 440 memory',
    '/run/secrets/key hush 1000 1000 400 memory',
  ])
  const shown = JSON.stringify([await kept('secret'), await runtime.observe(engine, project, { signal })])
  expect(shown).not.toContain('hush')
  expect(shown).not.toContain(Buffer.from('hush').toString('base64'))
})

test('several who need the same new file at once make one of it', async () => {
  const others = [1, 2, 3, 4].map(() => trialRuntime({ instance }))
  const wanted = others.map((_, at) => spec(`same${at}`, 'v1', [file('secret', `shared ${project}`, '/key')]))
  const done = await Promise.all(
    wanted.flatMap((one, at) => [
      others[at]?.apply(engine, one, { signal }),
      others[(at + 1) % 4]?.apply(engine, one, { signal }),
    ]),
  )
  expect(done.filter((one) => one?.did === 'created')).toHaveLength(4)
  expect((await kept('secret')).filter(({ Spec }) => Spec.Labels?.[LABEL.file] === 'key')).toHaveLength(1)
  for (const other of others) other.close()
})

test('what nothing refers to is collected, and a spec that is restored has it again', async () => {
  const version = (at: number) => spec('rolls', `v${at}`, [file('config', `version ${at}`, '/version')])
  const first = version(1)
  await up(first)
  const configs = async () =>
    (await kept('config')).filter(({ Spec }) => Spec.Labels?.[LABEL.file] === 'version').map(({ Spec }) => Spec.Name)
  const [name] = await configs()
  await up(version(2))
  // The engine could still go back to it.
  expect(await runtime.collectGarbage(engine, { ...roots, before: later() }, { signal })).toMatchObject({ files: [] })
  await up(version(3))
  const young = { ...roots, before: new Date(Date.now() - 600_000) }
  expect(await runtime.collectGarbage(engine, young, { signal })).toMatchObject({ files: [] })
  const gone = await runtime.collectGarbage(engine, { ...roots, before: later() }, { signal })
  expect(gone).toMatchObject({ files: [name], services: [], kept: [] })
  expect(await configs()).toHaveLength(2)
  await up(first)
  expect(await configs()).toContain(name)
  expect(await printed(first)).toContain('/version version 1 0 0 444 memory')
}, 60_000)

test('what the engine would not take is refused in words without the content', async () => {
  const refused = (one: LaidFile) =>
    runtime.apply(engine, spec('no', 'v1', [one]), { signal }).catch((error: Error) => error)
  expect(await refused(file('secret', '', '/key'))).toMatchObject({ code: 'spec_refused' })
  const big = await refused(file('secret', 'topsecret'.repeat(60_000), '/key'))
  expect(big).toMatchObject({ code: 'spec_refused', message: expect.stringContaining('540000 bytes') })
  expect(JSON.stringify(big, Object.getOwnPropertyNames(big))).not.toContain('topsecret')
  // One byte less than what we refuse is what the engine takes.
  await runtime.apply(engine, spec('most', 'v1', [file('secret', 'x'.repeat(511_999), '/key')]), { signal })
  const config = file('config', 'x'.repeat(1_023_999), '/big')
  await runtime.apply(engine, spec('most', 'v2', [config]), { signal, interrupt: true })
})

test('a project that is withdrawn leaves no files; the mark of the engine stays', async () => {
  await runtime.owner.claim(engine, 'org_rtest', { signal })
  expect((await kept('secret')).length).toBeGreaterThan(0)
  await runtime.withdraw(engine, project, { signal, atOnce: true })
  expect([...(await kept('secret')), ...(await kept('config'))]).toEqual([])
  expect(await runtime.owner.read(engine, { signal })).toMatchObject({ org: 'org_rtest' })
})

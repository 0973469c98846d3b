import { randomBytes } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { trialRuntime, trialSpec } from '../../../../test-kit/runtime.ts'
import { until } from '../../../../test-kit/until.ts'
import { callEngine } from '../engine/ask.ts'
import { connectEngine } from '../engine/connect.ts'
import { FILES_VOLUME, LABEL, projectVolume } from './labels.ts'
import type { VolumeFile } from './put-files.ts'
import type { ServiceSpec } from './rollout/spec.ts'

const engine = { kind: 'local', socketPath: labPart('engine').socket } as const
const instance = `test-volumes-${randomBytes(4).toString('hex')}`
const runtime = trialRuntime({ instance })
const project = `prj_v${randomBytes(4).toString('hex')}`
const volume = projectVolume(project, FILES_VOLUME)
const { signal } = new AbortController()

/** What nobody has any more counts until it is collected, and when that is, is up to the machine. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

afterAll(async () => {
  await runtime.withdraw(engine, project, { signal, atOnce: true })
  await until(
    'ended containers',
    45_000,
    async () => (await runtime.removeEnded(engine, project, { signal })).alive === 0,
  )
  for (const { name } of await runtime.volumes.list(engine, project, { signal })) {
    await runtime.volumes.remove(engine, project, name, { signal })
  }
  runtime.close()
}, 60_000)

async function* these(files: VolumeFile[]) {
  yield* files
}
const put = (files: AsyncIterable<VolumeFile>, image = 'busybox:1') =>
  runtime.putFiles(engine, { org: 'org_rtest', project, image, files }, { signal })
const text = (path: string, body: string, mode = 0o644): VolumeFile => ({ path, mode, body: Buffer.from(body) })

/** Runs a script to its end with the volume, and gives back what it printed. */
async function run(service: string, script: string, volumes: ServiceSpec['volumes']): Promise<string[]> {
  const own = { entrypoint: ['node', '-e', script], job: true, restart: 'never' as const, volumes }
  const spec = trialSpec({ project, service, deployment: 'v1' }, 'good', own)
  await runtime.apply(engine, spec, { signal })
  const outcome = await runtime.watch(engine, spec, { deployment: 'v1', signal, deadlineMs: 30_000 })
  expect(outcome).toMatchObject({ outcome: 'healthy' })
  return until('its lines', 45_000, async () => {
    const lines: string[] = []
    for await (const { line } of runtime.logs(engine, spec, { signal, tail: 50 })) lines.push(line)
    return lines.at(-1) === 'end' && lines.slice(0, -1)
  })
}
const print = (expression: string) => `const fs = require('fs'); ${expression}; console.log('end')`
const whole = [{ name: volume, target: '/files', readOnly: false }]

test('files are written with their modes, replaced by the next, and others stay', async () => {
  const long = `${'deep/'.repeat(40)}ünï.txt`
  const files = [text('conf/a.txt', 'one'), text('run.sh', '#!', 0o755), text('empty', ''), text(long, 'far')]
  expect(await put(these([...files, { path: 'data', folder: true }]))).toEqual({ volume })
  await put(these([text('conf/a.txt', 'two'), text('conf/b.txt', 'three')]))
  const names = ['conf/a.txt', 'conf/b.txt', 'run.sh', 'empty', long, 'data']
  const seen = await run(
    'looks',
    print(
      `for (const name of ${JSON.stringify(names)}) { const path = '/files/' + name, stat = fs.statSync(path); console.log((stat.mode & 0o777).toString(8), stat.isFile() ? fs.readFileSync(path, 'utf8') : 'folder') }`,
    ),
    whole,
  )
  expect(seen).toEqual(['644 two', '644 three', '755 #!', '644 ', '644 far', '755 folder'])
})

test('a part of the volume is mounted alone, a folder or a single file, and nothing of the image is copied', async () => {
  await put(these([text('site/index.html', 'hello'), text('site/secret/x', '1'), text('one.conf', 'only')]))
  const part = (subpath: string, target: string) => ({ name: volume, target, readOnly: true, subpath, copy: false })
  const script = print(
    `console.log(fs.readdirSync('/www').sort().join()); console.log(fs.readFileSync('/etc/one.conf', 'utf8')); try { fs.writeFileSync('/www/no', '') } catch (error) { console.log(error.code) }`,
  )
  const seen = await run('part', script, [part('site', '/www'), part('one.conf', '/etc/one.conf')])
  expect(seen).toEqual(['index.html,secret', 'only', 'EROFS'])
})

test('a part that is not there, or leads out of the volume, keeps the container from starting', async () => {
  await run('plants', print(`fs.symlinkSync('/etc', '/files/out')`), whole)
  for (const [service, subpath, detail] of [
    ['missing', 'no/such', 'the path no/such is not in its volume'],
    ['escapes', 'out', 'the path out leads out of its volume'],
  ] as const) {
    const volumes = [{ name: volume, target: '/x', readOnly: true, subpath, copy: false }]
    const own = { entrypoint: ['node', '-e', ''], job: true, restart: 'never' as const, volumes }
    const spec = trialSpec({ project, service, deployment: 'v1' }, 'good', own)
    await runtime.apply(engine, spec, { signal })
    const watched = { deployment: 'v1', signal, deadlineMs: 20_000 }
    const cause = { reason: 'rejected', detail }
    expect(await runtime.watch(engine, spec, watched)).toMatchObject({ outcome: 'never-came-up', cause })
  }
}, 60_000)

test('a link that was planted in the volume leads nowhere', async () => {
  const planted = `fs.mkdirSync('/files/trap', { recursive: true }); fs.symlinkSync('/etc', '/files/trap/x'); fs.symlinkSync('../../../../../../etc', '/files/trap/y'); fs.symlinkSync('/etc/planted', '/files/trap/z'); fs.symlinkSync('/no/where', '/files/trap/w')`
  await run('trap', print(planted), whole)
  const evil = ['x', 'y'].map((link) => text(`trap/${link}/slipway-evil`, 'evil'))
  // They are written into the container, which is thrown away.
  await put(these([...evil, text('trap/z', 'mine')]))
  await expect(put(these([text('trap/w/evil', '')]))).rejects.toMatchObject({ code: 'spec_refused' })
  const look = print(
    `console.log(fs.existsSync('/etc/slipway-evil'), fs.lstatSync('/files/trap/z').isSymbolicLink(), fs.existsSync('/etc/planted'))`,
  )
  expect(await run('after', look, whole)).toEqual(['false false false'])
  const { existsSync } = await import('node:fs')
  expect(existsSync('/etc/slipway-evil')).toBe(false)
  expect(existsSync('/etc/planted')).toBe(false)
})

test('paths that lead out are refused, a source that breaks is told, and no container stays', async () => {
  for (const path of ['/abs', '../up', 'a/../../b', '']) {
    await expect(put(these([text(path, 'x')]))).rejects.toMatchObject({ code: 'spec_refused' })
  }
  async function* broken() {
    yield text('before', 'x')
    throw new Error('the source is gone')
  }
  await expect(put(broken())).rejects.toThrow('the source is gone')
  await expect(put(these([]), 'slipway.invalid/none:1')).rejects.toMatchObject({ code: 'image_missing' })
  const stuck = new AbortController()
  async function* endless() {
    for (let at = 0; ; at++) {
      if (at === 20) stuck.abort(new Error('enough'))
      yield { path: `big/${at % 5}`, mode: 0o644, body: Buffer.alloc(1_000_000) }
    }
  }
  const wanted = { org: 'org_rtest', project, image: 'busybox:1', files: endless() }
  await expect(runtime.putFiles(engine, wanted, { signal: stuck.signal })).rejects.toThrow('enough')
  const { docker, close } = await connectEngine(engine, { signal, deadlineMs: 20_000 })
  const query = { all: true, filters: { label: [`${LABEL.instance}=${instance}`, LABEL.look] } }
  const left = () => callEngine<object[]>(docker, { path: '/containers/json', query }, signal)
  await until('no container', 45_000, async () => (await left()).length === 0)
  close()
})

test('it is sent no faster than the engine takes it', async () => {
  let most = 0
  const held = () => {
    collectGarbage()
    return process.memoryUsage().arrayBuffers
  }
  async function* large() {
    const before = held()
    for (let at = 0; at < 100; at++) {
      yield { path: `large/${at % 3}`, mode: 0o644, body: Buffer.alloc(2_000_000) }
      if (at % 10 === 9) most = Math.max(most, held() - before)
    }
  }
  await put(large())
  expect(most).toBeLessThan(40_000_000)
})

test('volumes are listed with what the project calls them, and removed when nobody has them', async () => {
  const listed = await runtime.volumes.list(engine, project, { signal })
  expect(listed).toEqual([{ name: volume, key: FILES_VOLUME, createdAt: expect.any(String) }])
  await expect(runtime.volumes.remove(engine, project, volume, { signal })).rejects.toMatchObject({ code: 'in_use' })
  await runtime.withdraw(engine, project, { signal })
  expect(await runtime.volumes.list(engine, project, { signal })).toHaveLength(1)
  await until(
    'ended containers',
    45_000,
    async () => (await runtime.removeEnded(engine, project, { signal })).alive === 0,
  )
  const other = trialRuntime({ instance: 'test-volumes-other' })
  await expect(other.volumes.remove(engine, project, volume, { signal })).rejects.toMatchObject({ code: 'name_taken' })
  other.close()
  await until('nobody has it', 45_000, () =>
    runtime.volumes.remove(engine, project, volume, { signal }).catch(() => false),
  )
  expect(await runtime.volumes.remove(engine, project, volume, { signal })).toBe(false)
  expect(await runtime.volumes.list(engine, project, { signal })).toEqual([])
})

test('a network can be without a way to the outside, and stays what it is', async () => {
  const name = `${project}-inner`
  const { docker, close } = await connectEngine(engine, { signal, deadlineMs: 20_000 })
  for (const internal of [true, false]) {
    await runtime.ensureNetwork(engine, name, { signal, org: 'org_rtest', project, internal })
    expect(await callEngine(docker, { path: `/networks/${name}` }, signal)).toMatchObject({ Internal: true })
  }
  await runtime.removeNetwork(engine, name, { signal })
  close()
})

test('a volume that mounts something else, or is of another project or of the edge, is not given to a service', async () => {
  const { docker, close } = await connectEngine(engine, { signal, deadlineMs: 10_000 })
  const make = (name: string, Labels: Record<string, string>, Options: Record<string, string>) =>
    callEngine(
      docker,
      { method: 'POST', path: '/volumes/create', body: { Name: name, Labels, DriverOpts: Options } },
      signal,
    )
  const ours = { [LABEL.instance]: instance, [LABEL.project]: project }
  const [bad, others, memory] = ['bad', 'others', 'memory'].map((key) => projectVolume(project, key)) as [
    string,
    string,
    string,
  ]
  // As the edge's own is, which holds the keys of all certificates.
  const unlabelled = `${instance}-edge`
  await make(bad, ours, { type: 'tmpfs', device: '/', o: 'rbind' })
  await make(others, { ...ours, [LABEL.project]: 'prj_other' }, {})
  await make(unlabelled, {}, {})
  await make(memory, ours, { type: 'tmpfs', device: 'tmpfs', o: 'size=4096,nosuid,nodev' })
  const apply = (name: string) =>
    runtime.apply(
      engine,
      trialSpec({ project, service: 'takes', deployment: 'v1' }, 'good', {
        volumes: [{ name, target: '/x', readOnly: true }],
      }),
      { signal },
    )
  try {
    await expect(apply(bad)).rejects.toMatchObject({ code: 'volume_unsafe' })
    for (const name of [others, unlabelled]) await expect(apply(name)).rejects.toMatchObject({ code: 'name_taken' })
    await expect(apply(memory)).resolves.toMatchObject({ did: 'created' })
    expect(await runtime.volumes.mounting(engine, { signal })).toEqual([bad])
  } finally {
    for (const name of [bad, others, unlabelled])
      await callEngine(docker, { method: 'DELETE', path: `/volumes/${name}` }, signal)
    close()
  }
})

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { labPart } from '../../../../../lab/ask.ts'
import { dockerApi } from '../../../../../lab/docker.ts'
import { daemonCalled } from '../../../../../lab/group.ts'
import type { EngineTarget } from '../../engine/engine.ts'
import { hostKeyOfLine } from '../../ssh/host-key.ts'
import { serverReading } from './open-reader.ts'
import { readContainer } from './read-container.ts'

const host = labPart('host2')
const folder = mkdtempSync(join(tmpdir(), 'slipway-reading-'))
const tag = `reading${process.pid}`
const reading = serverReading({ instance: tag })
const far: EngineTarget = {
  kind: 'ssh',
  socketPath: host.remoteSocket,
  ssh: {
    host: host.address,
    port: host.port,
    user: host.user,
    privateKey: readFileSync(host.keyFile, 'utf8'),
    hostKey: hostKeyOfLine(readFileSync(host.hostKeyFile, 'utf8')),
  },
}
const made: string[] = []
const create = async (name: string, settings: object = {}) => {
  const body = { Image: 'busybox:1', Cmd: ['true'], ...settings }
  const { Id } = JSON.parse(await dockerApi(host.socket, 'POST', `/containers/create?name=${tag}-${name}`, body))
  made.push(Id)
  return Id as string
}

beforeAll(async () => {
  for (let n = 0; n < 3; n++) await create(`n${n}`)
})
afterAll(async () => {
  for (const id of made) await dockerApi(host.socket, 'DELETE', `/containers/${id}?force=1`)
  rmSync(folder, { recursive: true })
})

/** What passes on its way to the engine. */
async function recorder() {
  const asked: string[] = []
  const socketPath = join(folder, 'recorded.sock')
  const server = createServer((incoming, answer) => {
    asked.push(incoming.method ?? '')
    const { method, url, headers } = incoming
    const onward = request({ socketPath: host.socket, method, path: url, headers }, (from) => {
      answer.writeHead(from.statusCode ?? 500, from.headers)
      from.pipe(answer)
    })
    incoming.pipe(onward)
  })
  await new Promise<void>((listening) => server.listen(socketPath, listening))
  return { asked, socketPath, close: () => server.close() }
}

test('everything that can be asked is asked with GET', async () => {
  const { asked, socketPath, close } = await recorder()
  const reader = await reading.open({ kind: 'local', socketPath }, { signal: new AbortController().signal })
  try {
    const { manager } = await reader.engine()
    const { containers } = await reader.containers(2000)
    await reader.images(containers.flatMap(({ imageId, run }) => [imageId, run.image, 'no-such-image:1', '../x']))
    await Promise.all([
      reader.volumes(),
      reader.networks(),
      reader.volumeSizes(8000),
      manager && reader.services(),
      reader.owner(),
    ])
    expect(new Set(asked)).toEqual(new Set(['GET']))
    expect(reader.cost.requests).toBe(asked.length)
  } finally {
    reader.close()
    close()
  }
})

test('nothing that looks at files can open one to write', async () => {
  const reader = await reading.open(far, { signal: new AbortController().signal })
  try {
    const { files } = reader
    expect(Object.keys(files ?? {}).sort()).toEqual(['cost', 'facts', 'linkTarget', 'list', 'read', 'realpath'])
    const path = join(folder, 'plain.txt')
    const { writeFileSync, statSync } = await import('node:fs')
    writeFileSync(path, 'x'.repeat(100_000))
    const before = statSync(path)
    expect((await files?.read(path, 200_000))?.length).toBe(100_000)
    await expect(files?.read(path, 10)).rejects.toMatchObject({ code: 'too_large' })
    await expect(files?.read(folder, 10)).rejects.toMatchObject({ driver: 'files' })
    await expect(files?.read(`${path}.none`, 10)).rejects.toMatchObject({ code: 'missing' })
    const after = statSync(path)
    expect([after.mtimeMs, after.ctimeMs, after.size]).toEqual([before.mtimeMs, before.ctimeMs, before.size])
  } finally {
    reader.close()
  }
})

test('a label of megabytes hides neither its container nor those before it', async () => {
  const large = await create('large', { Labels: { m: 'x'.repeat(6 * 1024 * 1024) } })
  const last = await create('last')
  const reader = await reading.open(far, { signal: new AbortController().signal })
  try {
    await reader.engine()
    const { containers, tooLarge } = await reader.containers(2000)
    const ids = containers.map(({ id }) => id)
    expect(made.filter((id) => !ids.includes(id))).toEqual([large])
    expect(ids).toContain(last)
    expect(tooLarge).toBe(1)
  } finally {
    reader.close()
  }
})

test('an engine that is stopped in the middle: whoever waits is told at once when the signal ends it, and nothing stays open', async () => {
  const pid = daemonCalled('host2', 'dockerd') ?? 0
  const stop = new AbortController()
  const reader = await reading.open(far, { signal: stop.signal })
  process.kill(pid, 'SIGSTOP')
  try {
    const asked = reader.engine()
    stop.abort(new Error('the deadline'))
    await expect(asked).rejects.toThrow()
  } finally {
    process.kill(pid, 'SIGCONT')
    reader.close()
  }
  await expect(reader.volumes()).rejects.toThrow('the deadline')
})

test('what an engine answers may have any form: what is none of ours counts as nothing', () => {
  for (const answer of [
    null,
    7,
    'x',
    [],
    { Config: 7, Mounts: 'x', HostConfig: [], NetworkSettings: { Networks: 'x' } },
  ]) {
    expect(readContainer(answer)).toMatchObject({ id: '', mounts: [], run: { environment: [] }, networks: [] })
  }
  const odd = JSON.parse(
    '{"Config":{"Labels":{"__proto__":"x","a":7},"Env":["A=1",7,null]},"HostConfig":{"Memory":"much"}}',
  )
  const { run, host: settings } = readContainer(odd)
  expect(Object.entries(run.labels)).toEqual([['__proto__', 'x']])
  expect([run.environment, settings.memory]).toEqual([['A=1'], 0])
})

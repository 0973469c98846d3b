import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { labPart } from '../../../../../lab/ask.ts'
import { swarmRuntime } from '../swarm.ts'
import { pinnedName, referenceOf } from './pull.ts'

const part = labPart('engine')
const engine = { kind: 'local', socketPath: part.socket } as const
const { address } = labPart('registry')
const repository = `${address}/test/${randomBytes(6).toString('hex')}`
const runtime = swarmRuntime({ instance: 'test-pull' })
const { signal } = new AbortController()

const docker = (...argv: string[]) =>
  execFileSync(part.docker, ['-H', part.dockerHost, ...argv], { encoding: 'utf8', stdio: 'pipe' }).trim()
const remove = (image: string) => runtime.images.remove(engine, image, { signal })

/** Makes the registry's tag another image than before; the engine itself has none of it afterwards. */
function publish(tag: string, mark: string): void {
  const id = docker('create', '--label', `mark=${mark}`, 'busybox:1', 'true')
  docker('commit', '--change', `LABEL mark=${mark}`, id, `${repository}:${tag}`)
  docker('rm', id)
  docker('push', '--quiet', `${repository}:${tag}`)
  docker('rmi', '--force', `${repository}:${tag}`)
}

beforeAll(() => publish('1', 'one'))
afterAll(async () => {
  const left = docker('images', '--quiet', repository)
  if (left !== '') docker('rmi', '--force', ...new Set(left.split('\n')))
  runtime.close()
})

test('an image comes from its registry, says so, and has a name that means it for ever', async () => {
  const image = `${repository}:1`
  expect(await runtime.images.inspect(engine, image, { signal })).toBeNull()
  const lines: string[] = []
  await runtime.images.pull(engine, image, { signal, onLine: (line) => lines.push(line) })
  const facts = await runtime.images.inspect(engine, image, { signal })
  expect(facts).toMatchObject({ labels: { mark: 'one' }, pinned: expect.stringMatching(/@sha256:[0-9a-f]{64}$/) })
  expect(lines.join('\n')).toMatch(/Pulling from test\//)
  expect(lines.join('\n')).toMatch(/Digest: sha256:/)
  const pinned = facts?.pinned ?? ''
  expect(await runtime.images.inspect(engine, pinned, { signal })).toMatchObject({ id: facts?.id, pinned })

  publish('1', 'two')
  await runtime.images.pull(engine, image, { signal })
  expect(await runtime.images.inspect(engine, image, { signal })).toMatchObject({ labels: { mark: 'two' } })
  await remove(image)
  await runtime.images.pull(engine, pinned, { signal })
  expect(await runtime.images.inspect(engine, pinned, { signal })).toMatchObject({ labels: { mark: 'one' } })
})

test.each([
  ['a tag that is not there', `${repository}:none`, 'image_missing', /has no image .*:none/],
  ['a repository that is not there', `${address}/test/none:1`, 'image_missing', /has no image/],
  ['a registry that does not listen', `${part.gateway}:9/x:1`, 'registry_unreachable', /cannot be reached/],
  ['a registry that is no name', 'registry.invalid/x:1', 'registry_unreachable', /cannot be reached/],
  ['no name of an image', 'x/UPPER:1', 'image_missing', /has no image x.UPPER/],
])('%s: %s is %s', async (_, image, code, message) => {
  const failed = runtime.images.pull(engine, image, { signal, deadlineMs: 30_000 })
  await expect(failed).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
    hint: expect.any(String),
  })
})

test('whoever leaves gets his own reason', async () => {
  const leaving = new AbortController()
  const pulling = runtime.images.pull(engine, `${part.gateway}:9/x:1`, { signal: leaving.signal })
  leaving.abort(new Error('enough'))
  await expect(pulling).rejects.toThrow('enough')
})

test('names are taken apart, and found again however they are written', () => {
  expect(referenceOf('app')).toEqual({ repository: 'app', version: 'latest' })
  expect(referenceOf('host:5000/app')).toMatchObject({ repository: 'host:5000/app', version: 'latest' })
  expect(referenceOf('host:5000/a/b:1.2')).toMatchObject({ repository: 'host:5000/a/b', version: '1.2' })
  expect(referenceOf('a:1@sha256:ab')).toEqual({ repository: 'a', version: 'sha256:ab' })
  expect(pinnedName('docker.io/library/nginx:1', ['other@sha256:1', 'nginx@sha256:2'])).toBe('nginx@sha256:2')
  expect(pinnedName('nginx:1', ['host/nginx@sha256:1'])).toBeNull()
})

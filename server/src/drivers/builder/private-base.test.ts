import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { publish } from '../../../../lab/private-registry/publish.ts'
import { type PrivateRegistry, startPrivateRegistry } from '../../../../lab/private-registry/start.ts'
import { type Bench, openBench } from '../../../../test-kit/builder.ts'
import type { RegistryLogin } from '../engine/registry-login.ts'
import { chooseLogins } from './dockerfile/choose-logins.ts'

const part = labPart('engine')
const account = { username: 'alice', password: `pw-${randomBytes(8).toString('hex')}`, path: '' }
const encoded = Buffer.from(`${account.username}:${account.password}`).toString('base64')
const fresh = () => `: ${Math.random()};`
let bench: Bench
let registry: PrivateRegistry
let base: { image: string; digest: string }

beforeAll(async () => {
  bench = openBench(part)
  registry = await startPrivateRegistry([account], 8)
  base = await publish(registry, account, { name: 'team/base:1' })
}, 180_000)

afterAll(async () => {
  await bench.close()
  for (const name of [base.image, base.digest]) await docker('rmi', '--force', name).catch(() => {})
  await registry.stop()
})

const docker = async (...argv: string[]) =>
  (await promisify(execFile)(part.docker, ['-H', part.dockerHost, ...argv])).stdout

const isPrivate = (image: string) => image.startsWith(`${registry.address}/`)
const logins = (login: RegistryLogin | null = { host: registry.address, ...account }) => ({
  for: (image: string) => (isPrivate(image) ? login : null),
  ofHosts: () => (login ? [login] : []),
  mayHave: async (image: string) => !isPrivate(image) || login?.password === account.password,
})

/** All that lies in the builder's own folder. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
}

test('a base of a private registry comes with a login; the image, its history and our disk keep none of it', async () => {
  const text = `FROM ${base.image} AS one\nRUN ${fresh()} true\nFROM busybox:1\nCOPY --from=one /bin/busybox /b\n`
  const request = bench.request(bench.project(), text, { logins: logins(), deadlineMs: 90_000 })
  const { result, lines, events } = await bench.run(request)
  expect(result.ok, JSON.stringify(result)).toBe(true)
  const shown = [
    JSON.stringify([result, lines, events]),
    await docker('inspect', request.tag),
    await docker('history', '--no-trunc', request.tag),
  ]
  for (const text of [...shown, ...filesOf(bench.scratch).map((path) => readFileSync(path, 'latin1'))]) {
    expect(text).not.toContain(account.password)
    expect(text).not.toContain(encoded)
  }
}, 120_000)

describe('without a login', () => {
  const builds = async (text: string, more: object = {}) => {
    const { result } = await bench.run(
      bench.request(bench.project(), text, {
        pull: true,
        noCache: true,
        deadlineMs: 90_000,
        logins: logins(null),
        ...more,
      }),
    )
    return result
  }

  test('it does not come, also where the engine has it: by name, by digest, as a stage, as a mount', async () => {
    await bench.run(bench.request(bench.project(), `FROM ${base.image}\nRUN ${fresh()} true\n`, { logins: logins() }))
    for (const text of [
      `FROM ${base.image}\nRUN ${fresh()} true\n`,
      `FROM ${base.digest}\nRUN ${fresh()} true\n`,
      `ARG N=base\nFROM ${registry.address}/team/\${N}:1\nRUN ${fresh()} true\n`,
      `FROM scratch\nCOPY --from=${base.image} /bin/busybox /b\n`,
      `FROM scratch\nRUN --mount=type=bind,from=${base.image},target=/m ["/m/bin/busybox","true"]\n`,
    ]) {
      const result = await builds(text)
      expect([text, result.ok]).toEqual([text, false])
    }
  }, 180_000)

  test('a wrong one is no better, and is not shown', async () => {
    const wrong = { host: registry.address, username: 'alice', password: 'wrong-one-that-nobody-may-see' }
    const result = await builds(`FROM ${base.image}\nRUN ${fresh()} true\n`, { logins: logins(wrong) })
    expect(result.ok).toBe(false)
    expect(JSON.stringify(result)).not.toContain(wrong.password)
  }, 60_000)
})

describe('a build signs in to a host once', () => {
  const login = (username: string) => ({ host: 'r.example', username, password: 'p' })
  const two = {
    mayHave: async () => true,
    for: (image: string) => (image.startsWith('r.example/') ? login(image.split('/')[1] ?? '') : null),
    ofHosts: () => [login('all'), { host: 's.example', username: 'all', password: 'p' }],
  }
  test('with the one that its images need; other hosts with theirs', () => {
    expect(chooseLogins(['r.example/a/x', 'r.example/a/y', 'busybox'], two)).toEqual([login('a'), two.ofHosts()[1]])
    expect(chooseLogins([], two)).toEqual(two.ofHosts())
    expect(chooseLogins(['r.example/a/x'], undefined)).toEqual([])
  })
  test('and says so where they need different ones', () => {
    expect(chooseLogins(['r.example/a/x', 'r.example/b/y'], two)).toMatchObject({
      message: expect.stringMatching(/different credentials/),
    })
  })
})

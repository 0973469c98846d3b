import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { tool } from '../../../../lab/tools.ts'
import { plant } from '../../../../test-kit/git-server.ts'
import { fileOfProcess, pids } from '../../../../test-kit/processes.ts'
import { generateKeyPair } from '../ssh/key-pair.ts'
import { gitBinary } from './binary.ts'
import type { GitFailure, GitSource } from './git.ts'

// The repository lies on host1, whose sshd and git are real; host1 sees this machine's files.
const driver = gitBinary()
const never = new AbortController().signal
const { address, user, keyFile, hostKeyFile } = labPart('host1')
const privateKey = readFileSync(keyFile, 'utf8')
const hostKey = readFileSync(hostKeyFile, 'utf8')
let folder: string
let commit: string
let source: GitSource

beforeAll(() => {
  tool('ssh')
  folder = mkdtempSync(join(tmpdir(), 'slipway-ssh-git-'))
  commit = plant(join(folder, 'app.git'), 'main', [{ path: 'a', text: 'a' }], 'Over SSH')
  const credential = { kind: 'key' as const, privateKey, hostKeys: [hostKey] }
  source = { url: `ssh://${user}@${address}${folder}/app.git`, branch: 'main', credential }
})
afterAll(() => rmSync(folder, { recursive: true }))

const failure = (work: Promise<unknown>): Promise<GitFailure> =>
  work.then(
    () => expect.fail('it should have failed'),
    (error) => error,
  )
const withKey = (credential: object) =>
  ({ ...source, credential: { ...source.credential, ...credential } }) as GitSource
const keyFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('slipway-git-key-'))

test('a deploy key reads a repository, by both ways to write its address', async () => {
  for (const url of [source.url, `${user}@${address}:${folder}/app.git`]) {
    expect(await driver.resolve({ ...source, url }, never)).toMatchObject({ commitSha: commit, message: 'Over SSH' })
  }
  const directory = join(folder, 'fetched')
  await driver.fetch(source, commit, directory, never)
  expect((await driver.tree(directory, commit)).entries).toMatchObject([{ path: 'a', size: 1 }])
})

test('another key is refused, and so is one that is none', async () => {
  for (const wrong of [generateKeyPair('other').privateKey, 'not a key']) {
    const error = await failure(driver.resolve(withKey({ privateKey: wrong }), never))
    expect(error).toMatchObject({ code: 'git_auth_failed' })
  }
})

test('a server with another host key is refused, and one without any is not asked', async () => {
  const other = generateKeyPair('other').publicKey
  expect(await failure(driver.resolve(withKey({ hostKeys: [other] }), never))).toMatchObject({
    code: 'git_host_key_refused',
  })
  expect(await driver.resolve(withKey({ hostKeys: [other, hostKey] }), never)).toMatchObject({ commitSha: commit })
  for (const hostKeys of [[], ['nonsense'], ['ssh-ed25519 AAAA\n* ssh-ed25519 BBBB']]) {
    expect(await failure(driver.resolve(withKey({ hostKeys }), never))).toMatchObject({ code: 'git_source_invalid' })
  }
})

test('a missing repository and a closed port are told apart', async () => {
  const missing = driver.resolve({ ...source, url: `${source.url}-none` }, never)
  expect(await failure(missing)).toMatchObject({ code: 'git_repository_not_found' })
  const closed = driver.resolve({ ...source, url: `ssh://${user}@${address}:9/x` }, never)
  expect(await failure(closed)).toMatchObject({ code: 'git_unreachable' })
})

test('the key is in no argument, is private while it is used and gone afterwards', async () => {
  let done = false
  const work = driver.resolve(source, never).finally(() => {
    done = true
  })
  const lines = new Set<string>()
  const modes = new Set<string>()
  while (!done) {
    for (const name of keyFolders()) {
      for (const file of ['', 'key']) {
        const mode = modeOf(join(tmpdir(), name, file))
        if (mode) modes.add(`${file || 'folder'} ${mode}`)
      }
    }
    for (const pid of pids()) lines.add(fileOfProcess(pid, 'cmdline').replaceAll('\0', ' '))
    await sleep(5)
  }
  await work
  const secret = privateKey.split('\n')[1] ?? '?'
  expect([...lines].some((line) => line.includes('slipway-git-key-') && line.includes(address))).toBe(true)
  for (const line of lines) expect(line).not.toContain(secret)
  expect([...modes].toSorted()).toEqual(['folder 700', 'key 600'])
  expect(keyFolders()).toEqual([])
})

function modeOf(path: string): string | undefined {
  try {
    return (statSync(path).mode & 0o777).toString(8)
  } catch {
    return undefined
  }
}

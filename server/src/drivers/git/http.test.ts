import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Behaviour, commitTree, forgeTree, git, plant, serveGit } from '../../../../test-kit/git-server.ts'
import { fileOfProcess, pids } from '../../../../test-kit/processes.ts'
import { gitBinary } from './binary.ts'
import type { GitFailure, GitSource } from './git.ts'

const token = `tok_${randomBytes(12).toString('hex')}`
const behaviour: Behaviour = {}
const driver = gitBinary({ allowHttp: true })
const never = new AbortController().signal
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
const large = randomBytes(3_000_000)

let folder: string
let server: Awaited<ReturnType<typeof serveGit>>
let commit: string
let source: GitSource
let count = 0
const fresh = () => join(folder, `fetched-${count++}`)
const repository = (name: string) => join(folder, 'srv', name)
const at = (name: string, branch: string | null = 'main'): GitSource => ({
  ...{ url: `${server.url}/${name}`, branch, credential: { kind: 'token', token } },
})

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-git-test-'))
  const files = [
    { path: 'README.md', text: 'hello\n' },
    { path: 'empty', text: '' },
    { path: 'src/start', text: '#!/bin/true\n', mode: '100755' as const },
    { path: 'src/größe.txt', text: 'ü' },
    { path: 'copy/README.md', text: 'hello\n' },
    { path: 'large.bin', text: large },
    { path: 'link', text: 'src/start', mode: '120000' as const },
  ]
  plant(repository('app.git'), 'main', [{ path: 'old', text: 'old' }], 'First')
  commit = plant(repository('app.git'), 'main', files, 'Add things\n\nWith a body.')
  server = await serveGit(join(folder, 'srv'), behaviour)
  source = at('app.git')
})
beforeEach(() => {
  for (const name of Object.keys(behaviour)) delete behaviour[name as keyof Behaviour]
  behaviour.token = token
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

const failure = (work: Promise<unknown>): Promise<GitFailure> =>
  work.then(
    () => expect.fail('it should have failed'),
    (error) => error,
  )

describe('a branch', () => {
  test.for([
    ['with', true],
    ['without', false],
  ] as const)('is resolved once, by a server %s partial fetches', async ([, filters]) => {
    git(repository('app.git'), ['config', 'uploadpack.allowFilter', String(filters)])
    expect(await driver.resolve(source, never)).toEqual({
      commitSha: commit,
      branch: 'main',
      message: 'Add things\n\nWith a body.',
      author: 'Ada Lovelace',
      at: '2026-09-21T14:15:00.000Z',
    })
  })

  test('that is not named is the default one', async () => {
    expect(await driver.resolve(at('app.git', null), never)).toMatchObject({ branch: 'main', commitSha: commit })
  })

  test('that does not exist, and an empty repository, are told apart from other failures', async () => {
    expect(await failure(driver.resolve(at('app.git', 'nope'), never))).toMatchObject({ code: 'git_branch_missing' })
    git(folder, ['init', '--quiet', '--bare', repository('empty.git')])
    expect(await failure(driver.resolve(at('empty.git', null), never))).toMatchObject({ code: 'git_branch_missing' })
  })
})

describe('a commit', () => {
  test('is fetched without history, and read without a checkout', async () => {
    const directory = fresh()
    expect(await driver.fetch(source, commit, directory, never)).toEqual({ warnings: [] })
    expect(git(directory, ['rev-list', '--count', commit])).toBe('1')
    expect(readdirSync(directory)).not.toContain('hooks')
    const { entries, read } = await driver.tree(directory, commit)
    expect(entries).toEqual([
      { kind: 'file', path: 'README.md', size: 6, mode: 0o644, sha256: sha256('hello\n') },
      { kind: 'file', path: 'copy/README.md', size: 6, mode: 0o644, sha256: sha256('hello\n') },
      { kind: 'file', path: 'empty', size: 0, mode: 0o644, sha256: sha256('') },
      { kind: 'file', path: 'large.bin', size: large.length, mode: 0o644, sha256: sha256(large) },
      { kind: 'link', path: 'link', target: 'src/start' },
      { kind: 'file', path: 'src/größe.txt', size: 2, mode: 0o644, sha256: sha256('ü') },
      { kind: 'file', path: 'src/start', size: 12, mode: 0o755, sha256: sha256('#!/bin/true\n') },
    ])
    // All at once and in no order, as a build may ask.
    const files = entries.filter((entry) => entry.kind === 'file')
    const streams = await Promise.all(files.map((file) => read(file)))
    const contents = await Promise.all(
      streams.toReversed().map(async (stream) => Buffer.concat(await stream.toArray())),
    )
    expect(contents.toReversed().map(sha256)).toEqual(files.map((file) => file.sha256))
    await expect(read({ path: 'x', sha256: sha256('other') })).rejects.toThrow('not in this tree')
  })

  test('that is there is not fetched again', async () => {
    const directory = fresh()
    await driver.fetch(source, commit, directory, never)
    const before = server.seen.length
    await driver.fetch(source, commit, directory, never)
    expect(server.seen.length).toBe(before)
  })

  test('that a branch has left behind comes as long as the server has it, from old servers too', async () => {
    const old = plant(repository('moved.git'), 'main', [{ path: 'a', text: '1' }])
    const tree = git(repository('moved.git'), ['rev-parse', `${old}^{tree}`])
    const next = git(repository('moved.git'), ['commit-tree', tree, '-p', old, '-m', 'Next'])
    git(repository('moved.git'), ['update-ref', 'refs/heads/main', next])
    for (const isOld of [false, true]) {
      behaviour.old = isOld
      const directory = fresh()
      await driver.fetch(at('moved.git'), old, directory, never)
      expect((await driver.tree(directory, old)).entries).toHaveLength(1)
      const gone = driver.fetch(at('moved.git'), 'd'.repeat(40), fresh(), never)
      expect(await failure(gone)).toMatchObject({ code: 'git_commit_missing' })
    }
  })

  test('names what a build will miss', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`
    const sha = plant(repository('parts.git'), 'main', [
      { path: '.gitattributes', text: '*.psd filter=lfs diff=lfs merge=lfs -text\n' },
      { path: '.gitmodules', text: '[submodule "x"]\n\tpath = vendor/x\n\turl = ext::sh -c id\n' },
      { path: 'art.psd', text: pointer },
      { path: 'plain.txt', text: 'x'.repeat(200) },
      { path: 'vendor/x', submodule: commit },
    ])
    const directory = fresh()
    const { warnings } = await driver.fetch(at('parts.git'), sha, directory, never)
    expect(warnings).toEqual([
      expect.stringMatching(/Submodules.*"vendor\/x"/),
      expect.stringMatching(/LFS.*"art.psd"/),
    ])
    const { entries } = await driver.tree(directory, sha)
    expect(entries.map(({ path }) => path)).toEqual(['.gitattributes', '.gitmodules', 'art.psd', 'plain.txt'])
  })

  test('gives no link that leaves the tree and no path that leads elsewhere', async () => {
    const link = (path: string, text: string) => ({ path, text, mode: '120000' as const })
    plant(repository('hostile.git'), 'main', [
      ...[link('etc', '/etc/passwd'), link('up', '../../x'), link('a/ok', '../b'), link('a/via', 'ok/../../..')],
      ...[link('round', 'round'), link('long', 'x/'.repeat(4000)), { path: 'b', text: 'b' }],
    ])
    const id = git(repository('hostile.git'), ['rev-parse', 'main:b'])
    const inner = forgeTree(repository('hostile.git'), [{ mode: '100644', name: 'evil', id }])
    const outer = git(repository('hostile.git'), ['rev-parse', 'main^{tree}'])
    const tree = forgeTree(repository('hostile.git'), [
      { mode: '40000', name: '..', id: inner },
      { mode: '40000', name: '.GIT', id: inner },
      { mode: '100644', name: 'a\\b', id },
      { mode: '100644', name: 'a\nb', id },
      { mode: '40000', name: 'sub', id: outer },
    ])
    const sha = commitTree(repository('hostile.git'), 'main', tree, 'Forged')
    const directory = fresh()
    const { warnings } = await driver.fetch(at('hostile.git'), sha, directory, never)
    expect(warnings[0]).toMatch(
      /^Links that lead out.*: "sub\/a\/via", "sub\/etc", "sub\/long", "sub\/round", "sub\/up"\.$/,
    )
    expect(warnings).toHaveLength(5)
    const { entries } = await driver.tree(directory, sha)
    expect(entries.map(({ path }) => path)).toEqual(['sub/a/ok', 'sub/b'])
    const twice = forgeTree(repository('hostile.git'), [
      { mode: '120000', name: 'd', id },
      { mode: '40000', name: 'd', id: inner },
    ])
    const forged = commitTree(repository('hostile.git'), 'main', twice, 'Forged')
    expect(await failure(driver.fetch(at('hostile.git'), forged, fresh(), never))).toMatchObject({ code: 'git_failed' })
  })
})

describe('a failure', () => {
  test.for([
    ['a wrong token', { token: 'other' }, 'git_auth_failed'],
    ['a server that forbids', { status: 403 }, 'git_auth_failed'],
    ['a missing repository', { status: 404 }, 'git_repository_not_found'],
    ['a broken server', { status: 502 }, 'git_unreachable'],
    ['a moved repository', { redirect: 'http://127.0.0.1:9' }, 'git_repository_not_found'],
  ] as const)('%o has its code and no credential', async ([, change, code]) => {
    Object.assign(behaviour, change)
    const directory = fresh()
    const calls = [() => driver.resolve(source, never), () => driver.fetch(source, commit, directory, never)]
    for (const call of calls) {
      const error = await failure(call())
      expect(error).toMatchObject({ code, driver: 'git' })
      const text = `${error.message} ${error.hint} ${error.stack} ${(error.cause as Error).message}`
      expect(text).not.toContain(token)
      expect(text).not.toContain(Buffer.from(`x-access-token:${token}`).toString('base64'))
    }
  })

  test('a public repository needs no token, a private one asks for it', async () => {
    behaviour.token = ''
    expect(await driver.resolve({ ...source, credential: null }, never)).toMatchObject({ commitSha: commit })
    behaviour.token = token
    const refused = driver.resolve({ ...source, credential: null }, never)
    expect(await failure(refused)).toMatchObject({ code: 'git_auth_failed' })
  })

  test('a token that would be another header is refused before anything is sent', async () => {
    const before = server.seen.length
    const credential = { kind: 'token' as const, token: 'a\r\nX-Evil: 1' }
    const refused = driver.resolve({ ...source, credential }, never)
    expect(await failure(refused)).toMatchObject({ code: 'git_source_invalid' })
    expect(server.seen.length).toBe(before)
  })

  test('nobody listening, and a silent server, are told apart', async () => {
    const closed = { ...source, url: 'http://127.0.0.1:9/x.git' }
    expect(await failure(driver.resolve(closed, never))).toMatchObject({ code: 'git_unreachable' })
    const silent = createServer(() => {})
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening))
    const url = `http://127.0.0.1:${(silent.address() as { port: number }).port}/x.git`
    const hasty = gitBinary({ allowHttp: true, resolveDeadlineMs: 500 })
    expect(await failure(hasty.resolve({ ...source, url }, never))).toMatchObject({ code: 'git_timeout' })
    silent.close()
  })

  test('what is too large is given up: packed, unpacked, or in number', async () => {
    behaviour.delayMs = 10
    for (const limit of [{ maxPackBytes: 100_000 }, { maxTreeBytes: 1_000_000 }, { maxFiles: 3 }]) {
      const small = gitBinary({ allowHttp: true, ...limit })
      expect(await failure(small.fetch(source, commit, fresh(), never))).toMatchObject({ code: 'git_too_large' })
    }
  })

  test('a tree that lists billions of files ends at the limit', async () => {
    const bare = repository('bomb.git')
    plant(bare, 'main', [{ path: 'a', text: 'a' }])
    let id = git(bare, ['rev-parse', 'main^{tree}'])
    for (let level = 0; level < 10; level += 1) {
      const names = Array.from({ length: 10 }, (_, index) => `040000 tree ${id}\td${index}\n`)
      id = git(bare, ['mktree'], names.join(''))
    }
    const sha = commitTree(bare, 'main', id, 'Bomb')
    const limited = gitBinary({ allowHttp: true, maxFiles: 20_000 })
    expect(await failure(limited.fetch(at('bomb.git'), sha, fresh(), never))).toMatchObject({ code: 'git_too_large' })
  })

  test('a caller who leaves ends git and all it started', async () => {
    behaviour.delayMs = 20_000
    const directory = fresh()
    const leaving = new AbortController()
    const work = failure(driver.fetch(source, commit, directory, leaving.signal))
    const running = () => processes().filter((line) => line.includes(directory) || line.includes(server.url))
    while (!running().some((line) => line.includes('remote-http'))) await sleep(20)
    leaving.abort(new Error('the caller left'))
    expect((await work).message).toBe('the caller left')
    await expect.poll(running).toEqual([])
  })
})

test('a token is in no argument, no file and no message', async () => {
  behaviour.delayMs = 400
  const directory = fresh()
  let done = false
  const work = driver.fetch(source, commit, directory, never).finally(() => {
    done = true
  })
  const seen = new Set<string>()
  while (!done) {
    for (const line of processes()) seen.add(line)
    await sleep(10)
  }
  await work
  const secrets = [token, Buffer.from(`x-access-token:${token}`).toString('base64')]
  const ours = [...seen].filter((line) => line.includes(server.url))
  expect(ours.some((line) => line.includes('remote-http'))).toBe(true)
  for (const line of seen) for (const secret of secrets) expect(line).not.toContain(secret)
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const text = readable(join(directory, name))
    for (const secret of secrets) expect(text).not.toContain(secret)
  }
  expect(server.seen.some((line) => line.includes(secrets[1] ?? '?'))).toBe(true)
})

test('hooks and settings of the machine and of the repository are not used', async () => {
  const directory = fresh()
  const witness = join(folder, 'witness')
  await driver.fetch(source, commit, directory, never)
  const hook = join(folder, 'hook')
  writeFileSync(hook, `#!/bin/sh\ntouch ${witness}\n`, { mode: 0o755 })
  git(directory, ['config', 'core.fsmonitor', hook])
  git(directory, ['config', 'core.hooksPath', folder])
  git(directory, ['config', 'core.sshCommand', hook])
  await driver.fetch(source, commit, directory, never)
  await driver.tree(directory, commit)
  expect(existsSync(witness)).toBe(false)
})

const processes = () => pids().map((pid) => fileOfProcess(pid, 'cmdline').replaceAll('\0', ' '))

function readable(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    // A folder.
    return ''
  }
}

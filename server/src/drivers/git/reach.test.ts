import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { type Behaviour, plant, serveGit } from '../../../../test-kit/git-server.ts'
import { gitBinary } from './binary.ts'
import type { GitFailure, GitSource } from './git.ts'
import type { GitOptions } from './settings.ts'

/**
 * Where git goes. No address of a metadata service is ever connected to here: names are made to lead there, and what
 * listens in its place is this process.
 */
const never = new AbortController().signal
const behaviour: Behaviour = {}
let folder: string
let server: Awaited<ReturnType<typeof serveGit>>
let commitSha: string
let port = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-git-reach-'))
  commitSha = plant(join(folder, 'srv', 'app.git'), 'main', [{ path: 'a', text: 'a' }])
  server = await serveGit(join(folder, 'srv'), behaviour)
  port = new URL(server.url).port
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

const names: Record<string, string[]> = {}
const lookup = async (host: string) => names[host] ?? Promise.reject(new Error('ENOTFOUND'))
const driver = (options: GitOptions = {}) => gitBinary({ allowHttp: true, lookup, ...options })
const HOST1 = labPart('host1').address
const open = (address: string) => address === '127.0.0.1'
/** As the instance judges at home, as far as these tests go. */
const atHome = (address: string) => address === HOST1
const inCloud = () => false
const at = (host: string, path = 'app.git'): GitSource => ({
  url: `http://${host}:${port}/${path}`,
  branch: 'main',
  credential: null,
})
const failure = (work: Promise<unknown>): Promise<GitFailure> =>
  work.then(
    () => expect.fail('it should have failed'),
    (error) => error,
  )

test('git connects to the address that was judged, and looks no name up by itself', async () => {
  // The machine knows no such name: only what was looked up here leads anywhere.
  names['git.slipway.test'] = ['127.0.0.1']
  const git = driver({ mayConnect: open })
  expect(await git.resolve(at('git.slipway.test'), never)).toMatchObject({ commitSha })
  await git.fetch(at('git.slipway.test'), commitSha, join(folder, 'fetched'), never)
})

test('a name that leads elsewhere after it was judged is followed nowhere', async () => {
  let asked = 0
  const rebinding = async () => (asked++ === 0 ? ['127.0.0.1'] : ['169.254.169.254'])
  const git = driver({ mayConnect: open, lookup: rebinding })
  // Two calls of git, one lookup: both go where the first answer led.
  expect(await git.resolve({ ...at('rebinding.slipway.test'), branch: null }, never)).toMatchObject({ commitSha })
  expect(asked).toBe(1)
  expect((await failure(git.resolve(at('rebinding.slipway.test'), never))).code).toBe('git_address_refused')
})

test('addresses that are not allowed are left out, and with none left nothing is connected to', async () => {
  names['mixed.slipway.test'] = ['169.254.169.254', '127.0.0.1']
  expect(await driver({ mayConnect: open }).resolve(at('mixed.slipway.test'), never)).toMatchObject({ commitSha })
  const before = server.seen.length
  names['metadata.slipway.test'] = ['169.254.169.254']
  names['here.slipway.test'] = ['127.0.0.1']
  names['mapped.slipway.test'] = ['::ffff:127.0.0.1']
  for (const host of [
    'metadata.slipway.test',
    'here.slipway.test',
    'mapped.slipway.test',
    '127.0.0.1',
    '[::1]',
    'localhost',
  ]) {
    if (host === 'localhost') names.localhost = ['127.0.0.1', '::1']
    expect([host, (await failure(driver({ mayConnect: atHome }).resolve(at(host), never))).code]).toEqual([
      host,
      'git_address_refused',
    ])
  }
  expect(server.seen.length).toBe(before)
})

test('of several addresses of a name only those that are allowed are ever tried', async () => {
  let met = 0
  const trap = createServer((socket) => {
    met++
    socket.destroy()
  })
  await new Promise<void>((done) => trap.listen(Number(port), '127.0.0.2', done))
  names['two.slipway.test'] = ['127.0.0.2', '127.0.0.1']
  const found = await driver({ mayConnect: open })
    .resolve(at('two.slipway.test'), never)
    .finally(() => trap.close())
  expect([found.commitSha, met]).toEqual([commitSha, 0])
})

test('other ways to write an address are judged as what they are', async () => {
  const before = server.seen.length
  const judged: string[] = []
  const git = gitBinary({ allowHttp: true, mayConnect: (address) => judged.push(address) < 0 })
  for (const host of ['2130706433', '0x7f000001', '0177.0.0.1', '127.1', '[::ffff:7f00:1]']) {
    expect([host, (await failure(git.resolve(at(host), never))).code]).toEqual([host, 'git_address_refused'])
  }
  expect(judged).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.1', '::ffff:7f00:1'])
  expect(server.seen.length).toBe(before)
})

test('nobody is led on: a redirect is not followed, with a token or without, unless it only adds the usual ending', async () => {
  const other = await serveGit(join(folder, 'srv'), {})
  behaviour.redirect = other.url
  for (const credential of [null, { kind: 'token' as const, token: 'tok' }]) {
    const source = { ...at('git.slipway.test'), credential }
    const error = await failure(driver({ mayConnect: open }).resolve(source, never))
    expect([error.code, error.message]).toEqual(['git_repository_not_found', expect.stringContaining('has moved')])
  }
  expect(other.seen).toEqual([])
  delete behaviour.redirect
  behaviour.addEnding = true
  expect(await driver({ mayConnect: open }).resolve(at('git.slipway.test', 'app'), never)).toMatchObject({ commitSha })
  delete behaviour.addEnding
  other.close()
})

test('in the cloud nobody learns whether a port is open, closed, or a name known inside', async () => {
  const silent = createServer((socket) => socket.on('error', () => {}).end('SSH-2.0-x\r\n')).listen(0, '127.0.0.1')
  await new Promise((listening) => silent.once('listening', listening))
  const { port: banner } = silent.address() as { port: number }
  names['inside.slipway.test'] = ['10.1.2.3']
  const git = driver({ mayConnect: inCloud, terse: true })
  const said = []
  for (const url of [
    `https://127.0.0.1:${port}/app.git`,
    `https://127.0.0.1:${banner}/app.git`,
    'https://127.0.0.1:9/app.git',
    'https://inside.slipway.test/app.git',
    'https://unknown.slipway.test/app.git',
  ]) {
    const { code, message, hint } = await failure(git.resolve({ url, branch: 'main', credential: null }, never))
    said.push([code, message.replace(new URL(url).hostname, 'HOST'), hint])
  }
  // Also where an address may be reached: what it does with the connection is not told.
  const closed = driver({ mayConnect: open, terse: true })
  for (const other of [`127.0.0.1:${banner}`, '127.0.0.1:9', `127.0.0.1:${port}`]) {
    const source = { url: `https://${other}/app.git`, branch: 'main', credential: null }
    const { code, message, hint } = await failure(closed.resolve(source, never))
    said.push([code, message.replace('127.0.0.1', 'HOST'), hint])
  }
  expect(new Set(said.map((one) => JSON.stringify(one))).size).toBe(1)
  silent.close()
})

test('over SSH it is the same: the judged address, under the pinned host key', async () => {
  const { address, user, keyFile, hostKeyFile } = labPart('host1')
  const privateKey = readFileSync(keyFile, 'utf8')
  const credential = { kind: 'key' as const, privateKey, hostKeys: [readFileSync(hostKeyFile, 'utf8')] }
  names['ssh.slipway.test'] = [address]
  names['ssh-here.slipway.test'] = ['127.0.0.1']
  const source = (host: string): GitSource => ({
    url: `ssh://${user}@${host}${folder}/srv/app.git`,
    branch: 'main',
    credential,
  })
  const git = driver({ mayConnect: atHome })
  expect(await git.resolve(source('ssh.slipway.test'), never)).toMatchObject({ commitSha })
  for (const host of ['ssh-here.slipway.test', '127.0.0.1'])
    expect((await failure(git.resolve(source(host), never))).code).toBe('git_address_refused')
})

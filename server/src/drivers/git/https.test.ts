import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tool } from '../../../../lab/tools.ts'
import { type Behaviour, plant, serveGit } from '../../../../test-kit/git-server.ts'
import { gitBinary } from './binary.ts'
import type { GitSource } from './git.ts'

const never = new AbortController().signal
const behaviour: Behaviour = { token: 'tok' }
let folder: string
let server: Awaited<ReturnType<typeof serveGit>>
let commitSha: string
let source: GitSource

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-git-tls-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const subject = ['-subj', '/CN=git', '-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync(tool('openssl'), [...made, '-keyout', key, '-out', cert, ...subject], { stdio: 'pipe' })
  commitSha = plant(join(folder, 'srv', 'app.git'), 'main', [{ path: 'a', text: 'a' }])
  const tls = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  server = await serveGit(join(folder, 'srv'), behaviour, tls)
  source = { url: `${server.url}/app.git`, branch: 'main', credential: { kind: 'token', token: 'tok' } }
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

test('a server whose certificate the operator trusts is used', async () => {
  const driver = gitBinary({ environment: { GIT_SSL_CAINFO: join(folder, 'cert.pem') } })
  expect(await driver.resolve(source, never)).toMatchObject({ commitSha })
  await driver.fetch(source, commitSha, join(folder, 'fetched'), never)
  expect((await driver.tree(join(folder, 'fetched'), commitSha)).entries).toHaveLength(1)
})

test('an authority that the operator adds is trusted beside those of the machine', async () => {
  const bundle = join(folder, 'data', 'authorities.pem')
  const driver = gitBinary({ trust: { extra: join(folder, 'cert.pem'), bundle } })
  expect(await driver.resolve(source, never)).toMatchObject({ commitSha })
  const known = readFileSync(bundle, 'utf8').match(/BEGIN CERTIFICATE/g) ?? []
  expect(known.length).toBeGreaterThan(50)
  const wrong = gitBinary({ trust: { extra: join(folder, 'key.pem'), bundle } })
  await expect(wrong.resolve(source, never)).rejects.toThrow('has no certificate in PEM form')
})

test('one that nobody vouches for gets no token', async () => {
  const before = server.seen.length
  await expect(gitBinary().resolve(source, never)).rejects.toMatchObject({
    code: 'git_unreachable',
    message: expect.stringContaining('certificate'),
    hint: expect.stringContaining('SLIPWAY_GIT_CA_FILE'),
  })
  expect(server.seen.length).toBe(before)
})

test('an address without encryption is refused, and a server cannot lead to one', async () => {
  const plain = { ...source, url: source.url.replace('https', 'http') }
  await expect(gitBinary().resolve(plain, never)).rejects.toMatchObject({ code: 'git_source_invalid' })
  const lower = await serveGit(join(folder, 'srv'), {})
  behaviour.redirect = lower.url
  const driver = gitBinary({ environment: { GIT_SSL_CAINFO: join(folder, 'cert.pem') } })
  for (const credential of [source.credential, null]) {
    await expect(driver.resolve({ ...source, credential }, never)).rejects.toMatchObject({ driver: 'git' })
  }
  expect(lower.seen).toEqual([])
  lower.close()
})

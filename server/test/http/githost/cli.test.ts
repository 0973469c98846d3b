import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { startGithostWorld } from './stage.ts'

const run = promisify(execFile)
const folder = await mkdtemp(join(tmpdir(), 'slipway-gh-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const { gh, newerGh } = labPart('githost')

/** `gh` of two releases: they differ in what they say when nobody is signed in. */
describe.each([
  ['Debian 12', gh],
  ['Debian 13', newerGh],
])('gh of %s', async (release, program) => {
  const configDir = join(folder, release.replace(' ', '-'))
  await mkdir(configDir)
  const { host, world } = await startGithostWorld(() => ({ cli: { program, configDir, orgId: null } }))
  host.do.user({ login: 'ada' })
  await host.do.repo({ full: 'ada/hello', private: true, files: { a: 'a' } })
  const { token } = host.do.token({ login: 'ada' })
  const first = await world.org('First')
  const second = await world.org('Second')

  test('who is not signed in is told the command; who is, is connected, and the token is stored nowhere', async () => {
    const out = await first.owner.api('GET', '/api/githost/local-status')
    expect(out.body).toMatchObject({ available: true, loggedIn: false, version: expect.stringMatching(/^2\./) })
    const asked = await first.owner.api('POST', '/api/githost/connect', { source: 'cli' })
    expect(asked.body).toMatchObject({
      connected: false,
      flow: 'terminal',
      command: expect.stringContaining('gh auth login'),
    })
    await signIn()
    const status = await first.owner.api('GET', '/api/githost/local-status')
    expect(status.body).toMatchObject({ available: true, loggedIn: true, login: 'ada', reason: null })
    expect((await first.owner.api('POST', '/api/githost/connect', { source: 'cli' })).body).toMatchObject({
      connected: true,
    })
    expect((await first.owner.api('GET', '/api/githost/repos')).body.data).toMatchObject([
      { fullName: 'ada/hello', source: 'cli' },
    ])
    const row = await world.platform.db.selectFrom('githostAccount').selectAll().executeTakeFirstOrThrow()
    expect([row.kind, row.token, row.refreshToken]).toEqual(['cli', null, null])
    expect(JSON.stringify(row)).not.toContain(token)
    const clone = await first.owner.api('GET', '/api/githost/repos/ada/hello/clone-token')
    expect([clone.status, clone.body.code]).toEqual([409, 'no_installation'])
  })

  test('the machine’s login serves one organization: a second one cannot use it', async () => {
    const status = await second.owner.api('GET', '/api/githost/local-status')
    expect(status.body).toMatchObject({ available: false, loggedIn: false, login: null })
    const refused = await second.owner.api('POST', '/api/githost/connect', { source: 'cli' })
    expect([refused.status, refused.body.field]).toEqual([400, 'source'])
    const developer = await world.person(second.id, 'developer')
    const nothing = await developer.api('POST', '/api/githost/connect', {})
    expect([nothing.status, nothing.body.code]).toEqual([400, 'invalid_request'])
    expect((await second.owner.api('GET', '/api/githost/status')).body.state).toBe('disconnected')
    // Not even where a row says otherwise.
    const row = await world.platform.db.selectFrom('githostAccount').selectAll().executeTakeFirstOrThrow()
    await world.platform.db
      .insertInto('githostAccount')
      .values({ ...row, id: 'ghc_x', orgId: second.id })
      .execute()
    expect((await second.owner.api('GET', '/api/githost/repos')).status).toBe(400)
  })

  test('disconnecting forgets the choice, and leaves the machine signed in', async () => {
    const gone = await first.owner.api('POST', '/api/githost/disconnect?source=cli')
    expect(gone.body).toEqual({ success: true, disconnected: ['cli'], state: 'disconnected' })
    expect((await first.owner.api('GET', '/api/githost/repos')).status).toBe(400)
    const { stdout } = await run(program, ['auth', 'token', '--hostname', new URL(host.url).host], {
      env: { GH_CONFIG_DIR: configDir, PATH: process.env.PATH, HOME: configDir },
    })
    expect(stdout.trim()).toBe(token)
  })

  /** As the operator does it, by the host's own name and through its proxy; then under the name this instance uses. */
  async function signIn() {
    const env = {
      ...process.env,
      GH_CONFIG_DIR: configDir,
      HTTPS_PROXY: host.proxy,
      SSL_CERT_FILE: host.caFile,
      HOME: configDir,
    }
    const login = execFile(program, ['auth', 'login', '--hostname', host.host, '--with-token'], { env })
    login.stdin?.end(token)
    const code = await new Promise((resolve) => login.once('close', resolve))
    expect(code).toBe(0)
    const { readFile, writeFile } = await import('node:fs/promises')
    const file = join(configDir, 'hosts.yml')
    const hosts = await readFile(file, 'utf8')
    const block = hosts.replace(/^github\.test:/m, `${new URL(host.url).host}:`)
    await writeFile(file, `${hosts.trimEnd()}\n${block}`)
  }
})

test('a machine without the program says so', async () => {
  const { world } = await startGithostWorld()
  const { owner } = await world.org()
  const status = await owner.api('GET', '/api/githost/local-status')
  expect(status.body).toMatchObject({ available: false, version: null, reason: expect.stringContaining('no program') })
})

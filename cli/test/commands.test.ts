import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { startWorld } from '../../test-kit/world.ts'
import { newHome, slipway } from './run-here.ts'

const world = await startWorld()
let url: string

beforeAll(async () => {
  url = await world.app.listen({ port: 0, host: '127.0.0.1' })
})

type Given = { stdin?: string; cwd?: string; env?: NodeJS.ProcessEnv }

/** Somebody's machine, signed in as the owner of a new organization. */
async function signedIn() {
  const { owner } = await world.org()
  const home = await newHome()
  const at = (...argv: string[]) => run(argv)
  const run = (argv: string[], { env, ...given }: Given = {}) =>
    slipway(argv, { cwd: home, ...given, env: { HOME: home, ...env } })
  const login = await run(['login', url, '--token-stdin', '--json'], { stdin: `${owner.token}\n` })
  expect([login.code, login.err]).toEqual([0, ''])
  return { at, run, owner, home, login: login.json() }
}

test('signing in remembers the instance for its owner alone; signing out ends the token and forgets it', async () => {
  const { at, home, login, owner } = await signedIn()
  expect(login).toMatchObject({ success: true, context: '127.0.0.1', role: 'owner' })
  const file = join(home, '.config/slipway/config.json')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await at('whoami')).out).toContain('owner of Test')
  expect((await at('whoami', '--json')).json()).toMatchObject({ role: 'owner', instance: url })
  expect((await at('context', 'ls', '--json')).json().data).toMatchObject([{ url, current: true }])
  expect((await at('context', 'ls', '--json')).out).not.toContain(owner.token)
  const out = await at('logout', '--json')
  expect([out.code, out.json()]).toMatchObject([0, { success: true, revoked: true }])
  expect((await owner.api('GET', '/api/me')).status).toBe(401)
  expect(await readFile(file, 'utf8')).not.toContain('slp_')
  expect((await at('logout', '--json')).code).toBe(3)
})

test('a token that may not end itself is forgotten, and it is said that it is still good', async () => {
  const { owner } = await world.org()
  const token = await world.tokenFor(owner, { scopes: ['project:read'] })
  const env = { HOME: await newHome() }
  await slipway(['login', url, '--token-stdin'], { env, stdin: token })
  const { code, err } = await slipway(['logout'], { env })
  expect(code).toBe(0)
  expect(err).toMatch(/The token tok_\w+ is still good/)
  expect((await world.as(token)('GET', '/api/me')).status).toBe(200)
})

test('a wrong token is exit code 3 and is not remembered', async () => {
  const env = { HOME: await newHome() }
  const { code, json } = await slipway(['login', url, '--token-stdin', '--json'], { env, stdin: 'slp_wrong' })
  expect([code, json().code]).toEqual([3, 'credentials_invalid'])
  expect((await slipway(['context', 'ls', '--json'], { env })).json()).toEqual({ data: [] })
  expect((await slipway(['whoami', '--json'], { env: { ...env, SLIPWAY_URL: url } })).json().code).toBe(
    'credentials_missing',
  )
})

test('a folder becomes a project, and everything after knows which one', async () => {
  const { at, run, home } = await signedIn()
  const folder = join(home, 'shop')
  await mkdir(join(folder, 'src'), { recursive: true })
  await writeFile(join(folder, '.gitignore'), 'dist')
  const made = await run(['init', '--json', '--no-input'], { cwd: folder })
  expect(made.json()).toMatchObject({ success: true, created: true, project: { name: 'shop' } })
  expect(JSON.parse(await readFile(join(folder, 'slipway.json'), 'utf8'))).toEqual({ project: 'shop' })
  expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe('dist\n.slipway/\n')
  expect((await run(['ls', '--json'], { cwd: join(folder, 'src') })).json()).toEqual({ data: [] })
  expect((await run(['init', 'shop'], { cwd: folder })).err).toContain('was there already')
  expect((await run(['unlink', '--json'], { cwd: folder })).json()).toMatchObject({ success: true })
  expect((await run(['link', '--json'], { cwd: folder })).json()).toMatchObject({ project: { name: 'shop' } })
  expect((await at('projects', 'ls')).out).toContain('shop')
  const none = await at('ls', '--json')
  expect([none.code, none.json().code]).toEqual([2, 'usage'])
  const unknown = await at('ls', '-p', 'nothing', '--json')
  expect([unknown.code, unknown.json().code]).toEqual([4, 'not_found'])
})

test('variables are set, read back from a file, compared and removed', async () => {
  const { at, run, home } = await signedIn()
  await run(['init', 'app'])
  expect((await run(['env', 'set', 'A=1', 'SECRET=-', '--json'], { stdin: 'two words\n' })).json()).toMatchObject({
    success: true,
  })
  const listed = await at('env', 'ls', '--json')
  expect(
    listed
      .json()
      .data.map(({ name }: { name: string }) => name)
      .sort(),
  ).toEqual(['A', 'SECRET'])
  expect(listed.out).not.toContain('two words')
  expect((await at('env', 'ls', '--reveal')).out).toContain('two words')
  expect((await at('env', 'pull')).code).toBe(0)
  expect((await stat(join(home, '.env'))).mode & 0o777).toBe(0o600)
  expect((await at('env', 'diff', '--json')).json()).toMatchObject({ same: true })
  expect((await at('env', 'pull')).code).toBe(2)
  // Over one that others may read it is the owner's alone again.
  await chmod(join(home, '.env'), 0o644)
  expect((await at('env', 'pull', '--force')).code).toBe(0)
  expect((await stat(join(home, '.env'))).mode & 0o777).toBe(0o600)
  await writeFile(join(home, '.env'), 'A=2\nB=3\n')
  const diff = await at('env', 'diff', '--json')
  expect([diff.code, diff.json()]).toMatchObject([6, { onlyInFile: ['B'], onlyInProject: ['SECRET'], changed: ['A'] }])
  expect((await at('env', 'push')).code).toBe(0)
  expect((await at('env', 'rm', 'SECRET', '--json')).json()).toEqual({ success: true, removed: ['SECRET'] })
  expect((await at('env', 'diff')).code).toBe(0)
  expect((await at('env', 'rm', 'NONE', '--json')).code).toBe(4)
  expect((await at('env', 'set', 'NOVALUE')).code).toBe(2)
})

test('names are given, listed and taken, and nothing is taken unasked', async () => {
  const { at, run } = await signedIn()
  await run(['init', 'site'])
  const host = `w${Date.now()}.example.com`
  expect((await at('domains', 'add', host, '--json')).json()).toMatchObject({ host, service: 'web' })
  expect((await at('domains', 'ls', '--json')).json().data).toMatchObject([{ host }])
  expect((await at('domains', 'ls')).out).toContain(host)
  const unasked = await at('domains', 'rm', host, '--json')
  expect([unasked.code, unasked.json()]).toMatchObject([
    2,
    { code: 'confirmation_needed', hint: 'Say yes with --yes.' },
  ])
  expect((await at('domains', 'rm', host, '--yes', '--json')).json()).toMatchObject({ success: true })
  expect((await at('domains', 'ls', '--json')).json()).toEqual({ data: [] })
})

test('a token is made, shown once on stdout alone, limited, and ended', async () => {
  const { at } = await signedIn()
  const made = await at('tokens', 'create', 'ci', '--scope', 'project:read', '--days', '2')
  expect(made.out).toMatch(/^slp_[\w-]+\n$/)
  const env = { HOME: await newHome(), SLIPWAY_URL: url, SLIPWAY_TOKEN: made.out.trim() }
  expect((await slipway(['whoami'], { env })).code).toBe(0)
  const denied = await slipway(['servers', 'ls', '--json'], { env })
  expect([denied.code, denied.json()]).toMatchObject([4, { code: 'permission_denied', requires: 'server:list' }])
  const { data } = (await at('tokens', 'ls', '--json')).json()
  const { id } = data.find(({ name }: { name: string }) => name === 'ci')
  expect((await at('tokens', 'revoke', id, '--yes', '--json')).json()).toMatchObject({ success: true, id })
  expect((await slipway(['whoami'], { env })).code).toBe(3)
  expect((await at('tokens', 'create', 'bad', '--scope', 'nonsense', '--json')).code).toBe(1)
})

test('the API can be called as it is', async () => {
  const { at, run } = await signedIn()
  const made = await run(['api', 'POST', '/api/projects', '-d', '@-', '--json'], { stdin: '{"name":"by-hand"}' })
  expect(made.json()).toMatchObject({ name: 'by-hand' })
  expect(JSON.parse((await at('api', 'get', `/api/projects/${made.json().id}`)).out)).toMatchObject({ name: 'by-hand' })
  const missing = await at('api', 'GET', '/api/projects/prj_none', '--json')
  expect([missing.code, missing.json().code]).toEqual([4, 'not_found'])
  expect((await at('api', 'GET', '//elsewhere.example.com/')).code).toBe(2)
  expect((await at('api', 'POST', '/api/projects', '-d', '{')).code).toBe(2)
})

test('what needs somebody, who did what, and what there is to look at', async () => {
  const { at } = await signedIn()
  expect((await at('status', '--json')).json()).toMatchObject({ success: true, attention: [] })
  expect((await at('audit', '--json')).json().data).toBeInstanceOf(Array)
  expect((await at('backups', 'ls', '--json')).json()).toEqual({ data: [] })
  expect((await at('git', 'status', '--json')).json()).toMatchObject({ state: 'disconnected' })
  const doctor = await at('doctor', '--json')
  expect(doctor.json().checks.map(({ name }: { name: string }) => name)).toEqual([
    'this computer',
    'instance',
    'credential',
    'servers',
    'backup',
    'folder',
  ])
  expect(doctor.code).toBe(6)
  expect((await at('doctor', '--url', 'http://127.0.0.1:9', '--json')).code).toBe(8)
})

test('a folder is sent to the real thing, and not again', async () => {
  const { run, home, owner } = await signedIn()
  const folder = join(home, 'page')
  await mkdir(join(folder, 'deep'), { recursive: true })
  await writeFile(join(folder, 'index.html'), '<h1>Hello</h1>')
  await writeFile(join(folder, 'deep/empty'), '')
  // Without a server nothing can be deployed: what is refused is the deployment, after the upload.
  for (const sent of ['2 files sent, 14 B', 'Nothing changed since the last upload']) {
    const { code, err } = await run(['deploy', 'page'])
    expect([code, err]).toEqual([1, expect.stringContaining(sent)])
    expect(err).toContain('There is no server yet.')
  }
  expect((await owner.api('GET', '/api/projects?name=page')).body.data).toHaveLength(1)
})

test('a token of CI needs four scopes, and may be limited to its project', async () => {
  const { owner } = await world.org()
  const { body: project } = await owner.api('POST', '/api/projects', { name: 'in-ci' })
  const scopes = ['project:write', 'project:read', 'deployment:write', 'deployment:read'] as const
  for (const projectId of [null, project.id]) {
    const SLIPWAY_TOKEN = await world.tokenFor(owner, { scopes: [...scopes], projectId })
    const cwd = await newHome()
    await writeFile(join(cwd, 'index.html'), 'Hello')
    const env = { HOME: await newHome(), SLIPWAY_URL: url, SLIPWAY_TOKEN, SLIPWAY_PROJECT: 'in-ci' }
    const { code, json, err } = await slipway(['deploy', '--json'], { cwd, env })
    expect([code, json().code], err).toEqual([1, 'no_server'])
  }
})

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

test('a token that may do very little is ended as well; one whose instance is away is forgotten, and it is said', async () => {
  const { owner } = await world.org()
  const token = await world.tokenFor(owner, { scopes: ['project:read'] })
  const env = { HOME: await newHome() }
  await slipway(['login', url, '--token-stdin'], { env, stdin: token })
  expect((await slipway(['logout'], { env })).err).toContain('and the token has ended')
  expect((await world.as(token)('GET', '/api/me')).status).toBe(401)
  const other = await world.tokenFor(owner)
  await slipway(['login', url, '--token-stdin'], { env, stdin: other })
  const file = join(env.HOME, '.config/slipway/config.json')
  await writeFile(file, (await readFile(file, 'utf8')).replaceAll(url, 'http://127.0.0.1:9'), { mode: 0o600 })
  const { code, err } = await slipway(['logout'], { env })
  expect([code, /The token tok_\w+ is still good/.test(err)]).toEqual([0, true])
  expect((await world.as(other)('GET', '/api/me')).status).toBe(200)
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
  await writeFile(join(folder, 'package.json'), '{"scripts":{"start":"node src/main.js"}}')
  await writeFile(join(folder, 'src/main.js'), 'serve()')
  const made = await run(['init', '--json', '--no-input'], { cwd: folder })
  expect(made.json()).toMatchObject({
    success: true,
    created: true,
    project: { name: 'shop' },
    found: { language: 'javascript' },
  })
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
  const all = (await at('domains', 'ls', '--all', '--json')).json().data
  expect(all).toContainEqual(
    expect.objectContaining({ host, project: { id: expect.any(String), name: expect.any(String) } }),
  )
  expect((await at('domains', 'ls', '-a')).out).toContain(host)
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

test('a project is made, changed, renamed and deleted, and what is not known of it is refused', async () => {
  const { at } = await signedIn()
  expect((await at('projects', 'create', 'shop', '--branch', 'main', '--json')).json()).toMatchObject({ name: 'shop' })
  const set = ['branch=next', 'rollbackWindow=8', 'autoDeploy=off', 'watchPaths=src/**,lib/**']
  expect((await at('projects', 'set', ...set, '-p', 'shop', '--json')).json()).toMatchObject({
    branch: 'next',
    settings: { rollbackWindow: 8, autoDeploy: false, watchPaths: ['src/**', 'lib/**'] },
  })
  expect((await at('projects', 'set', 'brnch=next', '-p', 'shop')).err).toContain('Did you mean: branch=')
  expect((await at('projects', 'rename', 'shop', 'store')).code).toBe(0)
  expect((await at('projects', 'inspect', 'store')).out).toMatch(/rollbackWindow +8/)
  expect((await at('projects', 'rm', 'store', '--json')).json()).toMatchObject({ code: 'confirmation_needed' })
  expect((await at('projects', 'rm', 'store', '--yes', '--json')).json()).toMatchObject({
    success: true,
    name: 'store',
  })
  expect((await at('projects', 'inspect', 'store', '--json')).code).toBe(4)
})

test('a service is described as the API has it, and taken away', async () => {
  const { at, run } = await signedIn()
  await run(['init', 'parts'])
  const made = await at('services', 'set', 'web', '-d', '{"build":".","port":3000}', '--json')
  expect(made.json()).toMatchObject({ name: 'web', config: { port: 3000 } })
  expect((await at('services', 'ls')).out).toContain('port 3000')
  expect((await at('services', 'set', 'web')).code).toBe(2)
  expect((await at('services', 'rm', 'web', '--yes', '--json')).json()).toMatchObject({ success: true, name: 'web' })
  expect((await at('services', 'ls', '--json')).json()).toEqual({ data: [] })
  expect((await at('volumes', 'grants', '--json')).json()).toEqual({ data: [] })
})

test('a server is added with a key of its own, changed, shown and forgotten', async () => {
  const { at } = await signedIn()
  const added = await at('servers', 'add', 'fra-1', '192.0.2.10', '--user', 'deploy', '--port', '2222')
  expect([added.code, added.out]).toEqual([0, expect.stringMatching(/^ssh-ed25519 /)])
  const changed = await at('servers', 'set', 'fra-1', 'user=root', 'hostPorts=on', 'maxPids=64', '--json')
  expect(changed.json()).toMatchObject({ user: 'root', policy: { hostPorts: true, maxPids: 64 } })
  expect((await at('servers', 'inspect', 'fra-1')).out).toContain('root@192.0.2.10:2222')
  expect((await at('servers', 'set', 'fra-1', 'port=ssh')).err).toContain('port is a number')
  expect((await at('servers', 'rm', 'fra-1', '--yes', '--json')).json()).toMatchObject({ success: true, name: 'fra-1' })
  expect((await at('servers', 'inspect', 'fra-1', '--json')).code).toBe(4)
})

test('a destination is added with a secret that no list of processes shows, changed and forgotten', async () => {
  const { at, run } = await signedIn()
  const argv = ['backups', 'add', 's3_compatible', 'offsite', 'bucket=backups', 'accessKeyId=KEY', 'secretAccessKey=-']
  const added = await run([...argv, '--json'], { stdin: 'the secret\n' })
  expect(added.json()).toMatchObject({ name: 'offsite', bucket: 'backups', hasSecretAccessKey: true })
  expect((await at('backups', 'set', 'offsite', 'isDefault=on', 'region=eu', '--json')).json()).toMatchObject({
    isDefault: true,
    region: 'eu',
  })
  expect((await at('backups', 'inspect', 'offsite')).out).toContain('never tried')
  expect((await at('backups', 'set', 'offsite', 'bukket=x')).err).toContain('Did you mean: bucket=')
  expect((await at('backups', 'rm', 'offsite', '--yes', '--json')).json()).toMatchObject({ success: true })
  expect((await at('backups', 'test', 'offsite', '--json')).json()).toMatchObject({ code: 'not_found' })
})

test('somebody is invited by a link that is shown once, and the invitation is taken back', async () => {
  const { at, owner } = await signedIn()
  const invited = await at('members', 'invite', 'Sam@example.com', 'developer')
  expect(invited.out).toMatch(/^https?:\S+\n$/)
  const { data } = (await at('members', 'invitations', '--json')).json()
  expect(data).toMatchObject([{ email: 'sam@example.com', role: 'developer' }])
  expect((await at('members', 'withdraw', data[0].id, '--json')).json()).toMatchObject({ success: true })
  expect((await at('members', 'invitations', '--json')).json()).toEqual({ data: [] })
  expect((await at('members', 'ls')).out).toContain('owner')
  const { email } = (await owner.api('GET', '/api/me')).body.user
  const last = await at('members', 'role', email, 'viewer', '--json')
  expect([last.code, last.json().success]).toEqual([4, false])
  expect((await at('members', 'rm', 'nobody@example.com', '--yes', '--json')).code).toBe(4)
})

test('the git host, the organizations and the instance are told of', async () => {
  const { at } = await signedIn()
  expect((await at('orgs', 'ls')).out).toContain('● ')
  expect((await at('git', 'deliveries', '--json')).json()).toEqual({ data: [] })
  expect((await at('git', 'rules', '--json')).json()).toEqual({ rules: [] })
  const rules = '{"rules":[{"role":"viewer","pattern":"acme/x-*","allow":false}]}'
  expect((await at('git', 'rules', '-d', rules)).out).toContain('does not see')
  expect((await at('git', 'inspect', 'acme')).code).toBe(2)
  expect((await at('git', 'disconnect', '--yes', '--json')).json()).toMatchObject({ success: true, disconnected: [] })
  expect((await at('instance', '--json')).json()).toMatchObject({ success: true, version: expect.any(String) })
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

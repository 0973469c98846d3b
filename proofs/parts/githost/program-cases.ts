import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../../test-kit/until.ts'
import { appOf } from './app-cases.ts'
import { at, type Client } from './client.ts'

/** The id that `gh` carries for its own device login. */
const GH_CLIENT = '178c6fc778ccc68e1d6a'
const DEADLINE_MS = 60_000

type Ran = { code: number | null; text: string }
type RunOptions = { env?: Record<string, string>; input?: string }

function runner({ lab, dir }: Client) {
  const home = join(dir, 'home')
  mkdirSync(home, { recursive: true })
  const trust = {
    HTTPS_PROXY: lab.proxy,
    https_proxy: lab.proxy,
    SSL_CERT_FILE: lab.caFile,
    GIT_SSL_CAINFO: lab.caFile,
  }
  const silence = { GH_BROWSER: 'true', GH_NO_UPDATE_NOTIFIER: '1', NO_COLOR: '1', GIT_TERMINAL_PROMPT: '0' }
  const own = { PATH: process.env.PATH ?? '', HOME: home, GH_HOST: lab.host, GIT_CONFIG_NOSYSTEM: '1' }
  const run = (argv: string[], { env, input = '' }: RunOptions = {}) =>
    new Promise<Ran>((done) => {
      const [program = '', ...args] = argv
      const child = spawn(program, args, { env: { ...own, ...trust, ...silence, ...env }, timeout: DEADLINE_MS })
      let text = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => {
          text += chunk
        })
      child.stdin.on('error', () => {}).end(input)
      child.on('error', (error) => done({ code: -1, text: error.message }))
      child.on('close', (code) => done({ code, text: text.trim() }))
    })
  return { home, run }
}

/** Debian's `gh`: device login through the proxy, a token, the API, signing out. Gives the version that was run. */
export async function ghCases(client: Client, program: string): Promise<string> {
  const { lab, is } = client
  const { home, run } = runner(client)
  const { host } = lab
  lab.do.user({ login: 'ada' })
  await lab.do.repo({ full: 'ada/private', private: true, autoInit: true })
  await lab.do.repo({ full: 'ada/second', private: true, autoInit: true })
  lab.do.oauthApp({ name: 'GitHub CLI', callbackUrls: ['http://127.0.0.1/'], clientId: GH_CLIENT })
  lab.do.deviceSettings({ interval: 1 })
  const version = /\d+\.\d+\.\d+/.exec((await run([program, '--version'])).text)?.[0] ?? 'unknown'
  const env = { GH_CONFIG_DIR: join(home, `gh-${version}`) }
  const gh = (args: string[], more: RunOptions = {}) =>
    run([program, ...args], { ...more, env: { ...env, ...more.env } })
  const onHost = ['--hostname', host]
  const named = (what: string) => `gh ${version}: ${what}`
  // `auth status` of 2.46 ends with 0 whatever it found: only the token and a call tell the truth.
  is(named('signed out'), (await gh(['auth', 'token', ...onHost])).code, 1)
  const login = gh(['auth', 'login', ...onHost, '--web', '--git-protocol', 'https', '--scopes', 'repo,read:org'])
  const waiting = () => lab.do.openDevices().find(({ approved }) => !approved)
  const { userCode } = await until(named('waiting for its device login'), DEADLINE_MS, waiting)
  lab.do.approveDevice({ userCode, login: 'ada' })
  const ended = await login
  is(named('device login'), [ended.code, ended.text.includes(userCode)], [0, true])
  const token = (await gh(['auth', 'token', ...onHost])).text
  is(named('token'), token.slice(0, 4), 'gho_')
  is(named('status'), (await gh(['auth', 'status', ...onHost])).code, 0)
  is(named('who'), (await gh(['api', 'user', ...onHost, '--jq', '.login'])).text, 'ada')
  const one = await gh(['api', '/repos/ada/private', ...onHost, '--jq', '.full_name'])
  is(named('a private repository'), one.text, 'ada/private')
  const pages = await gh(['api', '--paginate', '/user/repos?per_page=1', ...onHost, '--jq', '.[].name'])
  is(named('pages'), pages.text.split('\n'), ['private', 'second'])
  const asked = await gh([
    'api',
    'graphql',
    ...onHost,
    '-f',
    'query={ viewer { login } }',
    '--jq',
    '.data.viewer.login',
  ])
  is(named('GraphQL'), asked.text, 'ada')
  lab.do.revoke({ token })
  is(named('a revoked token'), (await gh(['api', 'user', ...onHost])).code, 1)
  const personal = lab.do.token({ login: 'ada' }).token
  const given = await gh(['auth', 'login', ...onHost, '--with-token'], { input: `${personal}\n` })
  is(named('login with a token'), given.code, 0)
  is(named('signing out'), (await gh(['auth', 'logout', ...onHost])).code, 0)
  const bad = await gh(['api', 'user', ...onHost], { env: { GH_ENTERPRISE_TOKEN: 'bad' } })
  is(named('a bad token in the environment'), bad.code, 1)
  return version
}

/** git itself through the proxy, with the credential in its environment and nowhere else. */
export async function gitCases(client: Client): Promise<void> {
  const { lab, call, is, receive } = client
  const { home, run } = runner(client)
  lab.do.user({ login: 'ada' })
  lab.do.org({ login: 'acme', members: { ada: 'admin' } })
  await lab.do.repo({ full: 'acme/shop', private: true, files: { 'package.json': '{}' } })
  const token = lab.do.token({ login: 'ada' }).token
  const wire = await receive(['s'])
  const config = { url: wire.url, content_type: 'json', secret: 's' }
  await call('POST', '/repos/acme/shop/hooks', token, { config, events: ['push'] })
  const as = (secret: string) => ({
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.https://${lab.host}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(`x-access-token:${secret}`).toString('base64')}`,
  })
  const address = `https://${lab.host}/acme/shop.git`
  const copy = join(home, 'copy')
  const remote = (secret: string, ...args: string[]) => run(['git', ...args], { env: as(secret) })
  const local = (...args: string[]) => run(['git', '-C', copy, ...args])
  is('git: no credential', (await run(['git', 'clone', '-q', address, copy])).code, 128)
  is('git: a bad one', (await remote('bad', 'ls-remote', address)).code, 128)
  const clone = await remote(token, 'clone', '-q', '--depth', '1', '--filter=blob:none', address, copy)
  is('git: clone, shallow and partial', clone.code, 0)
  is('git: no token on disk', readFileSync(join(copy, '.git/config'), 'utf8').includes(token), false)
  const commit = async (text: string, ...more: string[]) => {
    writeFileSync(join(copy, 'version.txt'), text)
    await local('add', '-A')
    await local('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-qm', text, ...more)
    return (await local('rev-parse', 'HEAD')).text
  }
  const push = (...what: string[]) => remote(token, '-C', copy, 'push', '-q', address, ...what)
  const heard = async (...what: string[]) => {
    const before = wire.got.length
    const { code } = await push(...what)
    await lab.do.delivered()
    return { code, events: wire.got.slice(before) }
  }
  await lab.do.delivered()
  const sha = await commit('one')
  const first = await heard('HEAD:main')
  const [told] = first.events
  is('git: push', [first.code, first.events.length, told?.isGood], [0, 1, true])
  is('git: told', [at(told?.payload, 'after'), at(told?.payload, 'head_commit.added')], [sha, ['version.txt']])
  is('git: a branch and a tag', (await heard('HEAD:refs/heads/topic', 'HEAD:refs/tags/v1')).events.length, 2)
  const tags = ['a', 'b', 'c', 'd'].map((name) => `HEAD:refs/tags/${name}`)
  is('git: four tags are not told', (await heard(...tags)).events.length, 0)
  const deleted = await heard(':refs/heads/topic')
  is(
    'git: a deletion is',
    deleted.events.map(({ payload }) => [payload.deleted, payload.ref]),
    [[true, 'refs/heads/topic']],
  )
  await commit('two', '--amend')
  is('git: history is not overwritten', (await heard('HEAD:main')).code, 1)
  is(
    'git: unless forced',
    (await heard('-f', 'HEAD:main')).events.map(({ payload }) => payload.forced),
    [true],
  )
  const reader = lab.do.app({ owner: 'acme', name: 'Reader', permissions: { contents: 'read' } })
  const { id } = lab.do.install({ slug: reader.slug, login: 'acme' })
  const { request } = appOf(client, reader.id, reader.pem).octokit
  const permissions = { contents: 'read' } as const
  const narrow = { installation_id: id, repositories: ['shop'], permissions }
  const minted = (await request('POST /app/installations/{installation_id}/access_tokens', narrow)).data.token
  is(
    'git: clone with an installation token',
    (await remote(minted, 'clone', '-q', address, join(home, 'second'))).code,
    0,
  )
  is('git: which cannot push', (await remote(minted, '-C', copy, 'push', '-q', address, 'HEAD:refs/heads/x')).code, 128)
  lab.do.user({ login: 'mallory' })
  const stranger = lab.do.token({ login: 'mallory' }).token
  is('git: a stranger', (await remote(stranger, 'ls-remote', address)).code, 128)
  await call('PATCH', '/repos/acme/shop', token, { name: 'store' })
  is('git: by its former name', (await remote(token, 'ls-remote', address)).code, 0)
  wire.close()
}

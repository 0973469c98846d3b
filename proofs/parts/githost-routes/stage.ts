import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { labPart } from '../../../lab/ask.ts'
import { type GitHost, startGitHost } from '../../../lab/githost/start.ts'
import { bootstrap, type RunningServer, startServer } from '../../../test-kit/built-server.ts'
import { createDatabase } from '../../../test-kit/database.ts'
import { githostBrowser } from '../../../test-kit/githost-browser.ts'

// biome-ignore lint/suspicious/noExplicitAny: a proof looks at single fields of answers
type Loose = any
export type Answer = { status: number; body: Loose; text: string; retryAfter: number }
export type Tenant = {
  orgId: string
  token: string
  api(method: string, path: string, body?: unknown): Promise<Answer>
}
export type Tally = { cases: number; failed: string[] }
export type Stage = Awaited<ReturnType<typeof openStage>>

const PUBLIC_URL = 'https://slipway.example.com'
export const REDIRECT = `${PUBLIC_URL}/api/githost/connect/redirect`
/** The id that `gh` carries for its own device login. */
const GH_CLIENT = '178c6fc778ccc68e1d6a'
const MOST_SHOWN = 40
const MINIMAL = { metadata: 'read', contents: 'read', statuses: 'write', deployments: 'write' } as const

/** An instance that runs beside the lab's git host: an app registered by hand, an OAuth app, and `gh` of this machine. */
export async function openStage() {
  const dir = mkdtempSync(join(tmpdir(), 'sw-githost-'))
  const host = await startGitHost({ dir: join(dir, 'host') })
  const people = populate(host)
  const app = host.do.app({
    ...{ owner: 'ada', name: 'slipway-instance', permissions: MINIMAL, public: true, requestOauthOnInstall: true },
    ...{
      callbackUrls: [REDIRECT],
      setupUrl: REDIRECT,
      hookUrl: 'http://127.0.0.1:9/none',
      webhookSecret: 'x'.repeat(32),
    },
  })
  const oauth = host.do.oauthApp({ name: 'slipway', callbackUrls: [REDIRECT] })
  host.do.oauthApp({ name: 'GitHub CLI', callbackUrls: ['http://127.0.0.1/'], clientId: GH_CLIENT })
  const [keyFile, ghDir] = [join(dir, 'app.pem'), join(dir, 'gh')]
  writeFileSync(keyFile, app.pem, { mode: 0o600 })
  mkdirSync(ghDir)
  const database = await createDatabase({ migrated: true })
  const logFile = join(dir, 'server.log')
  const env = {
    SLIPWAY_GITHOST_URL: host.url,
    SLIPWAY_GIT_CA_FILE: host.caFile,
    SLIPWAY_PUBLIC_URL: PUBLIC_URL,
    SLIPWAY_LOG_LEVEL: 'trace',
    SLIPWAY_GH: labPart('githost').gh,
    SLIPWAY_GH_CONFIG_DIR: ghDir,
    SLIPWAY_GITHOST_CLIENT_ID: oauth.clientId,
  }
  const ofApp = {
    SLIPWAY_GITHOST_CLIENT_SECRET: oauth.clientSecret,
    SLIPWAY_GITHOST_APP_ID: String(app.id),
    SLIPWAY_GITHOST_APP_SLUG: app.slug,
    SLIPWAY_GITHOST_APP_CLIENT_ID: app.clientId,
    SLIPWAY_GITHOST_APP_CLIENT_SECRET: app.clientSecret,
    SLIPWAY_GITHOST_APP_KEY_FILE: keyFile,
    SLIPWAY_GITHOST_APP_WEBHOOK_SECRET: 'x'.repeat(32),
  }
  const start = (more: Record<string, string>) =>
    startServer({ databaseUrl: database.url, logFile, dataDir: join(dir, 'data'), env: { ...env, ...more } })
  const tally: Tally = { cases: 0, failed: [] }
  const answers: string[] = []
  // The first organization is the one that the machine's own login serves.
  const first = await bootstrap(database.url, 'first@example.com')
  const server = await start(ofApp)
  const tenant = (made: { orgId: string; token: string }, at: RunningServer = server): Tenant => ({
    ...made,
    api: (method, path, body) => ask(at.url, made.token, method, path, body, answers),
  })
  const servers = [server]
  return {
    dir,
    host,
    people,
    app,
    oauth,
    database,
    logFile,
    server,
    tally,
    answers,
    ghDir,
    first: tenant(first),
    tenant: async (email: string, at?: RunningServer) => tenant(await bootstrap(database.url, email), at),
    /** Another process of the instance, whose OAuth app has no secret and which has no app: people sign in by a code. */
    startDevice: async (more: Record<string, string> = {}) => {
      const started = await start(more)
      servers.push(started)
      return started
    },
    browser: () =>
      githostBrowser({ host, publicUrl: PUBLIC_URL, ask: (path, cookie) => page(server.url, path, cookie) }),
    isConnected: async ({ orgId }: Tenant) => {
      const asked = 'select 1 from githost_account where org_id = $1'
      return (await database.pool.query(asked, [orgId])).rows.length > 0
    },
    check: checker(tally),
    async close() {
      for (const one of servers) await one.stop('SIGKILL').catch(() => {})
      await database.drop()
      await host.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** ada signs in by the web, cleo on this machine; acme is an organization of both. */
function populate(host: GitHost) {
  for (const login of ['ada', 'cleo', 'dora', 'mallory']) host.do.user({ login })
  host.do.org({ login: 'acme', members: { ada: 'admin', cleo: 'admin' } })
  host.do.autoApprove({ on: true })
  host.do.limits({ primary: 100_000, secondary: false })
  // Shorter than what is worth keeping: the server makes one for each use, so that nothing is hidden by an old one.
  host.do.tokenLife({ ms: 60_000 })
  return { oauth: 'ada', cli: 'cleo', stranger: 'mallory', installed: 'dora' }
}

async function ask(base: string, token: string, method: string, path: string, body: unknown, kept: string[]) {
  const answer = await fetch(`${base}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  })
  const text = await answer.text()
  // What it is for is to show a token.
  if (!path.endsWith('/clone-token') || answer.status !== 200) kept.push(text)
  const retryAfter = Number(answer.headers.get('retry-after') ?? 0)
  return { status: answer.status, text, body: text.startsWith('{') ? JSON.parse(text) : null, retryAfter }
}

async function page(base: string, path: string, cookie: string) {
  const answer = await fetch(`${base}${path}`, { headers: { cookie }, redirect: 'manual' })
  const headers: Record<string, unknown> = Object.fromEntries(answer.headers)
  return {
    status: answer.status,
    text: await answer.text(),
    headers: { ...headers, 'set-cookie': answer.headers.getSetCookie() },
  }
}

const checker = (tally: Tally) => (what: string, got: unknown, wanted: unknown) => {
  tally.cases++
  if (JSON.stringify(got) === JSON.stringify(wanted)) return
  tally.failed.push(what)
  if (tally.failed.length <= MOST_SHOWN)
    console.log(`  WRONG ${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`)
}

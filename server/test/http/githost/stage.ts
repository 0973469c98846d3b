import { mkdtemp, readFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { type GitHost, startGitHost } from '../../../../lab/githost/start.ts'
import type { Config } from '../../../src/config.ts'
import { accountPlace } from '../../../src/core/githost/secrets.ts'
import { newId } from '../../../src/db/ids.ts'
import type { GithostConfig } from '../../../src/githost-config.ts'
import { type Org, startWorld, type World } from '../../harness.ts'

export const PUBLIC_URL = 'https://slipway.example.com'
export const REDIRECT = `${PUBLIC_URL}/api/githost/connect/redirect`

/** A Slipway whose git host is the lab's. `more` may need what is made at the host first. */
export async function startGithostWorld(
  more: (host: GitHost) => Partial<GithostConfig> = () => ({}),
  overrides: Partial<Config> = {},
) {
  const host = await startLabHost()
  const config = { ...configFor(host), ...overrides }
  const world = await startWorld({ ...config, githost: { ...config.githost, ...more(host) } })
  return { host, world, browser: () => browserOf(host, world) }
}

export async function startLabHost(): Promise<GitHost> {
  const host = await startGitHost({ dir: await mkdtemp(join(tmpdir(), 'slipway-githost-')) })
  afterAll(() => host.stop())
  return host
}

export const configFor = (host: GitHost) => ({
  publicUrl: PUBLIC_URL,
  allowedNetworks: ['127.0.0.0/8'],
  gitCaFile: host.caFile,
  githost: {
    url: host.url,
    host: new URL(host.url).host,
    apiUrl: `${host.url}/api/v3`,
    oauth: null,
    app: null,
    cli: { program: '/nonexistent/gh', configDir: null, orgId: null },
    cloudUrl: null,
  } as GithostConfig,
})

/** An app of the whole instance, registered by hand at the lab's host. */
export function registeredApp(host: GitHost, owner: string, more: object = {}) {
  const made = host.do.app({
    owner,
    name: `slipway-${owner}`,
    permissions: { metadata: 'read', contents: 'read', statuses: 'write' },
    callbackUrls: [REDIRECT],
    setupUrl: REDIRECT,
    public: true,
    requestOauthOnInstall: true,
    ...more,
  })
  const { id, slug, clientId, clientSecret, pem } = made
  return { appId: id, slug, clientId, clientSecret, privateKey: pem, webhookSecret: null }
}

/** Connects an organization with an account of its own at the host, without a browser; its login. */
export async function connectedLogin({ platform: { db, keys } }: World, host: GitHost, org: Org, as?: string) {
  const login = as ?? `person-${org.id.slice(-8)}`
  const known = await db.selectFrom('githostAccount').select('id').where('orgId', '=', org.id).executeTakeFirst()
  if (known) return login
  host.do.user({ login })
  const id = newId('ghc')
  const token = keys.seal(
    host.do.token({ login, scopes: ['repo', 'read:org', 'delete_repo'] }).token,
    accountPlace(id, 'token'),
  )
  await db.insertInto('githostAccount').values({ id, orgId: org.id, kind: 'oauth', login, token }).execute()
  return login
}

type Shown = { status: number; text: string; url: string; headers: Record<string, unknown> }

/** A browser with cookies for both sides. Follows redirects; at the host it is signed in as `as`. */
function browserOf(host: GitHost, world: World) {
  const jars = { ours: new Map<string, string>(), theirs: new Map<string, string>() }
  const keep = (jar: Map<string, string>, set: unknown) => {
    for (const line of [set].flat()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(String(line ?? '')) ?? []
      if (name) jar.set(name, value ?? '')
    }
  }
  const cookie = (jar: Map<string, string>) => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const once = async (address: string, form?: URLSearchParams): Promise<Shown> => {
    if (address.startsWith(PUBLIC_URL)) {
      const headers = { cookie: cookie(jars.ours) }
      const answer = await world.app.inject({ method: 'GET', url: address.slice(PUBLIC_URL.length), headers })
      keep(jars.ours, answer.headers['set-cookie'])
      return { status: answer.statusCode, text: answer.body, url: address, headers: answer.headers }
    }
    const answer = await atHost(host, address, cookie(jars.theirs), form)
    keep(jars.theirs, answer.headers['set-cookie'])
    return answer
  }
  return {
    jars,
    signIn: (as: string) => once(`${host.url}/login?as=${as}`),
    /** To the first page that is not a redirect; `until` stops before an address. */
    async visit(address: string, form?: URLSearchParams, until?: RegExp): Promise<Shown> {
      let shown = await once(address, form)
      for (let hops = 0; hops < 10 && shown.status >= 300 && shown.status < 400; hops++) {
        const to = new URL(String(shown.headers.location), shown.url).href
        if (until?.test(to)) return { ...shown, url: to }
        shown = await once(to)
      }
      return shown
    },
  }
}
export type Browser = ReturnType<typeof browserOf>

async function atHost(host: GitHost, address: string, cookie: string, form?: URLSearchParams): Promise<Shown> {
  const ca = await readFile(host.caFile)
  const headers = { cookie, ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) }
  return new Promise((resolve, reject) => {
    const asked = request(address, { ca, method: form ? 'POST' : 'GET', headers }, async (answer) => {
      let text = ''
      for await (const chunk of answer) text += chunk
      resolve({ status: answer.statusCode ?? 0, text, url: address, headers: answer.headers })
    })
    asked.on('error', reject).end(form?.toString())
  })
}

/** The address that the only link or form of our page leads to, and what the form carries. */
export function buttonOf(html: string): { action: string; form: URLSearchParams | undefined } {
  const plain = (text: string) => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
  const action = plain(/(?:href|action)="([^"]+)"/.exec(html)?.[1] ?? '')
  const manifest = /name="manifest" value="([^"]*)"/.exec(html)?.[1]
  return { action, form: manifest === undefined ? undefined : new URLSearchParams({ manifest: plain(manifest) }) }
}

/** Opens our page, presses its button, and agrees to whatever the host asks. */
export async function connectBy(browser: Browser, as: string, url: string, more: Record<string, string> = {}) {
  await browser.signIn(as)
  const page = await browser.visit(url)
  const { action, form } = buttonOf(page.text)
  const asked = new URL(action)
  for (const [name, value] of Object.entries(more)) asked.searchParams.set(name, value)
  return browser.visit(asked.href, form)
}

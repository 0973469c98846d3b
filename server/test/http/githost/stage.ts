import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { type GitHost, startGitHost } from '../../../../lab/githost/start.ts'
import { githostBrowser } from '../../../../test-kit/githost-browser.ts'
import { type Org, startWorld, type World } from '../../../../test-kit/world.ts'
import type { Config } from '../../../src/config.ts'
import { accountPlace } from '../../../src/core/githost/secrets.ts'
import { newId } from '../../../src/db/ids.ts'
import type { GithostConfig } from '../../../src/githost-config.ts'

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
  const ask = async (url: string, cookie: string) => {
    const answer = await world.app.inject({ method: 'GET', url, headers: { cookie } })
    return { status: answer.statusCode, text: answer.body, headers: answer.headers }
  }
  return { host, world, browser: () => githostBrowser({ host, publicUrl: PUBLIC_URL, ask }) }
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
  return { appId: id, slug, clientId, clientSecret, privateKey: pem, webhookSecret: null, oldWebhookSecret: null }
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

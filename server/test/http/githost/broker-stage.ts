import { buttonOf, githostBrowser } from '../../../../test-kit/githost-browser.ts'
import type { Org, World } from '../../../../test-kit/world.ts'
import { startTwoWorlds } from '../links/two-worlds.ts'
import { configFor, registeredApp, startLabHost } from './stage.ts'

export const REDIRECT_PATH = '/api/githost/connect/redirect'
export const HOME_URL = 'https://home.example.com'

/** A cloud with an app at the lab's git host, and an instance without one that can be linked to it. */
export async function startBrokered() {
  const host = await startLabHost()
  for (const login of ['ada', 'bob', 'mallory']) host.do.user({ login })
  host.do.org({ login: 'acme', members: { ada: 'admin', bob: 'member' } })
  const shop = await host.do.repo({ full: 'acme/shop', private: true, files: { 'package.json': '{"name":"shop"}' } })
  const books = await host.do.repo({ full: 'acme/books', private: true, files: { 'a.txt': 'a' } })
  host.do.autoApprove({ on: true })
  const { publicUrl: _, ...config } = configFor(host)
  const worlds = await startTwoWorlds((cloudUrl) => {
    const back = `${cloudUrl}${REDIRECT_PATH}`
    const permissions = { metadata: 'read', contents: 'read', statuses: 'write', administration: 'write' }
    const app = registeredApp(host, 'acme', { callbackUrls: [back], setupUrl: back, permissions })
    return { home: config, cloud: { ...config, githost: { ...config.githost, app } } }
  })
  const { home, cloud, line } = worlds
  const browser = () =>
    githostBrowser({
      host,
      ...{ publicUrl: HOME_URL, ask: asking(home) },
      cloud: { publicUrl: line.url, ask: asking(cloud) },
    })
  return { ...worlds, host, repos: { shop, books }, browser }
}
export type Brokered = Awaited<ReturnType<typeof startBrokered>>

const asking =
  ({ app }: World) =>
  async (url: string, cookie: string) => {
    const answer = await app.inject({ method: 'GET', url, headers: { cookie } })
    return { status: answer.statusCode, text: answer.body, headers: answer.headers }
  }

/** Begins at the instance; the address of its page. */
export async function begin({ owner }: Org): Promise<string> {
  const answer = await owner.api('POST', '/api/githost/connect', { source: 'cloud' })
  if (answer.status !== 200 || answer.body.flow !== 'redirect') throw new Error(answer.text)
  return answer.body.url
}

/** Presses the buttons of both pages, up to that of the cloud; what it leads to at the git host. */
export async function toHost({ browser }: Brokered, url: string, as: string) {
  const visitor = browser()
  await visitor.signIn(as)
  const here = await visitor.visit(url)
  const there = await visitor.visit(buttonOf(here.text).action)
  return { visitor, here, there, action: buttonOf(there.text).action }
}

/** The whole round, with the account `target` at the git host. */
export async function connectThrough(brokered: Brokered, url: string, as: string, target: string) {
  const { visitor, action } = await toHost(brokered, url, as)
  return visitor.visit(`${action}&target=${target}`)
}

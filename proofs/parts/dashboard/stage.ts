import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { startBrowser } from '../../../lab/browser.ts'
import { bootstrap } from '../../../test-kit/built-server.ts'
import { freePort } from '../../../test-kit/free-port.ts'
import type { Files } from '../../../test-kit/sample-app.ts'
import { serveNames } from '../../../test-kit/serve-names.ts'
import { openSite } from '../../../test-kit/site.ts'
import { openFront } from './front.ts'
import { provedDashboard } from './proved-dashboard.ts'
import { watchState } from './watch.ts'

const DEADLINE_MS = 120_000
/** Where names are to lead; nobody connects to it. */
export const HERE = '192.0.2.10'

export type Stage = Awaited<ReturnType<typeof openStage>>

/** A real instance with the built dashboard and nobody in it yet, and somebody's browser. */
export async function openStage() {
  const port = await freePort()
  const names = await serveNames({})
  const front = await openFront(() => port)
  const env = {
    SLIPWAY_DASHBOARD_DIR: provedDashboard(),
    SLIPWAY_PUBLIC_URL: front.url,
    SLIPWAY_DNS_SERVERS: names.server,
    SLIPWAY_PUBLIC_ADDRESSES: HERE,
  }
  const site = await openSite({ name: 'pages', env })
  const folders = mkdtempSync(join(tmpdir(), 'sw-pages-'))
  const browser = await startBrowser()
  const faults: string[] = []
  let kills = 0
  await site.start({ port })
  const { link } = (await bootstrap(site.databaseUrl, 'ada@example.com')) as { link: string } & Awaited<
    ReturnType<typeof bootstrap>
  >
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 }, baseURL: front.url })
  await context.addInitScript(TELL_VIOLATIONS)
  const page = await context.newPage()
  page.setDefaultTimeout(DEADLINE_MS)
  page.on('pageerror', (error) => faults.push(`the page threw: ${error}`))
  page.on('console', (message) => {
    if (/Content Security Policy|securitypolicy/i.test(message.text())) faults.push(message.text())
  })
  const watch = await watchState(page)
  return {
    ...{ site, names, front, page, watch, faults, link: new URL(link) },
    /** With -9, and started again at the same place. */
    async kill() {
      kills++
      await site.replicas.at(-1)?.stop('SIGKILL')
      await site.start({ port })
    },
    kills: () => kills,
    /** A folder on this machine that somebody has written. */
    folder: (name: string, files: Files) => written(join(folders, `${kills}-${Date.now()}`, name), files),
    async close() {
      await browser.close()
      front.close()
      await site.close()
      names.close()
      rmSync(folders, { recursive: true, force: true })
    },
  }
}

const TELL_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('securitypolicyviolation', event.violatedDirective, event.blockedURI))`

function written(folder: string, files: Files): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

export const idOf = (page: Page): string => new URL(page.url()).pathname.split('/')[2] ?? ''

/** Until the page calls the deployment so. */
export const called = (page: Page, word: string): Promise<void> =>
  page.locator('#main [data-state]', { hasText: new RegExp(`^${word}$`) }).waitFor()

/** What the API says to whoever is signed in. */
// biome-ignore lint/suspicious/noExplicitAny: a proof looks at single fields of answers
export const asked = async (page: Page, path: string): Promise<any> => (await page.request.get(path)).json()

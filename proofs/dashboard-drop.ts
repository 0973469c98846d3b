import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '../lab/browser.ts'
import { bootstrap, startServer } from '../test-kit/built-server.ts'
import { createDatabase } from '../test-kit/database.ts'
import { freePort } from '../test-kit/free-port.ts'
import { provedDashboard } from './parts/dashboard/proved-dashboard.ts'

export const claim =
  'A folder of 2,000 files that is given to a browser is sent once: the same again sends nothing, and one changed file is all that a change sends.'
export const kind = 'story'
export const quick = false

const FILES = 2000
const FILE_BYTES = 20_000
const PATIENCE_MS = 120_000

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const root = mkdtempSync(join(tmpdir(), 'slipway-drop-'))
  const stage = await openStage()
  try {
    const folder = makeFolder(join(root, 'shop'))
    const first = await give(stage.page, folder)
    const again = await give(stage.page, folder)
    write(folder, 'src/0.js', 'changed')
    const changed = await give(stage.page, folder)
    const isKept = again.contents === 0 && again.requests === 0 && changed.contents === 1
    return {
      ok: first.contents === FILES && isKept && stage.secrets() === 0,
      figure: [
        `${FILES} files of ${((FILES * FILE_BYTES) / 1e6).toFixed(0)} MB: ${first.contents} sent in ${first.requests} requests and ${first.seconds} s`,
        `the same again ${again.contents} sent in ${again.requests} requests and ${again.seconds} s`,
        `with one changed ${changed.contents}; ${stage.secrets()} announcements name a file of secrets`,
      ].join('; '),
    }
  } finally {
    await stage.close()
    rmSync(root, { recursive: true, force: true })
  }
}

/** The built server with the built dashboard, and somebody who has come in by the first link. */
async function openStage() {
  const database = await createDatabase({ migrated: true })
  const made = (await bootstrap(database.url)) as { token: string; orgId: string; link: string }
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    SLIPWAY_PUBLIC_URL: url,
    SLIPWAY_DASHBOARD_DIR: provedDashboard(),
    SLIPWAY_UPLOAD_FILES: String(FILES + 100),
  }
  const server = await startServer({ databaseUrl: database.url, argv: ['--role', 'api'], env, port })
  const browser = await startBrowser()
  const page = await signedIn(browser, `${url}/join${new URL(made.link).hash}`)
  let secrets = 0
  page.context().on('request', (request) => {
    const isAnnouncement = request.method() === 'POST' && request.url().endsWith('/folder-sessions')
    if (isAnnouncement && /"path":"[^"]*\.env/.test(request.postData() ?? '')) secrets += 1
  })
  return {
    page,
    secrets: () => secrets,
    async close() {
      await browser.close()
      await server.stop()
      await database.drop()
    },
  }
}

async function signedIn(browser: Browser, link: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: new URL(link).origin, reducedMotion: 'reduce' })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  await page.goto(link)
  await page.getByLabel('Email').fill('owner@example.com')
  await page.getByLabel('Your name').fill('Owner')
  await page.getByLabel('Password').fill('a password of ten letters')
  await page.getByRole('button', { name: 'Join and sign in' }).click()
  await page.waitForURL('**/setup')
  return page
}

/** Distinct contents, beside what is never sent. */
function makeFolder(folder: string): string {
  for (let n = 0; n < FILES; n++) write(folder, `src/${n}.js`, `// ${n}\n`.padEnd(FILE_BYTES, String(n)))
  write(folder, '.env', 'SECRET=1\n')
  write(folder, 'node_modules/left/index.js', 'left')
  return folder
}

function write(folder: string, path: string, text: string): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Chooses the folder on the page of a new project, and waits until the server has all of it. */
async function give(page: Page, folder: string) {
  let requests = 0
  const count = (request: { url(): string }) => {
    if (/\/blobs(\/|$)/.test(new URL(request.url()).pathname)) requests += 1
  }
  await page.goto('/new')
  await page.getByText('Drop a folder here').waitFor()
  page.context().on('request', count)
  const began = performance.now()
  await page.locator('input[type=file]').setInputFiles(folder)
  const line = page.getByText(/files, .* · /)
  await line.waitFor()
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  page.context().off('request', count)
  const sent = /([\d,]+) sent/.exec((await line.textContent()) ?? '')?.[1] ?? '0'
  return { contents: Number(sent.replaceAll(',', '')), requests, seconds }
}

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, expect } from 'vitest'
import { startBrowser } from '../../lab/browser.ts'
import type { Config } from '../../server/src/config.ts'
import { freePort } from '../../test-kit/free-port.ts'
import { startWorld, type World } from '../../test-kit/world.ts'
import { builtDashboard } from './built.ts'

export const WIDE = { width: 1360, height: 860 }
export const NARROW = { width: 360, height: 760 }
const DEADLINE_MS = 60_000

/** Where a stage is to be: its address, and what a server must know of it. */
export async function newPlace() {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  return { url, config: { publicUrl: url, port, dashboardDir: await builtDashboard() } }
}

/** A server that listens, with the built dashboard, and a browser in front of it. One per test file, or one of each mode. */
export async function openStage(overrides: Partial<Config> = {}) {
  const { url, config } = await newPlace()
  return openStageOf(await startWorld({ ...overrides, ...config }), url)
}

/** The same of a world that somebody else has made for this place. */
export async function openStageOf(world: World, url: string) {
  await world.app.listen({ host: '127.0.0.1', port: Number(new URL(url).port) })
  const browser = await startBrowser()
  const faults: string[] = []
  afterAll(async () => {
    await browser.close()
    expect(faults, 'violations of the policy, and errors of the page').toEqual([])
  })
  return {
    url,
    world,
    /** A page of a browser that nobody has used yet. */
    open: (options: BrowserContextOptions = {}) => openPage(browser, url, faults, options),
  }
}

/** What a page begins with for somebody who has signed in; how that is done, other tests say. */
export async function signedInAs(world: World, person: { userId: string }) {
  const [name = '', ...value] = (await world.session(person)).cookie.split('=')
  const rest = { domain: '127.0.0.1', path: '/', expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' as const }
  return { cookies: [{ name, value: value.join('='), ...rest }], origins: [] }
}

/** Some are told on the console by the browser itself, and some only to who listens. */
const TELL_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('securitypolicyviolation', event.violatedDirective, event.blockedURI))`

async function openPage(
  browser: Browser,
  url: string,
  faults: string[],
  options: BrowserContextOptions,
): Promise<Page> {
  const isNarrow = options.viewport === NARROW
  const context = await browser.newContext({
    viewport: WIDE,
    baseURL: url,
    reducedMotion: 'reduce',
    ...(isNarrow && { hasTouch: true, isMobile: true }),
    ...options,
  })
  await context.addInitScript(TELL_VIOLATIONS)
  const page = await context.newPage()
  page.setDefaultTimeout(DEADLINE_MS)
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (/Content Security Policy|securitypolicy/i.test(message.text())) faults.push(message.text())
  })
  return page
}

/** How far the page is wider than its window: no page is to be moved sideways. */
export const overhang = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - window.innerWidth')

type Newcomer = { email: string; name: string; password: string }

/** Comes in by a link as a person would; the cookies that other pages may begin with. */
export async function joinAs(page: Page, link: string, { email, name, password }: Newcomer) {
  await page.goto(link)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Your name').fill(name)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Join and sign in' }).click()
  await page.getByRole('heading', { level: 1, name: `Welcome, ${name}` }).waitFor()
  return page.context().storageState()
}

export async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
}

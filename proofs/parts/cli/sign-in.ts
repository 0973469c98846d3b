import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '../../../lab/browser.ts'
import { until } from '../../../test-kit/until.ts'
import type { Check } from './checks.ts'
import { jsonOf, type Machine, runCli } from './run-cli.ts'
import { onTerminal } from './terminal.ts'

const ADA = { email: 'ada@example.com', password: 'a password of ten letters' }

type Desk = { check: Check; url: string; page: Page /** Where nobody is signed in yet. */; machine: Machine }

/** A person with a browser lets three machines in: one beside it, one elsewhere, one by a token; and refuses a fourth. */
export async function signingIn(check: Check, owner: Machine): Promise<string> {
  const url = owner.env.SLIPWAY_URL as string
  const browser = await startBrowser()
  try {
    const page = await joined(check, browser, owner)
    const desk = (name: string): Desk => ({ check, url, page, machine: fresh(owner, name) })
    await besideABrowser(desk('beside'))
    await withABrowserElsewhere(desk('elsewhere'))
    await refused(desk('refused'))
    const byToken = fresh(owner, 'token')
    const stdin = `${owner.env.SLIPWAY_TOKEN}\n`
    const given = await runCli(byToken, ['login', url, '--token-stdin', '--json'], { stdin })
    check(`by a token: exit code ${given.code}`, given.code === 0 && (await whoIs(byToken)) === 'owner@example.com')
    return `signed in by Chromium ${browser.version()} beside the terminal, by a code elsewhere and by a token`
  } finally {
    await browser.close()
  }
}

function fresh({ home }: Machine, name: string): Machine {
  const folder = mkdtempSync(join(home, `${name}-`))
  return { home: folder, env: {} }
}

const whoIs = async (machine: Machine) =>
  (jsonOf(await runCli(machine, ['whoami', '--json'])) as { user?: { email: string } }).user?.email

/** An invitation as the command line prints it, opened as a person would. */
async function joined(check: Check, browser: Browser, owner: Machine): Promise<Page> {
  const invited = jsonOf(await runCli(owner, ['members', 'invite', ADA.email, 'admin', '--json']))
  const page = await (await browser.newContext()).newPage()
  await page.goto((invited as { link: string }).link)
  await page.fill('input[name=email]', ADA.email)
  await page.fill('input[name=password]', ADA.password)
  await page.click('text="Join and sign in"')
  await page.waitForURL('**/setup')
  check('an invitation is taken in a browser', (await page.request.get('/api/me')).ok())
  // What follows begins with nobody signed in.
  await page.context().clearCookies()
  return page
}

async function signInOn(page: Page): Promise<void> {
  await page.fill('input[name=email]', ADA.email)
  await page.fill('input[name=password]', ADA.password)
  await page.click('button[value=sign-in]')
}

/** The command line opens the browser itself; the page shows the code of the terminal and brings a code of its own back. */
async function besideABrowser({ check, url, page, machine }: Desk): Promise<void> {
  const opened = join(machine.home, 'opened')
  const env = { DISPLAY: ':99', PATH: `${opener(machine.home, opened)}:${process.env.PATH}` }
  const waiting = onTerminal({ ...machine, env }, ['login', url])
  const asked = await until('the command line opens a browser', 30_000, () => {
    try {
      return readFileSync(opened, 'utf8') || undefined
    } catch {
      return undefined
    }
  })
  await page.goto(asked)
  await signInOn(page)
  const code = (await page.textContent('.code')) ?? 'none'
  await page.click('button[value=approve]')
  await page.waitForURL('http://127.0.0.1:*/**')
  const back = await page.textContent('h1')
  const { out, code: exit } = await waiting
  check(`in a browser beside it: exit code ${exit}`, exit === 0 && out.includes(`as ${ADA.email}`))
  check('the page and the terminal showed the same code', out.includes(code) && back === 'Back to your terminal')
  check('it is that person from then on', (await whoIs(machine)) === ADA.email)
}

/** What a desktop has under this name: here it only says what it was asked for. */
function opener(home: string, opened: string): string {
  const folder = join(home, 'bin')
  mkdirSync(folder)
  const program = join(folder, 'xdg-open')
  const renamed = `require('node:fs').renameSync(${JSON.stringify(`${opened}.part`)}, ${JSON.stringify(opened)})`
  const written = `require('node:fs').writeFileSync(${JSON.stringify(`${opened}.part`)}, process.argv[2])`
  writeFileSync(program, `#!${process.execPath}\n${written}\n${renamed}\n`)
  chmodSync(program, 0o755)
  return folder
}

type Waiting = { verifyUrl: string; userCode: string }

/** No terminal, no browser here: a code is typed on another machine. */
async function withABrowserElsewhere({ check, url, page, machine }: Desk): Promise<void> {
  const { asked, ended } = askForCode(machine, url)
  const { verifyUrl, userCode } = await asked
  check('a link that is sent around brings no code along', !verifyUrl.includes(userCode))
  await page.goto(verifyUrl)
  await page.fill('input[name=code]', userCode.toLowerCase().replace('-', ' '))
  await page.click('button[value=look]')
  await page.click('button[value=approve]')
  const { code } = await ended
  check(`by a code elsewhere: exit code ${code}`, code === 0 && (await whoIs(machine)) === ADA.email)
  const out = await runCli(machine, ['logout', '--json'])
  check(`logout: exit code ${out.code}, and the token is gone`, out.code === 0)
}

async function refused({ check, url, page, machine }: Desk): Promise<void> {
  const { asked, ended } = askForCode(machine, url)
  const { verifyUrl, userCode } = await asked
  await page.goto(verifyUrl)
  await page.fill('input[name=code]', userCode)
  await page.click('button[value=look]')
  await page.click('button[value=deny]')
  const { code, out } = await ended
  check(`refused in the browser: exit code ${code}`, code === 4 && out.includes('"access_denied"'))
}

function askForCode(machine: Machine, url: string) {
  const { promise: asked, resolve } = Promise.withResolvers<Waiting>()
  let printed = ''
  const heard = (text: string) => {
    printed += text
    const line = printed.split('\n').find((one, n, all) => n < all.length - 1 && one.includes('"waiting"'))
    if (line !== undefined) resolve(JSON.parse(line) as Waiting)
  }
  const ended = runCli(machine, ['login', url, '--device', '--json'], { heard })
  return { asked, ended }
}

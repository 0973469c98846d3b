import type { Page } from 'playwright-core'
import type { Files } from '../../../test-kit/sample-app.ts'
import { until } from '../../../test-kit/until.ts'
import { wrongLines } from './log-lines.ts'
import { asked, called, HERE, idOf, type Stage } from './stage.ts'

const ADA = { name: 'Ada', email: 'ada@example.com', password: 'a password of ten letters' }
const LINES = 300

/** What must hold, by its words; what does not is told. */
export type Check = (ok: boolean, words: string) => void

/** By the link that the operator got: a first admin, and a server that was looked at. */
export async function comesIn({ page, link }: Stage, check: Check): Promise<void> {
  await page.goto(`${link.pathname}${link.hash}`)
  await page.getByLabel('Email').fill(ADA.email)
  await page.getByLabel('Your name').fill(ADA.name)
  await page.getByLabel('Password').fill(ADA.password)
  await page.getByRole('button', { name: 'Join and sign in' }).click()
  await page.getByRole('heading', { level: 1, name: `Welcome, ${ADA.name}` }).waitFor()
  await page.getByRole('button', { name: 'Use this machine' }).click()
  await page.getByRole('link', { name: 'Drop a folder' }).waitFor()
  const report = await until('the server was looked at', 60_000, async () => {
    const { data } = await asked(page, '/api/servers')
    return data[0]?.lastReport ?? undefined
  })
  check(report.ok === true, 'a server was added, looked at, and found to be right')
}

const SERVER = `require('node:http').createServer((q, r) => r.end('version ' + require('./version.json'))).listen(3000)`
/** Says many lines while it is built, for some seconds; the last line of the Dockerfile decides how it ends. */
const slowApp = (version: number, last = 'CMD ["node", "server.js"]'): Files => ({
  'server.js': SERVER,
  'version.json': String(version),
  'say.js': `let n = 0; const t = setInterval(() => { for (let i = 0; i < 10; i++) console.log('line ' + ++n + ' of version ${version}'); if (n >= ${LINES}) clearInterval(t) }, 200)`,
  Dockerfile: `FROM node:24-slim\nWORKDIR /app\nCOPY . .\nRUN node say.js\nEXPOSE 3000\n${last}\n`,
})

/** A folder becomes an address; the server dies while it is built, and the page goes on where it was. */
export async function dropsFolder(stage: Stage, check: Check): Promise<string> {
  const { page, site } = stage
  await page.goto('/new')
  const id = await deployFolder(stage, 'shop', slowApp(1))
  await called(page, 'Building')
  await page.getByText('of version 1').first().waitFor()
  await stage.kill()
  await called(page, 'Live')
  const { lines, wrong } = await wrongLines(stage, id)
  check(wrong.length === 0, `${lines} lines on the page while the server was killed: ${wrong.slice(0, 3).join('; ')}`)
  check(lines >= LINES, `the log has ${lines} lines`)
  const answer = await site.visit('shop')
  check(answer.text === 'version 1', `the address answers ${answer.status} ${answer.text.slice(0, 40)}`)
  return id
}

async function deployFolder({ page, folder }: Stage, name: string, files: Files): Promise<string> {
  await page.locator('input[type=file]').setInputFiles(folder(name, files))
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await page.waitForURL('**/deployments/dep_*')
  return idOf(page)
}

/** A build that fails says why, and leads to the line. */
export async function failsToBuild(stage: Stage, check: Check): Promise<void> {
  const { page, site } = stage
  await page.goto(`/new?from=folder&project=${await projectId(page, 'shop')}`)
  const id = await deployFolder(stage, 'shop', slowApp(2, 'RUN node -e "console.log(\'the reason\'); process.exit(7)"'))
  await page.getByText('of version 2').first().waitFor()
  await stage.kill()
  await called(page, 'Failed')
  const card = page.getByRole('region', { name: 'Why it failed' })
  await card.getByRole('button', { name: /^Show line/ }).click()
  const { error } = await asked(page, `/api/deployments/${id}`)
  await page.waitForURL((url) => url.searchParams.get('line') === String(error?.logSeq))
  await page.locator(`[data-seq="${error?.logSeq}"]`).waitFor()
  const { lines, wrong } = await wrongLines(stage, id)
  check(wrong.length === 0, `${lines} lines of the build that failed: ${wrong.slice(0, 3).join('; ')}`)
  check((await card.textContent())?.includes(error?.message ?? '-') === true, 'the card has the API’s own words')
  check((await site.visit('shop')).text === 'version 1', 'visitors still get the release before')
}

const RUN =
  'if [ -f /app/broken ]; then exit 3; fi; mkdir /www; cp /app/version /www/index.html; exec httpd -f -p 8080 -h /www'
const PART = `FROM busybox:1\nCOPY . /app/\nCMD ${RUN}\n`
const stack = (version: number, broken: boolean): Files => ({
  'compose.yaml': 'services:\n  web: { build: ./web, expose: ["8080"] }\n  api: { build: ./api, expose: ["8080"] }\n',
  ...{
    'web/Dockerfile': PART,
    'web/version': `web ${version}`,
    'api/Dockerfile': PART,
    'api/version': `api ${version}`,
  },
  ...(broken && { 'api/broken': 'yes' }),
})

/** One of two services does not come up: what each answer would do is said, the server dies, and each answer does it. */
export async function decides(stage: Stage, check: Check): Promise<void> {
  const { page, site } = stage
  await page.goto('/new')
  await deployFolder(stage, 'stack', stack(1, false))
  await called(page, 'Live')
  const project = await projectId(page, 'stack')
  for (const [version, button, verb, word, shown] of [
    [2, 'Keep what came up', 'Keep', 'Live in part', 'web 2'],
    [3, 'Put everything back', 'Put back', 'Put back', 'web 2'],
  ] as const) {
    await page.goto(`/new?from=folder&project=${project}`)
    const id = await deployFolder(stage, 'stack', stack(version, true))
    await called(page, 'Action required')
    if (version === 2) await stage.kill()
    const { lines, wrong } = await wrongLines(stage, id)
    check(wrong.length === 0, `${lines} lines of what came up in part: ${wrong.slice(0, 3).join('; ')}`)
    const panel = page.getByRole('region', { name: 'A decision is needed' })
    await panel.getByRole('row', { name: /^web/ }).getByText(`as before`).first().waitFor()
    await panel.getByRole('button', { name: button }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: verb, exact: true }).click()
    await called(page, word)
    const served = (await site.visit('stack')).text.trim()
    check(served === shown, `after ${verb} visitors get ${served}, should be ${shown}`)
    const { status, decision } = await asked(page, `/api/deployments/${id}`)
    check(decision !== 'pending', `the API says ${status} ${decision} after ${verb}`)
  }
}

/** The dialog says what going back means, and it does. */
export async function goesBack(stage: Stage, first: string, check: Check): Promise<void> {
  const { page, site } = stage
  await page.goto(`/new?from=folder&project=${await projectId(page, 'shop')}`)
  await deployFolder(stage, 'shop', slowApp(4))
  await called(page, 'Live')
  check((await site.visit('shop')).text === 'version 4', 'the next version is served')
  await page.goto(`/deployments/${first}`)
  await page.getByRole('button', { name: 'Roll back to this' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByText('replaced by what ran then').waitFor()
  check(true, 'the dialog says what is replaced')
  await stage.kill()
  await dialog.getByRole('button', { name: 'Roll back', exact: true }).click()
  await until(
    'visitors get the first version again',
    120_000,
    async () => (await site.visit('shop').catch(() => undefined))?.text === 'version 1' || undefined,
  )
  check(true, 'visitors get the first version again')
}

/** A name that leads elsewhere is said with what was found and what is wanted, and is right when it is. */
export async function namesIt(stage: Stage, check: Check): Promise<void> {
  const { page, names } = stage
  const host = 'www.pages.example'
  names.zone[host] = { A: ['203.0.113.9'] }
  await page.goto(`/projects/${await projectId(page, 'shop')}?tab=domains`)
  await page.getByRole('button', { name: 'Add a domain' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a domain' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill(host)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText(`${host} leads to 203.0.113.9`).first().waitFor()
  names.zone[host] = { A: [HERE] }
  await stage.kill()
  await page.getByRole('listitem').filter({ hasText: host }).getByText('Leads here').waitFor()
  check(true, 'a wrong name is said with what is wanted, and is right when it is')
}

/** A token of ticked cells may what was ticked and no more, and what happened is in the activity. */
export async function handsOut(stage: Stage, check: Check): Promise<void> {
  const { page, front } = stage
  await page.goto('/settings?tab=tokens&make=token')
  const form = page.getByRole('form', { name: 'A new token' })
  await form.getByLabel('Name').fill('of the journey')
  await form.getByLabel('It may').selectOption('read')
  await form.getByRole('button', { name: 'Make the token' }).click()
  const shown = page.getByRole('dialog', { name: 'The token of the journey' })
  const authorization = `Bearer ${await shown.locator('[data-secret]').textContent()}`
  const answered = async (method: string, path: string) =>
    (await fetch(`${front.url}${path}`, { method, headers: { authorization, 'content-type': 'application/json' } }))
      .status
  check((await answered('GET', '/api/projects')) === 200, 'the token reads')
  check(
    (await answered('DELETE', `/api/projects/${await projectId(page, 'shop')}`)) === 403,
    'the token does not delete',
  )
  await shown.getByLabel('I have copied it').check()
  await shown.getByRole('button', { name: 'Close' }).click()
  await page.goto('/activity')
  await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor()
  const told = page.locator('#main').getByText('of the journey').first()
  const isTold = await told.waitFor().then(
    () => true,
    () => false,
  )
  check(isTold, 'the activity tells of the token')
}

async function projectId(page: Page, name: string): Promise<string> {
  const { data } = await asked(page, '/api/projects?limit=200')
  return data.find((one: { name: string }) => one.name === name)?.id ?? ''
}

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { bootstrap } from '../../../server/src/core/operator/bootstrap.ts'
import { linesOf, print, textOf } from '../printed.ts'
import { seed } from '../seed.ts'
import { joinAs, NARROW, openStage, overhang } from '../stage.ts'

const ADA = { email: 'ada@example.com', name: 'Ada', password: 'a password of ten letters' }
const stage = await openStage()
const { world } = stage
const { platform } = world
const made = await bootstrap(platform, { email: ADA.email, organization: 'Acme', again: false, days: 1 })
const signedIn = await joinAs(await stage.open(), made.link, ADA)
const { ids, projects } = await seed(world, made.orgId, world.as)
const [building, failed, decided] = [ids['shop#148'] ?? '', ids['billing#44'] ?? '', ids['orders#21'] ?? '']
await print(world, failed, linesOf(3000, ['api', 'jobs']))

const open = (options = {}) =>
  stage.open({ storageState: signedIn, permissions: ['clipboard-read', 'clipboard-write'], ...options })
const rows = (page: Page) => page.locator('[role=log] [data-seq]')
const foot = (page: Page, text: string | RegExp) => page.getByRole('region', { name: 'Log' }).getByText(text).last()
const clipboard = (page: Page) => page.evaluate('navigator.clipboard.readText()') as Promise<string>
const lineAt = async (page: Page) => Number(new URL(page.url()).searchParams.get('line'))
const set = (id: string, values: object) =>
  platform.db
    .updateTable('deployment')
    .set(values as never)
    .where('id', '=', id)
    .execute()

/** A page whose log has much to do: what it says comes a while later, in its order. */
async function answeredLate(): Promise<Page> {
  const page = await open()
  await page.addInitScript(`const add = Worker.prototype.addEventListener
    Worker.prototype.addEventListener = function (type, take, ...rest) {
      add.call(this, type, (event) => setTimeout(() => take(event), 300), ...rest)
    }`)
  return page
}

test('a log opens, is searched and linked to by keyboard, and every look is an address', async () => {
  const page = await open()
  await page.goto(`/deployments/${failed}`)
  await foot(page, '3,000 lines').waitFor()
  expect(await rows(page).first().textContent()).toBe(`1api${textOf(1)}`)
  await page.keyboard.press('/')
  await page.keyboard.type('gift-cards')
  const found = Array.from({ length: 3000 }, (_, n) => textOf(n + 1)).filter((text) =>
    text.includes('gift-cards'),
  ).length
  await page.getByText(`1 of ${found}`).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.getByText(`2 of ${found}`).waitFor()
  await page.waitForURL('**?find=gift-cards')
  await page.getByRole('button', { name: 'Show only matching lines' }).click()
  await foot(page, `${found} of 3,000 lines`).waitFor()
  await page.reload()
  await foot(page, `${found} of 3,000 lines`).waitFor()
  expect(await page.locator('[role=log] mark').first().textContent()).toBe('gift-cards')
  await page.getByRole('button', { name: 'Clear the search' }).click()
  await foot(page, /^3,000 lines$/).waitFor()
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('e')
  await expect.poll(() => lineAt(page)).toBeGreaterThan(0)
  const first = await lineAt(page)
  expect(textOf(first)).toContain('error: ')
  await page.keyboard.press('e')
  await expect.poll(() => lineAt(page)).toBe(first + 97)
})

test('why it failed leads to its line, and is copied with the lines around it', async () => {
  const page = await open()
  await page.goto(`/deployments/${failed}?step=build:api&find=nowhere&only=1`)
  await page.getByText('No line fits this filter.').waitFor()
  await page.getByRole('button', { name: 'Show line 812' }).click()
  await page.locator('[data-seq="812"]').waitFor()
  expect(new URL(page.url()).search).toBe('?line=812')
  await page.getByRole('region', { name: 'Why it failed' }).getByRole('button', { name: 'Copy' }).click()
  await expect.poll(() => clipboard(page)).toContain('build_failed: Line 14 of the Dockerfile failed')
  const copied = (await clipboard(page)).split('\n')
  expect(copied.filter((line) => line.startsWith('step ')).length).toBeGreaterThan(10)
  expect(copied).toContain(textOf(811))
})

test('the line is gone to also where the log answers late, and the filter goes off in two steps', async () => {
  const page = await answeredLate()
  await page.goto(`/deployments/${failed}?step=build:api&find=nowhere&only=1`)
  await page.getByText('No line fits this filter.').waitFor()
  await page.getByRole('button', { name: 'Show line 812' }).click()
  await page.locator('[data-seq="812"]').waitFor()
})

test('each press leads on from the one before, however soon it comes', async () => {
  const page = await answeredLate()
  await page.goto(`/deployments/${failed}?find=gift-cards`)
  await page.getByText(/^1 of /).waitFor()
  await page.getByLabel('Find in the log').focus()
  for (const key of ['Enter', 'Enter', 'Enter', 'Shift+Enter']) await page.keyboard.press(key)
  await page.getByText(/^2 of /).waitFor()
})

test('a line that was gone to, and the end that is followed, stay in sight where the log gets less room', async () => {
  const page = await open()
  await page.goto(`/deployments/${failed}?line=3000`)
  const last = page.locator('[data-seq="3000"]')
  await last.waitFor()
  const isInSight = () =>
    last.evaluate(
      (row) => row.getBoundingClientRect().bottom <= row.closest('[role=log]').getBoundingClientRect().bottom,
    )
  for (const height of [500, 860, 600]) {
    await page.setViewportSize({ width: 1360, height })
    await expect.poll(isInSight).toBe(true)
  }
  await page.getByRole('button', { name: 'Follow' }).click()
  await page.setViewportSize({ width: 1360, height: 860 })
  await page.setViewportSize({ width: 1360, height: 640 })
  await expect.poll(isInSight).toBe(true)
})

test('what is selected is copied also where its rows have left the page', async () => {
  const page = await open()
  await page.goto(`/deployments/${failed}`)
  await foot(page, '3,000 lines').waitFor()
  await page.getByRole('log').focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Control+c')
  await expect.poll(async () => (await clipboard(page)).split('\n').length).toBe(3000)
  const text = page.locator('[data-seq="4"] [data-text]')
  await text.dblclick({ position: { x: 5, y: 8 } })
  await page.getByRole('log').evaluate((box) => {
    box.scrollTop = 20 * 1000
  })
  await page.locator('[data-seq="1004"]').waitFor()
  await page.keyboard.down('Shift')
  await page.locator('[data-seq="1010"] [data-text]').click({ position: { x: 2, y: 8 } })
  await page.keyboard.up('Shift')
  await page.keyboard.press('Control+c')
  await expect.poll(async () => (await clipboard(page)).split('\n').length).toBe(1007)
  expect((await clipboard(page)).split('\n')[1]).toBe(textOf(5))
})

test('a build that goes on is followed, told and narrowed to a step; a regular expression that never ends is called off', async () => {
  const page = await open()
  await page.goto(`/deployments/${building}`)
  await foot(page, 'Live').waitFor()
  await page.getByText('Nothing has been printed yet.').waitFor()
  await print(world, building, linesOf(400, ['web', 'api']))
  await page.locator('[data-seq="400"]').waitFor()
  const follow = page.getByRole('button', { name: /^Follow/ })
  expect(await follow.getAttribute('aria-pressed')).toBe('true')
  await page.getByRole('log').hover()
  await page.mouse.wheel(0, -2000)
  await expect.poll(() => follow.getAttribute('aria-pressed')).toBe('false')
  await print(world, building, linesOf(5, ['web'], { from: 401, step: 'source' }))
  await foot(page, '405 lines').waitFor()
  expect(await page.locator('[data-seq="405"]').count()).toBe(0)
  await page.keyboard.press('End')
  await page.locator('[data-seq="405"]').waitFor()
  await page.getByRole('button', { name: /Get the source/ }).click()
  await foot(page, '5 of 405 lines').waitFor()
  await page.getByRole('button', { name: /Build.*api/ }).click()
  await foot(page, '200 of 405 lines').waitFor()
  await page.waitForURL('**?step=build%3Aapi')
  await page.getByRole('button', { name: 'Show all' }).click()
  const evil = { service: 'web', step: 'source', stream: 'stdout', line: `${'a'.repeat(60)}!` }
  await print(world, building, [{ type: 'log', at: new Date(), data: evil }])
  await page.getByRole('textbox', { name: 'Find in the log' }).fill('/(a+)+$/')
  await page.getByText('takes too long, stopped').waitFor()
  await foot(page, '406 lines').waitFor()
})

test('a build that printed nothing says so, with the way to what the services print', async () => {
  const page = await open()
  await page.goto(`/deployments/${ids['docs#44']}`)
  await page.getByText('The build printed nothing.').waitFor()
  await page.getByRole('link', { name: 'logs of the project' }).click()
  await page.waitForURL(`**/projects/${projects.docs}?tab=logs`)
})

test('the page hears from the stream what became of it, and asks for the rest', async () => {
  const page = await open()
  await page.goto(`/deployments/${building}?tab=services`)
  await page.getByRole('link', { name: 'Log of web' }).waitFor()
  let asked = 0
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === `/api/deployments/${building}`) asked++
  })
  const error = { code: 'build_failed', step: 'build', service: 'api', message: 'No space.', hint: null, logSeq: 7 }
  await set(building, { status: 'failed', error: JSON.stringify(error), finishedAt: new Date() })
  const status = { type: 'status' as const, at: new Date(), data: { status: 'failed' } }
  await print(world, building, [...Array.from({ length: 30 }, () => status), { ...status, type: 'end' }])
  await page.getByRole('region', { name: 'Why it failed' }).waitFor()
  await page.waitForTimeout(1000)
  expect(asked).toBeLessThan(5)
  await page.getByRole('link', { name: 'Log of web' }).click()
  await foot(page, 'Complete').waitFor()
  await foot(page, /^206 of 406 lines$/).waitFor()
})

test('a connection that breaks is said, and goes on by itself with no line lost', async () => {
  const page = await open()
  await page.goto(`/deployments/${decided}`)
  await foot(page, 'Live').waitFor()
  await page.context().setOffline(true)
  await page.evaluate('0')
  await print(world, decided, linesOf(50, ['web']))
  world.app.server.closeAllConnections()
  await foot(page, /Connection lost, again in \d+ s/).waitFor()
  await page.context().setOffline(false)
  await foot(page, '50 lines').waitFor()
  await foot(page, 'Live').waitFor()
})

test('a decision shows what both ways out mean for every service', async () => {
  const page = await open()
  await page.goto(`/deployments/${decided}`)
  const panel = page.getByRole('region', { name: 'A decision is needed' })
  await panel.getByText('Its server cannot be asked now').waitFor()
  const row = panel.getByRole('row', { name: /^web/ })
  const api = (await (await page.request.get(`/api/deployments/${decided}/decision`)).json()).services
  expect(api.map(({ name }: { name: string }) => name)).toEqual(['web', 'api', 'worker'])
  expect(await row.textContent()).toContain('Healthy')
  await panel.getByRole('button', { name: 'Keep what came up' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Keep what came up?' })
  await dialog.getByText('web and api stay on the new version.').waitFor()
  await dialog.getByRole('button', { name: 'Leave it' }).click()
})

test('a session that ends while a log is read leads to the sign-in, and back to the same line', async () => {
  const page = await open()
  await page.goto(`/deployments/${decided}?line=7`)
  await foot(page, 'Live').waitFor()
  await page.context().clearCookies()
  world.app.server.closeAllConnections()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  expect(new URL(page.url()).searchParams.get('next')).toBe(`/deployments/${decided}?line=7`)
})

test('what the services of a project print is followed, service by service, from where the last connection was', async () => {
  const page = await open()
  const asked: string[] = []
  await page.context().route('**/api/projects/*/logs?*', (route) => {
    const seen = route.request().headers()['last-event-id']
    asked.push(seen ?? '')
    if (seen) return route.fulfill({ status: 204 })
    const at = (n: number) => `2026-01-01T00:00:0${n}.000Z`
    const event = (n: number, service: string) =>
      `id: ${at(n)}\nevent: log\ndata: ${JSON.stringify({ seq: null, ts: at(n), stream: 'stdout', step: null, service, line: `GET /${n}` })}\n\n`
    return route.fulfill({
      contentType: 'text/event-stream',
      body: event(1, 'web') + event(2, 'api') + event(3, 'web'),
    })
  })
  await page.goto(`/projects/${projects.shop}?tab=logs`)
  await foot(page, '3 lines').waitFor()
  await foot(page, 'Complete').waitFor()
  expect(asked).toEqual(['', '2026-01-01T00:00:03.000Z'])
  await page.getByRole('button', { name: 'api', exact: true }).click()
  await foot(page, '1 of 3 lines').waitFor()
  await page.waitForURL('**?tab=logs&service=api')
  expect(await rows(page).textContent()).toContain('GET /2')
  await page.reload()
  await foot(page, '1 of 3 lines').waitFor()
})

test('at 360 px the steps are a row to swipe that shows the one it ended in, and nothing else moves sideways', async () => {
  const page = await open({ viewport: NARROW })
  await page.goto(`/deployments/${failed}?line=812`)
  await page.locator('[data-seq="812"]').waitFor()
  const last = await page.getByRole('button', { name: /Build.*jobs/ }).boundingBox()
  expect([last && last.x > 0, last && last.x + last.width < NARROW.width]).toEqual([true, true])
  expect(await overhang(page)).toBeLessThanOrEqual(0)
  await page.getByRole('link', { name: 'Services' }).click()
  await page.getByText('Replicas').waitFor()
  expect(await overhang(page)).toBeLessThanOrEqual(0)
})

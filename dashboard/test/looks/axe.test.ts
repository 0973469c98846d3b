import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { bootstrap } from '../../../server/src/core/operator/bootstrap.ts'
import { seed } from '../seed.ts'
import { joinAs, NARROW, openStage, overhang, WIDE } from '../stage.ts'

const ADA = { email: 'ada@example.com', name: 'Ada', password: 'a password of ten letters' }

const stage = await openStage()
const { platform } = stage.world
const made = await bootstrap(platform, { email: ADA.email, organization: 'Acme', again: false, days: 1 })
const signedIn = await joinAs(await stage.open(), made.link, ADA)
const { ids } = await seed(stage.world, made.orgId, stage.world.as)

type Screen = { path: string; shows: string; act?: (page: Page) => Promise<unknown> }
const at = (name: string) => `/deployments/${ids[name]}`
const MORE = (page: Page) => page.getByRole('button', { name: 'More actions' }).click()

/** Every screen and what lies over one, by what it shows when it is there. */
const SCREENS: Record<string, Screen> = {
  overview: { path: '/', shows: 'text=Upgrade the database driver' },
  list: { path: '/deployments', shows: 'text=Upgrade the database driver' },
  'empty list': { path: '/deployments?branch=none', shows: 'text=No deployment fits these filters' },
  building: { path: at('shop#148'), shows: 'text=running for' },
  decision: { path: at('shop#147'), shows: 'text=Keep what came up' },
  failed: { path: at('billing#44'), shows: 'text=build_failed' },
  live: { path: at('docs#45'), shows: 'text=Tidy up' },
  'not found': { path: '/nowhere', shows: 'text=There is nothing at this address' },
  setup: { path: '/setup', shows: 'text=A place for backups' },
  menu: { path: at('shop#148'), shows: '[role=menu]', act: MORE },
  dialog: {
    path: at('shop#147'),
    shows: '[role=alertdialog]',
    act: (page) => page.getByRole('button', { name: 'Put everything back' }).click(),
  },
  palette: { path: '/deployments', shows: '[role=listbox]', act: (page) => page.keyboard.press('Control+k') },
  keys: { path: '/deployments', shows: 'text=Row before', act: (page) => page.keyboard.press('?') },
}
const OUTSIDE: Record<string, Screen> = {
  'sign-in': { path: '/sign-in', shows: 'text=Stay signed in' },
  join: { path: '/join#code', shows: 'text=Join and sign in' },
  'join without a code': { path: '/join', shows: 'text=This link is not complete' },
}

async function faultsOf(page: Page, { path, shows, act }: Screen): Promise<string[]> {
  // Another page first: where only what is behind the # differs, nothing would be loaded anew.
  await page.goto('about:blank')
  await page.goto(path)
  await page.locator('h1').first().waitFor()
  await act?.(page)
  await page.locator(shows).first().waitFor()
  await page.evaluate(axe.source)
  const found = (await page.evaluate('axe.run()')) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[]
  }
  const serious = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  const wide = await overhang(page)
  return [
    ...serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`),
    ...(wide > 0 ? [`${wide} px wider than the window`] : []),
  ]
}

describe.each([
  ['1360', 'light'],
  ['1360', 'dark'],
  ['360', 'light'],
  ['360', 'dark'],
] as const)('at %s px, %s', (width, colorScheme) => {
  const viewport = width === '360' ? NARROW : WIDE

  test('every screen can be read and used by everybody, and none is wider than the window', async () => {
    const page = await stage.open({ viewport, colorScheme, storageState: signedIn })
    const faults: Record<string, string[]> = {}
    for (const [name, screen] of Object.entries(SCREENS)) faults[name] = await faultsOf(page, screen)
    const stranger = await stage.open({ viewport, colorScheme })
    for (const [name, screen] of Object.entries(OUTSIDE)) faults[name] = await faultsOf(stranger, screen)
    expect(Object.entries(faults).filter(([, found]) => found.length > 0)).toEqual([])
  })
})

import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { keyFaults, watchKeys } from '../keys/key-faults.ts'
import { NARROW, type openStage, overhang, WIDE } from '../stage.ts'
import { pictureFaults, wordsFaults } from './album.ts'

/** A screen, by what it shows when it is there; `act` opens what lies over it. */
type Screen = {
  path: string
  shows: string
  act?: (page: Page) => Promise<unknown>
  /** Its pictures in docs/pictures have this name. */
  picture?: string
  /** Never by a link: where that would be no other page, or the focus depends on how it was come by. */
  byAddress?: boolean
}
export type Screens = Record<string, Screen>
type Stage = Awaited<ReturnType<typeof openStage>>
type State = Awaited<ReturnType<ReturnType<Page['context']>['storageState']>>

type Finding = { id: string; impact: string; nodes: { html: string }[] }

/** What is serious to axe. With the theme only colours change: the second time nothing else is looked at. */
async function seriousIn(page: Page, theme: 'light' | 'dark'): Promise<string[]> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  const runOnly = theme === 'dark' ? { runOnly: ['color-contrast'] } : {}
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify({ resultTypes: ['violations'], ...runOnly })})`,
  )) as { violations: Finding[] }
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${theme}: ${id}: ${nodes[0]?.html.slice(0, 200)}`)
}

/** What a page that did not come shows, and what it still waits for. */
const toldBy = (page: Page) => async (error: Error) => {
  const state = `({ says: document.body.innerText.slice(0, 300), online: navigator.onLine,
    asked: performance.getEntriesByType('resource').slice(-20).map(({ name, responseStatus, duration }) => [name, responseStatus, duration]) })`
  throw new Error(`${error.message}\n${JSON.stringify(await page.evaluate(state))}`)
}

/** Loaded from its address. */
async function load(page: Page, path: string): Promise<void> {
  // Another page first: where only what is behind the # differs, nothing would be loaded anew.
  await page.goto('about:blank')
  await page.goto(path)
}

const NOWHERE = '/nowhere'

/** As by a link, from a page that has nothing: what was open on the one before is closed. */
async function walkTo(page: Page, path: string): Promise<void> {
  const nothing = page.getByText('There is nothing at this address')
  const goTo = (to: string) => page.evaluate(`history.pushState({}, '', ${JSON.stringify(to)})`)
  await page.evaluate('document.activeElement?.blur()')
  await goTo(NOWHERE)
  await nothing.waitFor()
  await goTo(path)
  await nothing.waitFor({ state: 'detached' })
}

async function faultsOf(page: Page, screen: Screen, known: Set<string>): Promise<string[]> {
  const { path, shows, act, picture, byAddress } = screen
  const isWide = page.viewportSize()?.width === WIDE.width
  await page.emulateMedia({ colorScheme: 'light' })
  // A wide page comes by its address, and a narrow one by a link where it can: that is how people come, and both must lead there.
  await (isWide || byAddress || page.url() === 'about:blank' ? load : walkTo)(page, path)
  await page.locator('h1').first().waitFor().catch(toldBy(page))
  await act?.(page)
  await page.locator(shows).first().waitFor()
  if (await page.evaluate('!window.axe')) await page.evaluate(axe.source)
  const wide = await overhang(page)
  return [
    ...(await seriousIn(page, 'light')),
    ...(picture && isWide ? await wordsFaults(page, picture) : []),
    ...(picture ? await pictureFaults(page, picture, isWide ? 'light' : 'phone') : []),
    ...(await seriousIn(page, 'dark')),
    ...(picture && isWide ? await pictureFaults(page, picture, 'dark') : []),
    ...(wide > 0 ? [`${wide} px wider than the window`] : []),
    // The last: afterwards the screen is another one.
    ...(await keyFaults(page, known)),
  ]
}

/** Each of these in both themes and both widths: nothing serious to axe, all of it by keys, no page wider than its window, and its pictures are of it. */
export function everyScreenIsForEverybody(stage: Stage, ways: [state: State | undefined, screens: Screens][]): void {
  const screens = ways.flatMap(([state, some], way) =>
    Object.entries(some).map(([name, screen]) => ({ name, screen, state, way })),
  )
  describe.each([
    ['1360', WIDE],
    ['360', NARROW],
  ] as const)('at %s px', (_, viewport) => {
    /** One for each who looks: a page that was opened once goes on to the next screen. */
    const pages = new Map<number, Page>()
    const known = new Set<string>()
    afterAll(async () => {
      for (const page of pages.values()) await page.context().close()
    })
    const opened = async (way: number, state: State | undefined) => {
      const page = await stage.open({ viewport, ...(state && { storageState: state }) })
      await watchKeys(page)
      pages.set(way, page)
      return page
    }
    test.each(screens)('$name can be read and used by everybody, and is what its picture shows', async (one) => {
      const page = pages.get(one.way) ?? (await opened(one.way, one.state))
      expect(await faultsOf(page, one.screen, known)).toEqual([])
    })
  })
}

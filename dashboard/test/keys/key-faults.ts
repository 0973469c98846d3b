import type { Locator, Page } from 'playwright-core'
import { until } from '../../../test-kit/until.ts'
import { IN_PAGE } from './in-page.ts'

type Begun = { kind: string | null; stops: number; isInside: boolean }
const SETTLE_MS = 3000
/** As the protocol of the browser has them; 8 is Shift. */
const KEYS = {
  Tab: { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 },
  'Shift+Tab': { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9, modifiers: 8 },
  ArrowDown: { key: 'ArrowDown', code: 'ArrowDown', windowsVirtualKeyCode: 40 },
  ArrowUp: { key: 'ArrowUp', code: 'ArrowUp', windowsVirtualKeyCode: 38 },
}
const MENU = '[role=menu],[role=listbox]'

/** Every page that is loaded from now on can say what keys do in it. */
export const watchKeys = (page: Page): Promise<unknown> => page.addInitScript(IN_PAGE)

/**
 * What somebody without a mouse would miss on this screen, in words. Of what lies on top: every control is reached by Tab or by the
 * arrows of its group, in the order of the page, shows that it has the focus, and is not covered then. `known` holds the menus that
 * other screens have shown as well. The screen is not as before afterwards.
 */
export async function keyFaults(page: Page, known: Set<string>): Promise<string[]> {
  const begun = await ask<Begun>(page, `begin(${known.has('frame')})`)
  if (begun.kind === 'menu') return [...(await menuFaults(page)), ...(await closeFaults(page))]
  if (begun.kind !== null) return [...(await dialogFaults(page, begun.stops)), ...(await closeFaults(page))]
  await walk(page, begun.stops)
  await walkGroups(page)
  const found = await ask<string[]>(page, 'faults()')
  return [...found, ...(await popupFaults(page, known)), ...(await frameFaults(page, known))]
}

const ask = <T>(page: Page, what: string): Promise<T> => page.evaluate(`byKeys.${what}`)

/** Once around, and back: from the last stop Tab leads out of the page, and in again at its beginning. */
async function walk(page: Page, stops: number): Promise<void> {
  let pressed = stops + 2
  await pressQuickly(page, 'Tab', pressed)
  for (let more = 0; more < 4 && !(await ask<boolean>(page, 'isRound()')); more++) {
    await pressQuickly(page, 'Tab', 8)
    pressed += 8
  }
  await pressQuickly(page, 'Shift+Tab', pressed)
  // What came late has made the way back longer.
  for (let more = 0; more < 4 && (await ask<boolean>(page, 'isOneWay()')); more++)
    await pressQuickly(page, 'Shift+Tab', 8)
}

/** So many at once: waited for one by one, most of the time would go by between them. */
async function pressQuickly(page: Page, named: keyof typeof KEYS, times: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const key = KEYS[named]
  await ask(page, 'quick(true)')
  const events = Array.from({ length: times }, () => ['rawKeyDown', 'keyUp'] as const).flat()
  await Promise.all(events.map((type) => session.send('Input.dispatchKeyEvent', { type, ...key })))
  await ask(page, 'quick(false)')
  await session.detach()
}

async function press(page: Page, key: keyof typeof KEYS | 'Enter', times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    await page.keyboard.press(key)
    await ask(page, `noted('${key === 'Shift+Tab' ? 'Back' : key}')`)
  }
}

/** A list that is chosen from is drawn anew at every press; where the focus itself moves, nothing has to be waited for. */
async function walkGroups(page: Page): Promise<void> {
  for (;;) {
    const { members, isDrawn } = await ask<{ members: number; isDrawn: boolean }>(page, 'enterGroup()')
    if (members === 0) return
    const go = isDrawn ? press : pressQuickly
    await go(page, 'ArrowDown', members)
    if (await ask<boolean>(page, 'isAnyLeft()')) await go(page, 'ArrowUp', 2 * members)
  }
}

async function dialogFaults(page: Page, stops: number): Promise<string[]> {
  if (!(await becomes(page, 'begin().isInside'))) return ['a dialog without the focus']
  await press(page, 'Tab', stops + 2)
  await press(page, 'Shift+Tab', stops + 2)
  const left = (await ask<boolean>(page, 'leaves()')) ? ['the focus leaves a dialog that is open'] : []
  await walkGroups(page)
  return [...left, ...(await ask<string[]>(page, 'faults()'))]
}

/** Tab leaves a menu: arrows go through it. */
async function menuFaults(page: Page): Promise<string[]> {
  if (!(await becomes(page, 'begin().isInside'))) return ['a menu without the focus']
  await walkGroups(page)
  return ask<string[]>(page, 'faults()')
}

/** Escape closes what lies on top and nothing else, and the focus goes back to what opened it. */
async function closeFaults(page: Page): Promise<string[]> {
  const over = page.locator(`[role=dialog],[role=alertdialog],${MENU}`).filter({ visible: true })
  await page.keyboard.press('Escape')
  if (!(await isIt(over.first(), 'hidden'))) return ['Escape does not close it']
  if (await becomes(page, 'isBack()')) return []
  return [`closed, the focus is on ${await ask(page, 'holder()')} and not on ${await ask(page, 'opener()')}`]
}

/** Whatever says that something opens from it does so by Enter, and gives the focus back. */
async function popupFaults(page: Page, known: Set<string>): Promise<string[]> {
  const found: string[] = []
  for (const name of await ask<string[]>(page, 'popups()')) {
    if (known.has(name)) continue
    known.add(name)
    await ask(page, `enter(${JSON.stringify(name)})`)
    await page.keyboard.press('Enter')
    const isOpen = await isIt(page.locator(MENU).filter({ visible: true }).first(), 'visible')
    const faults = isOpen ? [...(await menuFaults(page)), ...(await closeFaults(page))] : ['Enter does not open it']
    found.push(...faults.map((fault) => `${name}: ${fault}`))
  }
  return found
}

const isIt = (what: Locator, state: 'visible' | 'hidden'): Promise<boolean> =>
  what.waitFor({ state, timeout: SETTLE_MS }).then(
    () => true,
    () => false,
  )

/** What is around every page was walked through with this one. Its first stop leads past it. */
async function frameFaults(page: Page, known: Set<string>): Promise<string[]> {
  if (known.has('frame') || (await page.locator('aside').count()) === 0) return []
  known.add('frame')
  await page.reload()
  await page.locator('main h1').first().waitFor()
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
  for (const key of ['Tab', 'Enter', 'Tab'] as const) await press(page, key, 1)
  const isIn = await page.evaluate(`document.getElementById('main').contains(document.activeElement)`)
  return isIn ? [] : [`the first stop does not lead to the content, but to ${await ask(page, 'holder()')}`]
}

/** Focus is given a moment after something opens or closes. */
async function becomes(page: Page, what: string): Promise<boolean> {
  return until(what, SETTLE_MS, () => ask<boolean>(page, what), { everyMs: 16 }).then(
    () => true,
    () => false,
  )
}

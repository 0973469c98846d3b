import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { NARROW, type openStage, overhang, WIDE } from '../stage.ts'

/** A screen, by what it shows when it is there; `act` opens what lies over it. */
type Screen = { path: string; shows: string; act?: (page: Page) => Promise<unknown> }
export type Screens = Record<string, Screen>
type Stage = Awaited<ReturnType<typeof openStage>>
type State = Awaited<ReturnType<ReturnType<Page['context']>['storageState']>>

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

/** Each of these in both themes and both widths: nothing serious to axe, and no page wider than its window. */
export function everyScreenIsForEverybody(stage: Stage, ways: [state: State | undefined, screens: Screens][]): void {
  describe.each([
    ['1360', 'light'],
    ['1360', 'dark'],
    ['360', 'light'],
    ['360', 'dark'],
  ] as const)('at %s px, %s', (width, colorScheme) => {
    const viewport = width === '360' ? NARROW : WIDE

    test('every screen can be read and used by everybody, and none is wider than the window', async () => {
      const faults: Record<string, string[]> = {}
      for (const [storageState, screens] of ways) {
        const page = await stage.open({ viewport, colorScheme, ...(storageState && { storageState }) })
        for (const [name, screen] of Object.entries(screens)) faults[name] = await faultsOf(page, screen)
      }
      expect(Object.entries(faults).filter(([, found]) => found.length > 0)).toEqual([])
    })
  })
}

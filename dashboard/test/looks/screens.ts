import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { NARROW, type openStage, overhang, WIDE } from '../stage.ts'

/** A screen, by what it shows when it is there; `act` opens what lies over it. */
type Screen = { path: string; shows: string; act?: (page: Page) => Promise<unknown> }
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

async function faultsOf(page: Page, { path, shows, act }: Screen): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' })
  // Another page first: where only what is behind the # differs, nothing would be loaded anew.
  await page.goto('about:blank')
  await page.goto(path)
  await page.locator('h1').first().waitFor()
  await act?.(page)
  await page.locator(shows).first().waitFor()
  await page.evaluate(axe.source)
  const wide = await overhang(page)
  return [
    ...(await seriousIn(page, 'light')),
    ...(await seriousIn(page, 'dark')),
    ...(wide > 0 ? [`${wide} px wider than the window`] : []),
  ]
}

/** Each of these in both themes and both widths: nothing serious to axe, and no page wider than its window. */
export function everyScreenIsForEverybody(stage: Stage, ways: [state: State | undefined, screens: Screens][]): void {
  test.each([
    ['1360', WIDE],
    ['360', NARROW],
  ] as const)(
    'at %s px every screen can be read and used by everybody, and none is wider than the window',
    async (_, viewport) => {
      const faults: Record<string, string[]> = {}
      for (const [storageState, screens] of ways) {
        const page = await stage.open({ viewport, ...(storageState && { storageState }) })
        for (const [name, screen] of Object.entries(screens)) faults[name] = await faultsOf(page, screen)
      }
      expect(Object.entries(faults).filter(([, found]) => found.length > 0)).toEqual([])
    },
  )
}

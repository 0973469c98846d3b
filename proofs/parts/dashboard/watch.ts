import type { Page } from 'playwright-core'
import type { Told } from './front.ts'

const EVERY_MS = 50
/** For so long the page may still show what was said before: it is drawn after it was heard. */
const DRAWN_MS = 2000

export type Seen = { at: number; id: string; word: string }

/** Looks at the state that a deployment's page shows, from within the page, for as long as it is open. */
export async function watchState(page: Page) {
  const seen: Seen[] = []
  let looks = 0
  await page.exposeBinding('tellState', (_, id: string, word: string, count: number) => {
    looks += count
    if (word !== '') seen.push({ at: Date.now(), id, word })
  })
  await page.addInitScript(`{
    let count = 0
    let last = ''
    setInterval(() => {
      count++
      // What the page itself says it is about: the address changes a moment before it does.
      const head = document.querySelector('#main [data-deployment]')
      const id = head?.dataset.deployment ?? ''
      const word = head?.querySelector('[data-state]')?.textContent ?? ''
      if (id + word === last && count < 20) return
      last = id + word
      window.tellState(id, word, count)
      count = 0
    }, ${EVERY_MS})
  }`)
  return { seen, looks: () => looks }
}

/** Words on the page that the API had not said of that deployment, or that it had taken back for long. */
export function untold(seen: Seen[], told: Told[]): string[] {
  return seen.flatMap(({ at, id, word }) => {
    const before = told.filter((one) => one.id === id && one.at <= at)
    const last = before.findLast((one) => one.word === word)
    if (last === undefined) return [`${id} was called ${word} before the API did`]
    const next = before.find((one) => one.at > last.at && one.word !== word)
    if (next === undefined || at - next.at <= DRAWN_MS) return []
    return [`${id} was called ${word} ${((at - next.at) / 1000).toFixed(1)} s after the API had said ${next.word}`]
  })
}

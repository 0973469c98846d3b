import type { Page } from 'playwright-core'

// What runs in the page is text: this side knows nothing of a window.

const UNTIL = `const until = (isSo) => new Promise((done) => {
  const look = () => (isSo() ? done(performance.now()) : requestAnimationFrame(look))
  look()
})
const foot = () => document.querySelector('section[aria-label=Log]')?.lastElementChild?.textContent ?? ''`

/** Goes to a deployment of the list by its link: how long until its first rows and until all its lines are there. */
export const openBy = (page: Page, path: string, lines: number): Promise<{ first: number; all: number }> =>
  page.evaluate(`(async () => {
    ${UNTIL}
    const begun = performance.now()
    document.querySelector('a[href^="${path}"]').click()
    const first = await until(() => document.querySelector('[data-seq]') !== null)
    const all = await until(() => foot().includes('${lines.toLocaleString('en')} lines'))
    return { first: first - begun, all: all - begun }
  })()`)

/** Puts a text into the search at once: how long until its matches are counted and shown. */
export const findIn = (page: Page, text: string, matches: number): Promise<number> =>
  page.evaluate(`(async () => {
    ${UNTIL}
    const input = document.querySelector('input[aria-label="Find in the log"]')
    const begun = performance.now()
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, ${JSON.stringify(text)})
    input.dispatchEvent(new Event('input', { bubbles: true }))
    const found = await until(() => document.querySelector('output')?.textContent === '1 of ${matches.toLocaleString('en')}')
    return found - begun
  })()`)

/** From now on, notes how long each key took until the frame after it was drawn. */
export const noteInputs = (page: Page): Promise<void> =>
  page.evaluate(`
    window.inputs = []
    addEventListener('keydown', (event) => {
      requestAnimationFrame(() => setTimeout(() => window.inputs.push(performance.now() - event.timeStamp)))
    }, true)`)

export const inputsOf = (page: Page): Promise<number[]> => page.evaluate('window.inputs')

/** All lines that it has, by way of the clipboard. */
export async function allLines(page: Page): Promise<string[]> {
  await page.getByRole('log').focus()
  await page.evaluate(`navigator.clipboard.writeText('')`)
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Control+c')
  const text: string = await page.evaluate(`(async () => {
    for (let n = 0; n < 100; n++) {
      const text = await navigator.clipboard.readText()
      if (text !== '') return text
      await new Promise((next) => setTimeout(next, 100))
    }
    return ''
  })()`)
  return text.split('\n')
}

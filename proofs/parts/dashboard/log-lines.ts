import type { Page } from 'playwright-core'
import { asked, type Stage } from './stage.ts'

type Line = { seq: number; line: string }

/**
 * What is wrong with the log on the page beside the one of the API: walks through it from the top to the end, as somebody who reads all of
 * it, and compares every line. The page was open while the server was killed.
 */
export async function wrongLines({ page }: Stage, id: string): Promise<{ lines: number; wrong: string[] }> {
  const wanted: Line[] = []
  for (let cursor = ''; ; ) {
    const query = `kind=build&limit=200${cursor && `&cursor=${cursor}`}`
    const { data, nextCursor } = await asked(page, `/api/deployments/${id}/logs?${query}`)
    wanted.push(...data)
    if (!nextCursor) break
    cursor = nextCursor
  }
  const found = await readAll(page, wanted.length)
  const wrong: string[] = []
  for (const { seq, line } of wanted) {
    const texts = found.get(seq)
    if (texts === undefined) wrong.push(`line ${seq} is not on the page`)
    else if (texts.length > 1) wrong.push(`line ${seq} is there ${texts.length} times`)
    else if (texts[0] !== plain(line)) wrong.push(`line ${seq} says ${texts[0]} instead of ${line}`)
  }
  if (found.size > wanted.length) wrong.push(`${found.size - wanted.length} lines more than the API has`)
  return { lines: wanted.length, wrong }
}

const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*[A-Za-z]`, 'g')
const plain = (line: string) => line.replace(ESCAPES, '')

/** By the rows that are drawn while somebody scrolls; more than one row of a number is a line that came twice. */
async function readAll(page: Page, count: number): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>()
  await page.evaluate(TO_THE_TOP)
  for (let last = 0; last < 2 * count + 100; last += 10) {
    await page.waitForTimeout(60)
    const rows = (await page.evaluate(ROWS)) as [number, string][]
    for (const [seq, texts] of Map.groupBy(rows, ([one]) => one))
      if (texts.length > (found.get(seq)?.length ?? 0)) {
        found.set(
          seq,
          texts.map(([, text]) => text),
        )
      }
    if (await page.evaluate(FURTHER)) return found
  }
  return found
}

/** Said in the page: rows that are drawn, and a screen further, true at the end. */
const BOX = `const box = document.querySelector('[role=log]');`
const TO_THE_TOP = `{ ${BOX} box.scrollTo({ top: 0 }) }`
const ROWS = `{ ${BOX} [...box.querySelectorAll('[data-seq]')].map((row) =>
  [Number(row.dataset.seq), row.querySelector('[data-text]')?.textContent ?? '']) }`
const FURTHER = `{ ${BOX} const before = box.scrollTop; box.scrollBy({ top: 200 }); box.scrollTop === before }`

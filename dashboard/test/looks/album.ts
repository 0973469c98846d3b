import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { until } from '../../../test-kit/until.ts'
import { steadyWords } from './steady-words.ts'

/** The pictures of the documentation: of each screen three, and what the page says. */
export const ALBUM = join(import.meta.dirname, '../../../docs/pictures')
export const PRINTS = ['light', 'dark', 'phone'] as const
export type Print = (typeof PRINTS)[number]
export const printOf = (name: string, print: Print) => `${name}.${print}.webp`
export const wordsFile = (name: string) => `${name}.txt`

/** bin/pictures sets it: pictures are taken anew, and nothing is held against the old ones. */
const isTaking = process.env.SLIPWAY_PICTURES === 'take'
const QUALITY = 65
const SETTLES_MS = 10_000

/** What differs from the picture that is kept; nothing, where it is taken anew. */
export async function pictureFaults(page: Page, name: string, print: Print): Promise<string[]> {
  const file = join(ALBUM, printOf(name, print))
  if (isTaking) return await kept(file, page, () => shoot(page))
  return await lastFault(async () => {
    const was = read(file)
    return was ? await unlike(page, was, await shoot(page)) : `docs/pictures/${printOf(name, print)} is missing`
  })
}

/** The same for what the page says: a word that is another makes the pictures of the screen old. */
export async function wordsFaults(page: Page, name: string): Promise<string[]> {
  const file = join(ALBUM, wordsFile(name))
  if (isTaking) return await kept(file, page, async () => Buffer.from(await wordsOf(page)))
  return await lastFault(async () => {
    const difference = firstDifference(read(file)?.toString() ?? '', await wordsOf(page))
    return difference && `docs/pictures/${name} is of a page that is no more: ${difference}`
  })
}

const AGAIN = 'bin/pictures takes them anew'

/** A page comes bit by bit: what still differs after a while is a fault. */
async function lastFault(look: () => Promise<string | null>): Promise<string[]> {
  let fault: string | null = null
  const found = async () => {
    fault = await look()
    return fault === null
  }
  await until('it is as it was', SETTLES_MS, found, { everyMs: 200 }).catch(() => undefined)
  return fault === null ? [] : [`${fault}; ${AGAIN}`]
}

async function kept(file: string, page: Page, take: () => Promise<Buffer>): Promise<string[]> {
  await settled(page)
  mkdirSync(ALBUM, { recursive: true })
  writeFileSync(file, await take())
  return []
}

/** Nothing is awaited, and what the page says has not changed for a moment. */
async function settled(page: Page): Promise<void> {
  let before = ''
  const rests = async () => {
    const now = await wordsOf(page)
    const isSame = now === before
    before = now
    return isSame && (await page.locator('[aria-busy=true]').count()) === 0
  }
  await until('the page rests', SETTLES_MS, rests, { everyMs: 600 })
}

const wordsOf = async (page: Page): Promise<string> => `${steadyWords(await page.locator('body').ariaSnapshot())}\n`

function firstDifference(was: string, is: string): string | null {
  if (was === is) return null
  const [before, now] = [was.split('\n'), is.split('\n')]
  const at = now.findIndex((line, n) => line !== before[n])
  const n = at < 0 ? now.length : at
  return `line ${n + 1} was ${before[n]?.trim() ?? 'not there'}, and is ${now[n]?.trim() ?? 'not there'}`
}

const BEGUN = Date.now()
/** What a test has made is new on its pictures, also where it came to them late: a longer age would wrap elsewhere. */
const AS_NEW = `for (const { dateTime, firstChild } of document.querySelectorAll('time'))
  if (firstChild && Date.parse(dateTime) > ${BEGUN}) firstChild.data = 'just now'`

async function shoot(page: Page): Promise<Buffer> {
  await page.evaluate('document.fonts.ready.then(() => null)')
  await page.evaluate(AS_NEW)
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
  await session.detach()
  return Buffer.from(data, 'base64')
}

const CELL_PX = 21
/** Of 255. Two runs differed by 0.4 on average and by 17 in a cell at most: a port, an age, a caret. */
const MOST_ON_AVERAGE = 0.8
const MOST_IN_A_CELL = 24

type Distance = { was: string; is: string; mean: number; worst: number; at: string }

/** Fonts and browsers differ a little between machines: pictures are compared by cells of some pixels, in the browser itself. */
async function unlike(page: Page, was: Buffer, is: Buffer): Promise<string | null> {
  const pair = JSON.stringify([was.toString('base64'), is.toString('base64')])
  const found = (await page.evaluate(`(${DISTANCE})(${pair}, ${CELL_PX})`)) as Distance
  if (found.was !== found.is) return `a picture was ${found.was}, and is ${found.is}`
  if (found.mean <= MOST_ON_AVERAGE && found.worst <= MOST_IN_A_CELL) return null
  return `it looks different: by ${found.mean.toFixed(2)} of 255 on average, by ${found.worst.toFixed(1)} at ${found.at}`
}

const DISTANCE = `async (pair, cell) => {
  const cells = async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
    const whole = await createImageBitmap(new Blob([bytes], { type: 'image/webp' }))
    const width = Math.round(whole.width / cell)
    const height = Math.round(whole.height / cell)
    const small = await createImageBitmap(whole, { resizeWidth: width, resizeHeight: height, resizeQuality: 'high' })
    const canvas = new OffscreenCanvas(width, height).getContext('2d')
    canvas.drawImage(small, 0, 0)
    return { size: whole.width + '×' + whole.height, width, data: canvas.getImageData(0, 0, width, height).data }
  }
  const [was, is] = [await cells(pair[0]), await cells(pair[1])]
  let [sum, worst, at] = [0, 0, 0]
  for (let n = 0; n < was.data.length; n += 4) {
    const distance = [0, 1, 2].reduce((all, c) => all + Math.abs(was.data[n + c] - is.data[n + c]), 0) / 3
    sum += distance
    if (distance > worst) [worst, at] = [distance, n / 4]
  }
  const place = (at % was.width) * cell + ',' + Math.floor(at / was.width) * cell
  return { was: was.size, is: is.size, mean: sum / (was.data.length / 4), worst, at: place }
}`

function read(file: string): Buffer | null {
  try {
    return readFileSync(file)
  } catch {
    return null
  }
}

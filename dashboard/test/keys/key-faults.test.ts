import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBrowser } from '../../../lab/browser.ts'
import { keyFaults, watchKeys } from './key-faults.ts'

let browser: Browser
let page: Page
beforeAll(async () => {
  browser = await startBrowser()
  page = await browser.newPage()
  await watchKeys(page)
})
afterAll(() => browser.close())

const STYLE = '<style>:focus-visible { outline: 2px solid red; outline-offset: 2px }</style>'

async function faultsIn(html: string): Promise<string[]> {
  await page.goto(`data:text/html,${encodeURIComponent(`<!doctype html>${STYLE}<body>${html}`)}`)
  return keyFaults(page, new Set())
}

test('a page where Tab and arrows lead to everything, and show it, has no faults', async () => {
  const radios = ['keep', 'delete'].map((way) => `<label><input type=radio name=way>${way}</label>`).join('')
  const html = `<a href="#a">a</a><button>b</button><button disabled>c</button><input aria-label=d>
    <label><input type=checkbox>e</label><fieldset>${radios}</fieldset><select><option>f</select>
    <details><summary>g</summary><button>not shown</button></details>`
  expect(await faultsIn(html)).toEqual([])
})

test('a press that led out of the page and was not heard is no other order', async () => {
  await page.goto(
    `data:text/html,${encodeURIComponent(`<!doctype html>${STYLE}<body><button>a</button><br><button>b</button>`)}`,
  )
  await page.evaluate('byKeys.begin(false)')
  for (const name of ['a', 'b', 'a']) {
    await page.getByRole('button', { name }).focus()
    await page.evaluate(`byKeys.noted('Tab')`)
  }
  for (const act of ['document.activeElement.blur()', 'document.querySelectorAll("button")[1].focus()', '0']) {
    await page.evaluate(act)
    await page.evaluate(`byKeys.noted('Back')`)
  }
  const found = (await page.evaluate('byKeys.faults()')) as string[]
  expect(found.filter((fault) => fault.startsWith('comes after'))).toEqual([])
})

test.each([
  [
    'something that React lets a mouse click',
    `<button>a</button><div id=b>b</div><script>b.__reactProps$1 = { onClick() {} }</script>`,
    'by mouse only: div "b"',
  ],
  [
    'something that listens for clicks itself',
    `<button>a</button><div id=b>b</div><script>b.addEventListener('click', () => {})</script>`,
    'by mouse only: div "b"',
  ],
  ['something that shows a hand', `<button>a</button><p style="cursor: pointer">b</p>`, 'by mouse only: p "b"'],
  ['a link that Tab passes by', `<button>a</button><a href="#b" tabindex=-1>b</a>`, 'by mouse only: a "b"'],
  [
    'what lies behind a field that keeps Tab',
    `<input id=a aria-label=a><button>b</button><script>a.onkeydown = (event) => event.preventDefault()</script>`,
    'by mouse only: button "b"',
  ],
  [
    'a field that Shift+Tab does not leave',
    `<button>a</button><input id=b aria-label=b><script>b.onkeydown = (event) => event.shiftKey && event.preventDefault()</script>`,
    'Shift+Tab does not lead back to it: button "a"',
  ],
  [
    'a button without a ring',
    `<button>a</button><button style="outline: none">b</button>`,
    'does not show that it has the focus: button "b"',
  ],
  [
    'a ring that is cut off',
    `<button>a</button><div style="overflow: hidden"><button style="width: 100%">b</button></div>`,
    'its ring is cut off: button "b"',
  ],
  [
    'a button under something else',
    `<button>a</button><button>b</button><div style="position: fixed; inset: 0 0 auto; height: 9rem; background: red">`,
    'is covered when it has the focus: button "b"',
  ],
  [
    'another order than the eyes have',
    `<div style="display: flex; flex-direction: row-reverse"><button>a</button><button>b</button></div>`,
    'comes after what stands behind it: button "a" then button "b"',
  ],
])('it sees %s', async (_, html, fault) => {
  expect(await faultsIn(html)).toContain(fault)
})

test('it sees a dialog that Tab leaves and that Escape does not close', async () => {
  const html = `<button>a</button><div role=dialog><button id=b>b</button></div><script>b.focus()</script>`
  expect(await faultsIn(html)).toEqual(['the focus leaves a dialog that is open', 'Escape does not close it'])
})

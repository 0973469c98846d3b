import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { bootstrap } from '../../../server/src/core/operator/bootstrap.ts'
import { linesOf, print } from '../printed.ts'
import { joinAs, openStage } from '../stage.ts'

const ADA = { email: 'ada@example.com', name: 'Ada', password: 'a password of ten letters' }
const MOST_STOPS = 80
const stage = await openStage()
const { platform, as, tokenFor } = stage.world
const made = await bootstrap(platform, { email: ADA.email, organization: 'Acme', again: false, days: 1 })
await joinAs(await stage.open(), made.link, ADA)
const { id: userId } = await platform.db.selectFrom('person').select('id').executeTakeFirstOrThrow()
const api = as(await tokenFor({ userId, orgId: made.orgId }))
await api('POST', '/api/servers', { kind: 'ssh', name: 'fra-1', host: '192.0.2.10' })

const NAME = `(() => {
  const el = document.activeElement
  if (el === document.body) return 'nothing'
  return (el.getAttribute('aria-label') ?? el.labels?.[0]?.textContent ?? el.textContent).trim()
})()`
const focused = (page: Page): Promise<string> => page.evaluate(NAME)

/** Nothing but keys from here on: what is looked for with the eyes is waited for, never pressed. */
function hands(page: Page) {
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const to = async (name: string) => {
    for (let stops = 0; stops < MOST_STOPS; stops++) {
      if ((await focused(page)).startsWith(name)) return
      await press('Tab')
    }
    throw new Error(`Tab does not lead to ${name}`)
  }
  return {
    press,
    type: (text: string) => page.keyboard.type(text),
    to,
    /** Goes to it by Tab, and presses it. */
    use: async (name: string, key = 'Enter') => {
      await to(name)
      await press(key)
    },
    write: async (name: string, text: string) => {
      await to(name)
      await page.keyboard.type(text)
    },
  }
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()

test('by keys alone somebody signs in, deploys an image, finds a line, cancels, and makes a token', async () => {
  const page = await stage.open()
  const { press, type, to, use, write } = hands(page)
  await page.goto('/sign-in')
  await heading(page, 'Sign in')
  await write('Email', ADA.email)
  await write('Password', ADA.password)
  await press('Enter')
  await heading(page, 'Overview')

  await use('New project')
  await heading(page, 'New project')
  await use('An image')
  await page.getByLabel('Image').waitFor()
  await write('Image', 'nginx:1.29')
  await press('Enter')
  await page.getByText('Runs as it is').waitFor()
  await use('Deploy')
  await page.waitForURL('**/deployments/dep_*')
  await heading(page, 'nginx:1.29')
  expect(await focused(page)).toBe('nginx:1.29')

  const id = new URL(page.url()).pathname.split('/')[2] ?? ''
  await print(stage.world, id, linesOf(300, ['web']))
  await page.getByText('300 lines').waitFor()
  await press('/')
  await type('gift-cards')
  await page.getByText(/^1 of \d+$/).waitFor()
  // It follows the end, so the next one is not the first.
  await press('Enter')
  await page.getByText(/^(?!1 )\d+ of \d+$/).waitFor()
  await press('Escape')
  expect(await focused(page)).toBe('Lines')
  await to('Link to line')
  const first = Number((await focused(page)).split(' ').at(-1))
  await press('ArrowDown', 'ArrowDown', 'Enter')
  await page.waitForURL(`**?line=${first + 2}`)
  expect(await focused(page)).toBe(`Link to line ${first + 2}`)

  await use('Cancel')
  await page.getByRole('alertdialog').waitFor()
  await use('Cancel the deployment')
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await page.getByText('Cancelled', { exact: true }).first().waitFor()
  expect((await api('GET', `/api/deployments/${id}`)).body.status).toBe('cancelled')
  await expect.poll(() => focused(page)).not.toBe('nothing')

  await press('Control+k')
  await page.getByRole('listbox').waitFor()
  await type('settings')
  await press('Enter')
  await heading(page, 'Settings')
  await expect.poll(() => focused(page)).toBe('Settings')
  await use('Tokens')
  await use('Make a token')
  await write('Name', 'from keys')
  await use('Make the token')
  await page.getByRole('dialog', { name: 'The token from keys' }).waitFor()
  await use('I have copied it', 'Space')
  await use('Close')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).not.toBe('nothing')
  const { data } = (await api('GET', '/api/tokens')).body
  expect(data.map(({ name }: { name: string }) => name)).toContain('from keys')
})

import { expect, test } from 'vitest'
import { bootstrap } from '../../../server/src/core/operator/bootstrap.ts'
import { joinAs, NARROW, openStage, overhang, signIn } from '../stage.ts'

const ADA = { email: 'ada@example.com', name: 'Ada', password: 'a password of ten letters' }
const stage = await openStage()
const { link } = await bootstrap(stage.world.platform, {
  email: ADA.email,
  organization: 'Acme',
  again: false,
  days: 1,
})
const path = link.slice(stage.url.length)

test('whoever mistypes their address is told at the field, and comes in by the same link', async () => {
  const page = await stage.open()
  await page.goto(path)
  await page.getByLabel('Email').fill('aad@example.com')
  await page.getByLabel('Your name').fill(ADA.name)
  await page.getByLabel('Password').fill(ADA.password)
  await page.getByRole('button', { name: 'Join and sign in' }).click()
  await page.getByText('This link was made for another email address.').waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('email')
  expect(await page.getByLabel('Password').inputValue()).toBe(ADA.password)
  expect((await page.request.get('/api/me')).status()).toBe(401)
})

test('the first owner comes in by the setup link, signs out, and signs in with the password they chose', async () => {
  const page = await stage.open()
  await joinAs(page, path, ADA)
  expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe('/setup')
  await page.getByText(`npm install --global ${stage.url}/cli/slipway.tgz`).waitFor()
  await page.getByRole('link', { name: /to the overview/i }).click()
  await page.getByRole('button', { name: 'You: Ada' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  expect((await page.request.get('/api/me')).status()).toBe(401)
  await signIn(page, ADA)
})

test('a link that was used says so in place, with the way to a new one', async () => {
  const page = await stage.open()
  await page.goto(path)
  await page.getByLabel('Email').fill(ADA.email)
  await page.getByLabel('Password').fill('another password of mine')
  await page.getByRole('button', { name: 'Join and sign in' }).click()
  await page.getByRole('alert').filter({ hasText: 'This link was used already' }).waitFor()
  await page.getByText('slipway admin bootstrap').waitFor()
  expect(await page.getByLabel('Email').inputValue()).toBe(ADA.email)
})

test('a wrong password is said at its field, which has the focus; nothing is cleared', async () => {
  const page = await stage.open()
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(ADA.email)
  await page.getByLabel('Password').fill('not the password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Email and password do not match.').waitFor()
  const password = page.getByLabel('Password')
  expect(await password.getAttribute('aria-invalid')).toBe('true')
  await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('password')
  expect([await page.getByLabel('Email').inputValue(), await password.inputValue()]).toEqual([
    ADA.email,
    'not the password',
  ])
})

test('whoever has no session signs in and comes back to the very address', async () => {
  const page = await stage.open()
  await page.goto('/deployments?status=failed')
  await page.getByText('Sign in to go on where you were.').waitFor()
  await page.getByLabel('Email').fill(ADA.email)
  await page.getByLabel('Password').fill(ADA.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Deployments' }).waitFor()
  expect(page.url()).toBe(`${stage.url}/deployments?status=failed`)
  await page.getByText('No deployment fits these filters').waitFor()
})

test('a session that ended leads to the sign-in at the next look, and back', async () => {
  const page = await stage.open()
  await signIn(page, ADA)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deployments' }).click()
  await page.getByRole('heading', { level: 1, name: 'Deployments' }).waitFor()
  // Whichever question is the next one: the page asks by itself.
  await page.context().clearCookies()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  expect(new URL(page.url()).searchParams.get('next')).toBe('/deployments')
})

test('the keyboard alone signs in, goes to places, searches, and reads the sheet of keys', async () => {
  const page = await stage.open()
  await page.goto('/sign-in')
  await page.getByLabel('Email').waitFor()
  const keys = page.keyboard
  await keys.type(ADA.email)
  await keys.press('Tab')
  await keys.type(ADA.password)
  await keys.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await keys.press('g')
  await keys.press('d')
  const heading = page.getByRole('heading', { level: 1, name: 'Deployments' })
  await heading.waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Deployments')
  await keys.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  await keys.press('Escape')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' })
  await keys.press('Control+k')
  await page.getByRole('dialog', { name: 'Search and commands' }).waitFor()
  await keys.type('overv')
  await keys.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/')
})

test('at 360 px nothing is moved sideways, and the menu is a drawer', async () => {
  const page = await stage.open({ viewport: NARROW })
  await page.goto('/sign-in')
  await page.getByLabel('Email').waitFor()
  expect(await overhang(page)).toBeLessThanOrEqual(0)
  await signIn(page, ADA)
  expect(await overhang(page)).toBeLessThanOrEqual(0)
  await page.getByRole('button', { name: 'Open the menu' }).click()
  await page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'Deployments' }).click()
  await page.getByRole('heading', { level: 1, name: 'Deployments' }).waitFor()
  await page.getByRole('dialog', { name: 'Menu' }).waitFor({ state: 'detached' })
  expect(await overhang(page)).toBeLessThanOrEqual(0)
})

test('an address that is none says so, and the way back', async () => {
  const page = await stage.open()
  await signIn(page, ADA)
  for (const address of ['/nowhere', '/deployments/dep_01k5z9y3m4n5p6q7r8s9t0v1w2']) {
    await page.goto(address)
    await page.getByRole('heading', { level: 1, name: 'There is nothing at this address' }).waitFor()
  }
  await page.getByRole('link', { name: 'Back to the overview' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
})

const CHUNK = '**/assets/*.js'

test('a page whose scripts were broken off is loaded anew by itself', async () => {
  const page = await stage.open()
  let broken = 0
  await page.route(CHUNK, (route) => (broken++ === 0 ? route.abort('connectionreset') : route.continue()))
  await page.goto('/sign-in')
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
})

test('where scripts do not come at all, the page says so and offers to try again', async () => {
  const page = await stage.open()
  let isBroken = true
  await page.route(CHUNK, (route) => (isBroken ? route.abort('connectionrefused') : route.continue()))
  await page.goto('/sign-in')
  await page.getByRole('alert').filter({ hasText: 'The dashboard could not be loaded' }).waitFor()
  isBroken = false
  await page.getByRole('link', { name: 'Try again' }).click()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
})

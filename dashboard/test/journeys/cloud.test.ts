import { afterAll, expect, test } from 'vitest'
import { startMailServer } from '../../../lab/mail/start.ts'
import { sendDueMail } from '../../../server/src/core/mail/outbox.ts'
import { bootstrap } from '../../../server/src/core/operator/bootstrap.ts'
import { until } from '../../../test-kit/until.ts'
import { joinAs, openStage } from '../stage.ts'

const ADA = { email: 'ada@example.com', name: 'Ada', password: 'a password of ten letters' }
const mail = await startMailServer()
afterAll(() => mail.stop())
const cloud = await openStage({
  mode: 'cloud',
  mail: { url: mail.url, from: 'slipway@cloud.example', caFile: mail.caFile },
})
const home = await openStage({ cloudUrl: cloud.url, allowedNetworks: ['127.0.0.0/8'] })
const made = await bootstrap(home.world.platform, { email: ADA.email, organization: 'Acme', again: false, days: 1 })
const atHome = await joinAs(await home.open(), made.link, ADA)
const atCloud = await cloud.open()

/** The code of the mail, when it has arrived. */
async function codeTo(email: string): Promise<string> {
  await sendDueMail(cloud.world.platform, new AbortController().signal)
  const [first] = await until(`a mail to ${email}`, 30_000, async () => {
    const mails = await mail.mails(email)
    return mails.length > 0 ? mails : undefined
  })
  return /^[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(first?.text ?? '')?.[0] ?? ''
}

test('at a cloud somebody new signs up with the code of a mail; an instance of one’s own has no such way', async () => {
  const own = await home.open()
  await own.goto('/sign-in')
  await own.getByText('Stay signed in').waitFor()
  await own.goto('/sign-up')
  await own.getByRole('heading', { name: 'Ask for an invitation' }).waitFor()
  await own.goto('/sign-in')
  await own.getByText('Stay signed in').waitFor()
  expect(await own.getByRole('link', { name: 'I am new here' }).count()).toBe(0)

  await atCloud.goto('/sign-in')
  await atCloud.getByRole('link', { name: 'I am new here' }).click()
  // The page before has a field of that name as well.
  await atCloud.getByRole('heading', { level: 1, name: 'Sign up' }).waitFor()
  await atCloud.getByLabel('Email').fill('grace@people.example')
  await atCloud.getByRole('button', { name: 'Send me a code' }).click()
  await atCloud.getByText('If grace@people.example has no account yet').waitFor()
  await atCloud.getByLabel('Code').fill('AAAA-AAAA')
  await atCloud.getByLabel('Your name').fill('Grace')
  await atCloud.getByLabel('Organization').fill('Harbour')
  await atCloud.getByLabel('Password').fill(ADA.password)
  await atCloud.getByRole('button', { name: 'Sign up' }).click()
  await atCloud.locator('[role=alert], [aria-invalid=true]').first().waitFor()
  expect(await atCloud.getByLabel('Organization').inputValue()).toBe('Harbour')
  await atCloud.getByLabel('Code').fill(await codeTo('grace@people.example'))
  await atCloud.getByRole('button', { name: 'Sign up' }).click()
  await atCloud.getByRole('heading', { level: 1, name: 'Welcome, Grace' }).waitFor()
  expect(await (await atCloud.request.get('/api/me')).json()).toMatchObject({
    role: 'owner',
    organization: { name: 'Harbour' },
  })
})

/** The next look asks the cloud, and comes not too soon for it. */
async function rest(): Promise<void> {
  await home.world.platform.pool.query('update link_attempt set ask_at = now()')
  await cloud.world.platform.pool.query('update cli_sign_in set polled_at = null')
}

test('an instance is linked by a code, seen on both sides, and each side can end it', async () => {
  const page = await home.open({ storageState: atHome })
  await page.goto('/settings?tab=cloud')
  const link = async () => {
    await page.getByRole('button', { name: 'Link to the cloud' }).click()
    const code = page.locator('code.select-all')
    await code.waitFor()
    const typed = (await code.textContent()) ?? ''
    const approve = `/api/auth/cli/${typed}/approve`
    const { organization } = await (await atCloud.request.get('/api/me')).json()
    const body = { data: { organizationId: organization.id }, headers: { origin: cloud.url } }
    expect((await atCloud.request.post(approve, body)).status()).toBe(200)
    await expect
      .poll(async () => {
        await rest()
        return (await page.getByText('Linked to', { exact: true }).count()) > 0
      })
      .toBe(true)
  }
  await link()
  await page.getByText('Harbour').waitFor()
  expect(await (await page.request.get('/api/cloud/link')).json()).toMatchObject({ state: 'linked' })
  await page.getByRole('button', { name: 'End the link' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'End the link to the cloud?' })
  await dialog.getByText('Projects that run at the cloud go on running there.').waitFor()
  await dialog.getByRole('button', { name: 'End the link' }).click()
  await page.getByRole('button', { name: 'Link to the cloud' }).waitFor()
  expect((await (await atCloud.request.get('/api/links')).json()).data).toEqual([])

  await link()
  await atCloud.goto('/settings?tab=cloud')
  await atCloud.getByText('linked by Grace').waitFor()
  await atCloud.getByRole('button', { name: /^End the link of/ }).click()
  await atCloud.getByRole('alertdialog').getByRole('button', { name: 'End the link' }).click()
  await atCloud.getByText('No instance is linked').waitFor()
  expect((await (await atCloud.request.get('/api/links')).json()).data).toEqual([])
})

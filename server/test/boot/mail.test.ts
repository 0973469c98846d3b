import { afterAll, expect, test } from 'vitest'
import { startMailServer } from '../../../lab/mail/start.ts'
import { createDatabase } from '../../../test-kit/database.ts'
import { SECRET_KEY, startProcess } from '../../../test-kit/server-process.ts'
import { postMail } from '../../src/core/mail/outbox.ts'
import { parseKeyRing } from '../../src/drivers/crypto/key-ring.ts'

const database = await createDatabase()
const mailServer = await startMailServer()
const keys = parseKeyRing(SECRET_KEY)
const server = startProcess({
  SLIPWAY_DATABASE_URL: database.url,
  SLIPWAY_LOCAL_ENGINE: 'false',
  SLIPWAY_SMTP_URL: mailServer.url,
  SLIPWAY_MAIL_FROM: 'noreply@slipway.example',
  SLIPWAY_SMTP_CA_FILE: mailServer.caFile,
})
afterAll(async () => {
  await server.end()
  await mailServer.stop()
  await database.drop()
})

const post = (to: string) =>
  database.db
    .transaction()
    .execute((tx) => postMail(tx, { keys }, { to, subject: 'Willkommen, schön', text: 'The code is 735190.\n' }))
const row = async (id: string) =>
  (await database.pool.query('select sent_at, failed_at, last_error, text from mail where id = $1', [id])).rows[0]

test('a running instance sends what was posted, though nobody told it, and says nothing of login, address or code', async () => {
  await server.ready()
  const [{ id }, refused, deferred] = await Promise.all([
    post('ada@example.com'),
    post('nobody@example.com'),
    post('later@example.com'),
  ])
  await expect.poll(() => mailServer.mails('ada@example.com'), { timeout: 60_000 }).toHaveLength(1)
  const [arrived] = await mailServer.mails('ada@example.com')
  expect(arrived).toMatchObject({ subject: 'Willkommen, schön', text: 'The code is 735190.\n' })
  expect(arrived?.headers['message-id']).toBe(`<${id}@slipway.example>`)
  await expect.poll(() => row(id)).toMatchObject({ sent_at: expect.any(Date), text: null })
  await expect.poll(() => row(refused.id)).toMatchObject({ failed_at: expect.any(Date), text: null })
  await expect
    .poll(() => row(deferred.id))
    .toMatchObject({ failed_at: null, last_error: expect.stringContaining('451') })
  expect(mailServer.addresses()).toEqual(['ada@example.com'])
  expect(server.said()).toContain('a mail was given up')
  for (const secret of [mailServer.password, '735190', '@example.com']) expect(server.said()).not.toContain(secret)
})

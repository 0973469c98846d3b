import { afterAll, beforeEach, expect, test } from 'vitest'
import { createDatabase } from '../../../../test-kit/database.ts'
import { until } from '../../../../test-kit/until.ts'
import type { Config } from '../../config.ts'
import { parseKeyRing } from '../../drivers/crypto/key-ring.ts'
import { type Mail, type MailFailureCode, mailFailure } from '../../drivers/mail/mail.ts'
import { postMail, type SendParts, sayMailPosted, sendDueMail } from './outbox.ts'
import { claim, markSent, sweepMail } from './outbox-store.ts'
import { sendOnPost } from './send-on-post.ts'

const database = await createDatabase()
const { db, pool } = database
afterAll(() => database.drop())
const keys = parseKeyRing('3f9c1d7e5a2b8460c4e1f70935ad682b9e04c7f1835b6ad2e8f0179c4b3d5a61')
const { signal } = new AbortController()
const logged: object[] = []
const note = (facts: object, words: string) => void logged.push({ ...facts, words })
const log = { info: note, warn: note, error: note }
const config = { mail: { url: '', from: 'noreply@slipway.example', caFile: null } } as Config

/** A door that keeps what it is given, and does what it is told. */
function makeDoor(answer: (mail: Mail, signal: AbortSignal) => Promise<void> = async () => {}) {
  const sent: Mail[] = []
  const parts: SendParts = {
    db,
    keys,
    config,
    log,
    mailDoor: {
      async send(mail, signal) {
        await answer(mail, signal)
        sent.push(mail)
      },
      close() {},
    },
  }
  return { sent, parts }
}
const failing = (code: MailFailureCode) =>
  makeDoor(async () => {
    throw mailFailure(code, 'It does not.')
  })

const post = (to = 'ada@example.com', text = 'The code is 123456.') =>
  db.transaction().execute((tx) => postMail(tx, { keys }, { to, subject: 'Your code', text }))
const rows = async () =>
  (await pool.query('select *, due_at - clock_timestamp() > $1 as later from mail', ['1 s'])).rows
const row = async () => (await rows())[0]
const makeDue = () => pool.query('update mail set due_at = now()')
const makeOlder = (by: string) => pool.query('update mail set created_at = created_at - $1::interval', [by])

beforeEach(async () => {
  logged.length = 0
  await pool.query('delete from mail')
})

test('what was posted is sent once, with an id made of its row, and its text is gone from the database', async () => {
  const { id } = await post()
  const { sent, parts } = makeDoor()
  expect(await sendDueMail(parts, signal)).toBe(1)
  expect(await sendDueMail(parts, signal)).toBe(0)
  const messageId = `${id}@slipway.example`
  expect(sent).toEqual([{ to: 'ada@example.com', subject: 'Your code', text: 'The code is 123456.', messageId }])
  expect(await row()).toMatchObject({ sent_at: expect.any(Date), failed_at: null, text: null, attempts: 1 })
})

test('a mail whose transaction is rolled back is never sent', async () => {
  const posting = db.transaction().execute(async (tx) => {
    await postMail(tx, { keys }, { to: 'ada@example.com', subject: 's', text: 't' })
    throw new Error('no')
  })
  await expect(posting).rejects.toThrow('no')
  expect(await sendDueMail(makeDoor().parts, signal)).toBe(0)
})

test('the text waits sealed, for its own row alone', async () => {
  await post()
  await post('eve@example.com', 'another')
  const [first, second] = await rows()
  expect(JSON.stringify([first, second])).not.toContain('123456')
  await pool.query('update mail set text = $1 where id = $2', [first.text, second.id])
  const { sent, parts } = makeDoor()
  await sendDueMail(parts, signal)
  expect(sent.map(({ to }) => to)).toEqual(['ada@example.com'])
})

test.each(['mail_deferred', 'mail_unreachable', 'mail_untrusted', 'mail_denied'] as const)(
  'after %s it is tried again, later each time, with the same id',
  async (code) => {
    await post()
    const { parts } = failing(code)
    const delays: number[] = []
    for (let attempt = 1; attempt <= 12; attempt++) {
      await makeDue()
      await sendDueMail(parts, signal)
      const { rows: found } = await pool.query(
        'select extract(epoch from due_at - clock_timestamp()) as delay from mail',
      )
      delays.push(Number(found[0].delay))
    }
    expect(delays[0]).toBeGreaterThan(3)
    expect(delays[3]).toBeGreaterThan((delays[0] ?? 0) * 4)
    expect(delays[11]).toBeGreaterThan(20 * 60)
    expect(Math.max(...delays)).toBeLessThan(40 * 60)
    expect(await row()).toMatchObject({ attempts: 12, failed_at: null, last_error: `${code}: It does not.` })
    await makeDue()
    const { sent, parts: working } = makeDoor()
    await sendDueMail(working, signal)
    expect(sent.map(({ messageId }) => messageId)).toEqual([`${(await row()).id}@slipway.example`])
    expect(await row()).toMatchObject({ sent_at: expect.any(Date), last_error: null })
  },
)

test('what the server refuses for good is given up at once, and its text goes', async () => {
  await post('nobody@example.com')
  await sendDueMail(failing('mail_refused').parts, signal)
  expect(await row()).toMatchObject({ failed_at: expect.any(Date), sent_at: null, text: null })
  await makeDue()
  expect(await sendDueMail(makeDoor().parts, signal)).toBe(0)
})

test('what could not be sent in a day is given up, and not sent after that', async () => {
  await post()
  await sendDueMail(failing('mail_unreachable').parts, signal)
  await makeOlder('24 hours 1 minute')
  await makeDue()
  const { sent, parts } = makeDoor()
  await sendDueMail(parts, signal)
  expect(sent).toEqual([])
  expect(await row()).toMatchObject({ failed_at: expect.any(Date), text: null, last_error: 'not sent in a day' })
})

test('many processes at once send each mail once, a few at a time', async () => {
  for (let n = 0; n < 40; n++) await post(`p${n}@example.com`)
  let running = 0
  let most = 0
  const doors = [1, 2, 3].map(() =>
    makeDoor(async () => {
      most = Math.max(most, ++running)
      await new Promise((next) => setTimeout(next, 5))
      running--
    }),
  )
  await Promise.all(doors.map(({ parts }) => sendDueMail(parts, signal)))
  const to = doors.flatMap(({ sent }) => sent.map((mail) => mail.to))
  expect(to).toHaveLength(40)
  expect(new Set(to).size).toBe(40)
  expect(most).toBeLessThanOrEqual(12)
})

test('a process that dies while it sends leaves the mail to others when its lease is over, and to nobody before', async () => {
  const { id } = await post()
  expect(await claim(db, 1)).toHaveLength(1)
  const { sent, parts } = makeDoor()
  await sendDueMail(parts, signal)
  expect(sent).toEqual([])
  const { rows: found } = await pool.query('select extract(epoch from due_at - clock_timestamp()) as lease from mail')
  expect(Number(found[0].lease)).toBeGreaterThan(120)
  await makeDue()
  await sendDueMail(parts, signal)
  expect(sent.map(({ messageId }) => messageId)).toEqual([`${id}@slipway.example`])
})

test('who was away for longer than its lease changes nothing of what others have done since', async () => {
  await post()
  const quick = makeDoor()
  const late = makeDoor(async () => {
    await makeDue()
    await sendDueMail(quick.parts, signal)
    throw mailFailure('mail_refused', 'It does not.')
  })
  await sendDueMail(late.parts, signal)
  expect(quick.sent).toHaveLength(1)
  expect(await row()).toMatchObject({ sent_at: expect.any(Date), failed_at: null, attempts: 2 })
  expect(await sendDueMail(quick.parts, signal)).toBe(0)
})

test('a mail that a server has taken counts as sent even if somebody has given it up meanwhile', async () => {
  const { id } = await post()
  await sendDueMail(failing('mail_refused').parts, signal)
  await markSent(db, id)
  expect(await row()).toMatchObject({ sent_at: expect.any(Date), failed_at: null, last_error: null })
})

test('a process that is told to end gives its mail back at once', async () => {
  await post()
  const leaving = new AbortController()
  const { parts } = makeDoor(async (_, given) => {
    leaving.abort(new Error('shutting down'))
    given.throwIfAborted()
  })
  await sendDueMail(parts, leaving.signal)
  expect(await row()).toMatchObject({ sent_at: null, later: false })
  const { sent, parts: next } = makeDoor()
  await sendDueMail(next, signal)
  expect(sent).toHaveLength(1)
})

test('one that fails for a reason nobody foresaw keeps no other from being sent', async () => {
  await post('odd@example.com')
  await post()
  const { sent, parts } = makeDoor(async ({ to }) => {
    if (to === 'odd@example.com') throw new TypeError('odd')
  })
  await sendDueMail(parts, signal)
  expect(sent.map(({ to }) => to)).toEqual(['ada@example.com'])
  expect((await rows()).find(({ to_address: to }) => to === 'odd@example.com')).toMatchObject({
    failed_at: null,
    later: true,
  })
})

test('no log line has the address or the text of a mail', async () => {
  for (const code of ['mail_refused', 'mail_deferred'] as const) {
    await post()
    await sendDueMail(failing(code).parts, signal)
  }
  expect(logged).toHaveLength(2)
  expect(JSON.stringify(logged)).not.toMatch(/ada@|123456/)
})

test('without a mail server nothing is claimed', async () => {
  await post()
  expect(await sendDueMail({ ...makeDoor().parts, mailDoor: null }, signal)).toBe(0)
  expect(await row()).toMatchObject({ attempts: 0 })
})

test('rows go after a week, however they ended, and not before', async () => {
  await post('sent@example.com')
  await sendDueMail(makeDoor().parts, signal)
  await post('failed@example.com')
  await sendDueMail(failing('mail_refused').parts, signal)
  await makeOlder('6 days')
  await sweepMail(db)
  expect(await rows()).toHaveLength(2)
  await makeOlder('1 day 1 minute')
  await post('new@example.com')
  await sweepMail(db)
  expect((await rows()).map(({ to_address: to }) => to)).toEqual(['new@example.com'])
})

test('a worker that hears of a post begins to send, and stops when it is told to', async () => {
  const heard = new Set<() => void>()
  const changes = {
    send() {
      for (const changed of heard) changed()
    },
    subscribe: (_: string, changed: () => void) => {
      heard.add(changed)
      return () => heard.delete(changed)
    },
    close() {},
  }
  const { sent, parts } = makeDoor()
  const sending = sendOnPost({ ...parts, changes })
  await post()
  sayMailPosted({ changes })
  await until('the mail to be sent', 10_000, () => sent.length === 1)
  await sending.stop()
  await post()
  sayMailPosted({ changes })
  expect(heard.size).toBe(0)
})

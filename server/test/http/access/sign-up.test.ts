import { afterAll, describe, expect, test } from 'vitest'
import { startMailServer } from '../../../../lab/mail/start.ts'
import { until } from '../../../../test-kit/until.ts'
import { startWorld } from '../../../../test-kit/world.ts'
import { sendDueMail } from '../../../src/core/mail/outbox.ts'
import { browsers, PASSWORD } from './people.ts'

const server = await startMailServer()
afterAll(() => server.stop())
const mail = { url: server.url, from: 'slipway@cloud.example', caFile: server.caFile }
const world = await startWorld({ mode: 'cloud', mail, trustProxy: '127.0.0.1', publicUrl: 'https://cloud.example' })
const { post, signIn, me, owner } = browsers(world)
const { signal } = new AbortController()

let n = 0
const newAddress = () => `person${++n}@people.example`
const ask = (email: string, headers: Record<string, string> = {}) => post('/api/auth/sign-up/email', { email }, headers)
const finish = (signUpId: string, code: string, more: object = {}) =>
  post('/api/auth/sign-up/finish', { signUpId, code, name: 'Ada', password: PASSWORD, organization: 'Things', ...more })
/** A mail server delivers a moment after it has taken a mail. */
const mailsTo = async (email: string, least = 1) => {
  await sendDueMail(world.platform, signal)
  return until(`mail ${least} to ${email}`, 30_000, async () => {
    const mails = await server.mails(email)
    return mails.length >= least ? mails : undefined
  })
}
const codeIn = (text: string | undefined) => /^[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(text ?? '')?.[0] ?? ''
/** Of the newest mail, when that many have arrived. */
const codeTo = async (email: string, least = 1, before = '') => {
  const codes = (await mailsTo(email, least)).map(({ text }) => codeIn(text))
  return codes.find((code) => code !== before) ?? ''
}
const count = async (table: string) =>
  Number((await world.platform.pool.query(`select count(*) as n from ${table}`)).rows[0].n)

describe('signing up', () => {
  test('a code by mail makes a person and an organization of their own, and they sign in', async () => {
    const email = newAddress()
    const asked = await ask(email)
    expect(asked.status).toBe(202)
    expect(await count('person')).toBe(0)
    const [first, ...others] = await mailsTo(email)
    expect([first?.subject, others]).toEqual(['Your code for Slipway', []])
    expect(first?.text).toContain('https://cloud.example')
    const done = await finish(asked.body.signUpId, (await codeTo(email)).toLowerCase().replace('-', ' '))
    expect([done.status, done.body]).toEqual([201, { success: true, organizationId: expect.stringMatching(/^org_/) }])
    const { cookie } = await signIn(email, PASSWORD)
    const shown = (await me(cookie)).body
    expect(shown).toMatchObject({ organization: { id: done.body.organizationId, name: 'Things' }, role: 'owner' })
  })

  test('the answer tells nobody who has an account; the mail tells its owner, and has no code', async () => {
    const known = await owner(newAddress())
    const [ofKnown, ofNew] = [await ask(known.email), await ask(newAddress())]
    const shape = ({ status, body }: typeof ofKnown) => [status, Object.keys(body), body.signUpId.length]
    expect(shape(ofKnown)).toEqual(shape(ofNew))
    const [sent] = await mailsTo(known.email)
    expect(sent?.subject).toBe('You have an account at Slipway')
    expect(sent?.text).not.toMatch(/[0-9A-Z]{4}-[0-9A-Z]{4}/)
    expect((await finish(ofKnown.body.signUpId, 'AAAA-AAAA')).body.code).toBe('invalid_code')
  })

  test('is closed where no mail can be sent', async () => {
    const silent = await startWorld({ mode: 'cloud' })
    const answer = await silent.as('')('POST', '/api/auth/sign-up/email', { email: 'ada@people.example' })
    expect([answer.status, answer.body.code]).toEqual([503, 'sign_up_closed'])
  })
})

describe('a code', () => {
  test('is good once, also when it is sent twice at the same moment', async () => {
    const email = newAddress()
    const { signUpId } = (await ask(email)).body
    const code = await codeTo(email)
    const both = await Promise.all([finish(signUpId, code), finish(signUpId, code)])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 400])
    expect((await finish(signUpId, code)).body.code).toBe('invalid_code')
  })

  test('that was guessed wrong five times is good no more, even when tried all at once', async () => {
    const email = newAddress()
    const { signUpId } = (await ask(email)).body
    const code = await codeTo(email)
    const wrong = Array.from({ length: 8 }, (_, i) => finish(signUpId, `0000-000${i}`))
    for (const { body } of await Promise.all(wrong)) expect(body.code).toBe('invalid_code')
    expect((await finish(signUpId, code)).body.code).toBe('invalid_code')
  })

  test('of an attempt that somebody else began for the address fits no other attempt', async () => {
    const email = newAddress()
    const theirs = (await ask(email)).body
    const codeOfTheirs = await codeTo(email)
    const own = (await ask(email)).body
    expect((await finish(own.signUpId, codeOfTheirs)).body.code).toBe('invalid_code')
    expect((await finish(theirs.signUpId, codeOfTheirs)).status).toBe(201)
    const code = await codeTo(email, 2, codeOfTheirs)
    const late = await finish(own.signUpId, code)
    expect([late.status, late.body.code]).toEqual([409, 'name_taken'])
    expect((await world.platform.pool.query('select id from person where email = $1', [email])).rowCount).toBe(1)
  })

  test('has expired after a quarter of an hour', async () => {
    const email = newAddress()
    const { signUpId } = (await ask(email)).body
    const code = await codeTo(email)
    await world.platform.pool.query(`update sign_up set expires_at = now() - interval '1 second' where email = $1`, [
      email,
    ])
    expect((await finish(signUpId, code)).body.code).toBe('invalid_code')
  })

  test('stands nowhere in the database as it is', async () => {
    const email = newAddress()
    await ask(email)
    const { rows } = await world.platform.pool.query(
      'select row_to_json(s)::text as t from sign_up s union all select row_to_json(m)::text from mail m',
    )
    const code = await codeTo(email)
    expect(code).not.toBe('')
    for (const { t } of rows) expect(t).not.toContain(code)
  })
})

test('an address gets five mails an hour and no more, and the answer does not tell', async () => {
  const email = newAddress()
  for (let i = 0; i < 7; i++) expect((await ask(email)).status).toBe(202)
  expect(await mailsTo(email, 5)).toHaveLength(5)
  expect((await world.platform.pool.query('select id from mail where to_address = $1', [email])).rowCount).toBe(5)
})

test('one network asks thirty times an hour, and is told so then', async () => {
  const from = { 'x-forwarded-for': '198.51.100.7' }
  await world.platform.pool.query(
    `insert into sign_up (id, request_hash, code_hash, email, network, expires_at)
     select 'sgn_' || i, decode(md5(i::text), 'hex'), 'x', 'a@b.example', '198.51.100.7', now() from generate_series(1, 30) i`,
  )
  const answer = await ask(newAddress(), from)
  expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([429, 'rate_limited', '600'])
})

test('there is no such route on an instance of one’s own', async () => {
  const own = await startWorld({ mail })
  const answer = await own.as('')('POST', '/api/auth/sign-up/email', { email: 'ada@people.example' })
  expect([answer.status, answer.body.hint]).toEqual([404, 'It is a route of the hosted cloud.'])
})

import { beforeEach, expect, test } from 'vitest'
import { renewCertificate } from '../../src/core/domains/certificates/renew.ts'
import { acmeFailure } from '../../src/drivers/acme/acme.ts'
import { ELSEWHERE, startStandIn } from './stand-in.ts'

const { ca, stage, names, world, org, until, valid, row, set, ordered, forgetOrders } = await startStandIn()
const { api } = org.owner
const renew = (domain: string, more = {}, by = api) => by('POST', '/api/deployments/ssl/renew', { domain, ...more })
beforeEach(forgetOrders)

test('answers with the new certificate, though the old one is good for long', async () => {
  await valid('new.example.com')
  const { status, body } = await renew('new.example.com')
  expect([status, body]).toEqual([
    200,
    { success: true, domain: 'new.example.com', validTo: expect.any(String), issuer: 'Test CA' },
  ])
  expect(ca.orders).toHaveLength(2)
})

test('again within the hour → 429 that says when; forced, or where it ends soon, it is done', async () => {
  const project = await valid('often.example.com')
  expect((await renew('often.example.com')).status).toBe(200)
  const again = await renew('often.example.com')
  expect([again.status, again.body.code]).toEqual([429, 'rate_limited'])
  expect(Number(again.headers['retry-after'])).toSatisfy((seconds: number) => seconds > 3000 && seconds <= 3600)
  expect(ca.orders).toHaveLength(2)
  expect((await renew('often.example.com', { force: true })).status).toBe(200)
  await set(project, "not_after = now() + interval '29 days'")
  expect((await renew('often.example.com')).status).toBe(200)
  await set(project, "asked_at = now() - interval '61 minutes'")
  expect((await renew('often.example.com')).status).toBe(200)
  expect(ca.orders).toHaveLength(5)
})

test("tells the CA's own reason, and while it asks to wait does not ask it unless forced", async () => {
  await valid('limited.example.com')
  ca.issuing = async () => {
    throw acmeFailure('rate_limited', 'The CA says: too many.', { retryAfter: new Date(Date.now() + 7_200_000) })
  }
  const first = await renew('limited.example.com')
  expect(first.body).toMatchObject({ code: 'certificate_failed', error: 'The CA says: too many.' })
  const second = await renew('limited.example.com')
  expect(second.body).toMatchObject({
    code: 'certificate_failed',
    error: 'The CA says: too many. It is not asked again yet.',
  })
  expect(Number(second.headers['retry-after'])).toBeGreaterThan(3600)
  expect(ca.orders).toHaveLength(2)
  ca.issuing = async () => {}
  expect((await renew('limited.example.com', { force: true })).status).toBe(200)
})

test('half of the orders of three hours are the most for one organization, all of them for all; forcing does not help', async () => {
  await valid('many.example.com')
  const other = await world.org('Other')
  await ordered(other.id, 150, '1 hour')
  expect((await renew('many.example.com')).status).toBe(200)
  await forgetOrders()
  await ordered(org.id, 150, '1 hour')
  const refused = await renew('many.example.com', { force: true })
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  await forgetOrders()
  await ordered(org.id, 149, '1 hour')
  await ordered(org.id, 100, '4 hours')
  expect((await renew('many.example.com', { force: true })).status).toBe(200)
  await forgetOrders()
  await ordered(other.id, 300, '1 hour')
  expect((await renew('many.example.com', { force: true })).status).toBe(429)
  expect(ca.orders).toHaveLength(3)
})

test('a name that leads elsewhere by now → dns_wrong, and the CA is not asked', async () => {
  await valid('moved.example.com')
  names.zone['moved.example.com'] = { A: [ELSEWHERE] }
  const { body } = await renew('moved.example.com')
  expect(body).toMatchObject({ code: 'dns_wrong', error: expect.stringContaining(ELSEWHERE) })
  expect(ca.orders).toHaveLength(1)
})

test('a token of one project renews no name of another', async () => {
  const project = await valid('mine.example.com')
  const another = (await api('POST', '/api/projects', { name: 'another' })).body.id
  const as = async (projectId: string) => world.as(await world.tokenFor(org.owner, { projectId }))
  expect((await renew('mine.example.com', {}, await as(another))).status).toBe(404)
  expect((await renew('mine.example.com', {}, await as(project))).status).toBe(200)
})

test('whoever hangs up is not waited for, and the certificate comes all the same', async () => {
  const project = await valid('gone.example.com')
  const asked = Promise.withResolvers<void>()
  const issuing = Promise.withResolvers<void>()
  ca.issuing = () => {
    asked.resolve()
    return issuing.promise
  }
  const gone = new AbortController()
  const caller = { orgId: org.id, projectId: null, kind: 'system', name: 'test' } as never
  const wish = { domain: 'gone.example.com', force: false }
  const answer = renewCertificate({ ...stage.parts, config: world.config }, caller, wish, gone.signal)
  const ended = expect(answer).rejects.toMatchObject({ code: 'conflict' })
  await asked.promise
  gone.abort()
  await ended
  const { serial } = await row(project)
  issuing.resolve()
  await until(project, 'valid')
  expect((await row(project)).serial).not.toBe(serial)
})

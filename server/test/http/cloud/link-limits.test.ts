import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import type { Org, World } from '../../../../test-kit/world.ts'
import { line, makeDeployment, store } from '../../deployments/made.ts'
import { startTwoWorlds } from '../links/two-worlds.ts'
import { cloudProject, link, shownAs, stub } from './linked.ts'
import { answering, startStandIn } from './stand-in.ts'

const LIMITS = { rate: { perAddress: 100, perToken: 20 }, streamsPerToken: 2, perLink: { rate: 150, streams: 4 } }
const { cloud, home, linked, secretsOf } = await startTwoWorlds(() => ({ cloud: LIMITS }))
await home.app.listen({ port: 0, host: '127.0.0.1' })

/** Linked, with a deployment there that prints. */
async function pair(name: string) {
  const { here, there } = await linked(name)
  const { id } = await makeDeployment(cloud, there)
  const shown = (await there.owner.api('GET', `/api/deployments/${id}`)).body
  await stub(home, here.id, await cloudProject(home, here), shown)
  await store(cloud, id, [line('here')])
  return { here, there, path: `/api/deployments/${id}` }
}

const open = new Set<{ destroy(): void }>()
afterAll(() => {
  for (const one of open) one.destroy()
})
/** As soon as something of it is there. */
const openStream = ({ app }: World, path: string, token: string) =>
  new Promise<IncomingMessage>((opened, failed) => {
    const { port } = app.server.address() as AddressInfo
    const asked = request({ port, path, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      answer.once('data', () => opened(answer))
      answer.on('error', () => {})
    })
    asked.on('error', failed).end()
    open.add(asked)
  })
const statusesOf = async (world: World, path: string, tokens: string[]) =>
  (await Promise.all(tokens.map((token) => openStream(world, path, token)))).map(({ statusCode }) => statusCode)

test('who works with the cloud from an instance has what its link may do, and not what one address or token may', async () => {
  const { here, there, path } = await pair('Many')
  const colleague = await home.person(here.id, 'developer')
  const both = async () => [await here.owner.api('GET', path), await colleague.api('GET', path)]
  for (let n = 0; n < 60; n++) expect((await both()).map(({ status }) => status)).toEqual([200, 200])
  // Whoever approved has an allowance of their own.
  expect((await there.owner.api('GET', path)).status).toBe(200)
  let last = await colleague.api('GET', path)
  for (let n = 0; n < 400 && last.status === 200; n++) last = await colleague.api('GET', path)
  expect([last.status, last.body.code]).toEqual([429, 'rate_limited'])
  expect(last.body.error).toBe(
    'The hosted cloud takes no more calls by the link of this organization for now. It says: More than 150 requests in a minute from this link.',
  )
  expect(last.body.hint).toContain('shares the link')
  expect(Number(last.headers['retry-after'])).toBeGreaterThan(0)
}, 60_000)

test('streams through an instance are counted by its link, neither with those of its approver nor with what it hears of pushes', async () => {
  const { here, there, path } = await pair('Streams')
  const stream = `${path}/stream`
  const [one, other] = [here.owner.token, (await home.person(here.id, 'viewer')).token]
  expect(await statusesOf(home, stream, [one, one, other, other])).toEqual([200, 200, 200, 200])
  const fifth = await here.owner.api('GET', stream)
  expect([fifth.status, fifth.body.code]).toEqual([429, 'rate_limited'])
  expect(fifth.body.error).toContain('This link has 4 streams open')
  const { credential } = await secretsOf(here)
  expect(await statusesOf(cloud, '/api/relay/stream', [credential, credential])).toEqual([200, 200])
  expect(await statusesOf(cloud, stream, [there.owner.token, there.owner.token])).toEqual([200, 200])
})

describe('what the cloud refuses to the link is not told as a refusal of who asks', () => {
  const refusing = async (org: Org, body: object, status: number) => {
    const there = await startStandIn(answering(body, status))
    await link(home, org.id, there.url, 'slp_of_the_link')
    const id = `dep_refused${status}${Object.values(body).join('').length}`
    await stub(home, org.id, await cloudProject(home, org), shownAs(id))
    return org.owner.api('POST', `/api/deployments/${id}/pin`, {})
  }

  test.each([
    [{ code: 'permission_denied', error: 'This needs …', requires: 'deployment:write' }, 'deployment:write'],
    [{ code: 'link_required', error: 'Only the credential …' }, 'this'],
    [{ code: 'session_required', error: 'Only a person …' }, 'this'],
  ])('%o', async (body, what) => {
    const answer = await refusing(await home.org(), body, 403)
    expect([answer.status, answer.body.code, answer.body.requires]).toEqual([503, 'cloud_unreachable', undefined])
    expect(answer.body.message).toContain(what)
    expect(answer.body.hint).toContain('link the organization anew')
  })

  test.each([
    [403, 'limit_reached'],
    [403, 'local_source_refused'],
  ])('but %i %s, which is about what was asked', async (status, code) => {
    const answer = await refusing(await home.org(), { code, error: 'x' }, status)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  test('words that are no line of ours are left out', async () => {
    const { body } = await refusing(await home.org(), { code: 'rate_limited', error: `a\nb ${'x'.repeat(500)}` }, 429)
    expect(body.error).toBe('The hosted cloud takes no more calls by the link of this organization for now.')
  })
})

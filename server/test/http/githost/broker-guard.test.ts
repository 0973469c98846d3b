import { Writable } from 'node:stream'
import { LINK_SCOPES } from '@slipway/contract/link'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { buttonOf } from '../../../../test-kit/githost-browser.ts'
import type { Org } from '../../../../test-kit/world.ts'
import { buildApp } from '../../../src/http/app.ts'
import { createMetrics } from '../../../src/http/metrics.ts'
import { begin, connectThrough, HOME_URL, REDIRECT_PATH, startBrokered, toHost } from './broker-stage.ts'

const brokered = await startBrokered()
const { home, cloud, line, host, linked, repos, browser, secretsOf } = brokered
const BROKER = '/api/githost/broker'
const STATE = 'a-state-that-is-long-enough'

const credentialOf = async (here: Org) => cloud.as((await secretsOf(here)).credential)
const connected = async (name: string) => {
  const pair = await linked(name)
  const end = await connectThrough(brokered, await begin(pair.here), 'ada', 'acme')
  expect(end.text).toContain('The git host is connected')
  const api = await credentialOf(pair.here)
  const [{ installationId }] = (await api('GET', `${BROKER}/installations`)).body.data
  return { ...pair, api, installationId: Number(installationId) }
}
const connectionsOf = ({ id }: Org) =>
  home.platform.db.selectFrom('githostLink').select('id').where('orgId', '=', id).execute()

test('only the credential of a link is served: any other token, and a session, are refused', async () => {
  const there = await cloud.org()
  const session = await cloud.session(there.owner)
  const asked: [string, string, object?][] = [
    ['POST', BROKER, { state: STATE, returnTo: `${HOME_URL}${REDIRECT_PATH}` }],
    ['GET', `${BROKER}/installations`],
    ['POST', `${BROKER}/tokens`, { installationId: 1 }],
  ]
  for (const [method, path, body] of asked) {
    const byToken = await there.owner.api(method, path, body)
    expect([path, byToken.status, byToken.body.code]).toEqual([path, 403, 'link_required'])
    const bySession = await cloud.as('')(method, path, body, session)
    expect([path, bySession.status, bySession.body.code]).toEqual([path, 403, 'link_required'])
    expect((await (await home.org()).owner.api(method, path, body)).status, 'an instance has no such path').toBe(404)
  }
})

test('a link reaches what its own organization has proved, and nothing of another’s', async () => {
  const mine = await connected('Mine')
  const other = await credentialOf((await linked('Other')).here)
  expect((await other('GET', `${BROKER}/installations`)).body.data).toEqual([])
  for (const installationId of [mine.installationId, 999_999]) {
    const refused = await other('POST', `${BROKER}/tokens`, { installationId })
    expect([refused.status, refused.body.code]).toEqual([404, 'not_found'])
  }
})

test('of a partial proof, no token is made for a repository outside of it, and one that names none reads those alone', async () => {
  const { there, api, installationId } = await connected('Partial')
  const at = cloud.platform.db.updateTable('githostLink').where('orgId', '=', there.id)
  await at.set({ repoIds: [repos.shop.id] }).execute()
  const ask = (body: object) => api('POST', `${BROKER}/tokens`, { installationId, ...body })
  for (const repositoryIds of [[repos.books.id], [repos.shop.id, repos.books.id]])
    expect((await ask({ repositoryIds })).status).toBe(404)
  const given = await ask({})
  expect(given.status).toBe(200)
  const seen = await atHost(given.body.token, '/installation/repositories')
  expect(seen.repositories.map(({ id }: { id: number }) => id)).toEqual([repos.shop.id])
})

const atHost = async (token: string, path: string) => {
  const { readFile } = await import('node:fs/promises')
  const { request } = await import('node:https')
  const ca = await readFile(host.caFile)
  const headers = { authorization: `token ${token}`, 'user-agent': 'test' }
  return new Promise<{ repositories: { id: number }[] }>((resolve, reject) => {
    const sent = request(`${host.url}/api/v3${path}`, { ca, headers }, async (answer) => {
      let text = ''
      for await (const chunk of answer) text += chunk
      resolve(JSON.parse(text))
    })
    sent.on('error', reject).end()
  })
}

test('a token may read and tell how deployments went, whatever else the app may do', async () => {
  const { api, installationId } = await connected('Least')
  for (const permissions of [{ administration: 'write' }, { contents: 'write' }, { metadata: 'write' }]) {
    const refused = await api('POST', `${BROKER}/tokens`, { installationId, permissions })
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request'])
  }
  await api('POST', `${BROKER}/tokens`, { installationId })
  const { rows } = await cloud.platform.pool.query(
    `select detail from audit where action = 'githost.broker.token' order by id desc limit 1`,
  )
  expect(rows[0].detail.permissions).toEqual({ contents: 'read', metadata: 'read', statuses: 'write' })
})

test('the browser is sent to the page of the instance alone: no other path, no other scheme, nothing in it', async () => {
  const { here } = await linked('Foreign')
  const api = await credentialOf(here)
  for (const returnTo of [
    `http://elsewhere.example${REDIRECT_PATH}`,
    'https://home.example.com/elsewhere',
    `https://home.example.com${REDIRECT_PATH}?next=1`,
    `https://home.example.com${REDIRECT_PATH}#x`,
    `https://ada:pw@home.example.com${REDIRECT_PATH}`,
    `javascript:alert(1)//${REDIRECT_PATH}`,
    'home.example.com',
  ]) {
    const refused = await api('POST', BROKER, { state: STATE, returnTo })
    expect([returnTo, refused.status, refused.body.field]).toEqual([returnTo, 400, 'returnTo'])
  }
  // An instance without TLS is sent back to where it was when it was linked.
  const plain = await api('POST', BROKER, { state: STATE, returnTo: `http://home.example.com${REDIRECT_PATH}` })
  expect([plain.status, new URL(plain.body.url).origin]).toEqual([200, line.url])
  // What the query says about it is not looked at.
  const { visitor, action } = await toHost(brokered, await begin(here), 'ada')
  const state = new URL(action).searchParams.get('state')
  const query = `error=access_denied&state=${state}&returnTo=https://elsewhere.example&return_to=https://elsewhere.example`
  const end = await visitor.visit(`${line.url}${REDIRECT_PATH}?${query}`)
  expect(new URL(end.url).origin).toBe(HOME_URL)
})

test('whoever linked the instance has to press the button too, and nobody else’s browser goes on with it', async () => {
  const { here, there } = await linked('Button')
  const visitor = browser()
  const url = buttonOf((await visitor.visit(await begin(here))).text).action
  const { cookie } = await cloud.session(there.owner)
  const shown = await cloud.app.inject({ url: url.slice(line.url.length), headers: { cookie } })
  expect([shown.statusCode, shown.body.includes('for the instance')]).toEqual([200, true])
  expect((await browser().visit(url)).status).toBe(400)
})

test('a state is good once, for the browser that began at the instance, and not for long', async () => {
  const { here } = await linked('State')
  const first = await toHost(brokered, await begin(here), 'ada')
  const back = await first.visitor.visit(`${first.action}&target=acme`, undefined, /^https:\/\/home/)
  expect((await browser().visit(back.url)).status, 'another browser').toBe(400)
  expect((await first.visitor.visit(back.url)).status, 'and it is spent by that').toBe(400)
  expect(await connectionsOf(here)).toEqual([])

  const second = await toHost(brokered, await begin(here), 'ada')
  const page = await second.visitor.visit(`${second.action}&target=acme`)
  expect(page.text).toContain('is connected')
  expect((await second.visitor.visit(page.url)).status, 'used').toBe(400)

  const other = (await linked('Another')).here
  const third = await toHost(brokered, await begin(other), 'ada')
  const late = await third.visitor.visit(`${third.action}&target=acme`, undefined, /^https:\/\/home/)
  const rows = home.platform.db.updateTable('githostAttempt').where('orgId', '=', other.id)
  await rows.set({ expiresAt: new Date(0) }).execute()
  expect((await third.visitor.visit(late.url)).status, 'too old').toBe(400)
  expect(await connectionsOf(other)).toEqual([])
})

test('what was begun ends with the link: nothing is connected on either side', async () => {
  const { here, there } = await linked('Cut')
  const { visitor, action } = await toHost(brokered, await begin(here), 'ada')
  const [{ id }] = (await there.owner.api('GET', '/api/links')).body.data
  await there.owner.api('DELETE', `/api/links/${id}`)
  expect((await visitor.visit(`${action}&target=acme`)).status).toBe(400)
  expect(await connectionsOf(here)).toEqual([])
  expect((await there.owner.api('GET', '/api/githost/status')).body.state).toBe('disconnected')
})

test('a link from before is told to be made anew, at both ends, and so is one whose approver is no admin any more', async () => {
  const { here, there } = await linked('Old')
  const before = LINK_SCOPES.filter((scope) => scope !== 'githost:write')
  const { db } = cloud.platform
  const [{ tokenId }] = (await there.owner.api('GET', '/api/links')).body.data
  await db.updateTable('token').set({ scopes: before }).where('id', '=', tokenId).execute()
  const api = await credentialOf(here)
  const refused = await api('POST', BROKER, { state: STATE, returnTo: `${HOME_URL}${REDIRECT_PATH}` })
  expect(refused.body).toMatchObject({ code: 'permission_denied', requires: 'githost:write' })
  expect(refused.body.hint).toContain('link the instance anew')
  const atHome = await here.owner.api('POST', '/api/githost/connect', { source: 'cloud' })
  expect([atHome.status, atHome.body.code]).toEqual([409, 'conflict'])
  expect(atHome.body.hint).toContain('anew')

  const shrunk = await connected('Shrunk')
  await db.updateTable('member').set({ role: 'developer' }).where('orgId', '=', shrunk.there.id).execute()
  const less = await shrunk.api('POST', `${BROKER}/tokens`, { installationId: shrunk.installationId })
  expect([less.status, less.body.code]).toEqual([403, 'link_required'])
})

test('an instance gets so many tokens in a minute, and is told when there are more', async () => {
  const { api, installationId } = await connected('Greedy')
  const ask = () => api('POST', `${BROKER}/tokens`, { installationId })
  const answers = await Promise.all(Array.from({ length: 65 }, ask))
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThanOrEqual(5)
  expect(refused[0]?.headers['retry-after']).toBeDefined()
})

test('no line that is logged holds a token', async () => {
  const { here, installationId } = await connected('Logged')
  let written = ''
  const sink = new Writable({
    write(chunk, _, done) {
      written += chunk
      done()
    },
  })
  const logger = pino({ level: 'trace' }, sink)
  const platform = { ...cloud.platform, log: logger }
  const app = await buildApp({ platform, logger, metrics: createMetrics(platform) })
  const { credential } = await secretsOf(here)
  const headers = { authorization: `Bearer ${credential}` }
  const answer = await app.inject({ method: 'POST', url: `${BROKER}/tokens`, headers, payload: { installationId } })
  await app.close()
  expect(answer.statusCode).toBe(200)
  expect(written).toContain(`${BROKER}/tokens`)
  for (const secret of [answer.json().token, credential]) expect(written).not.toContain(secret)
})

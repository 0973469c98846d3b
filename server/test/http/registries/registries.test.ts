import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { fakeRegistry } from '../../../../test-kit/fake-registry.ts'
import { startWorld } from '../../../../test-kit/world.ts'
import { openPassword } from '../../../src/core/registries/password.ts'

const world = await startWorld({ allowedNetworks: ['127.0.0.0/8'] })
const org = await world.org()
const other = await world.org()
const { api } = org.owner
const PASSWORD = 'a password nobody has seen 71'
const login = { username: 'deploy', password: PASSWORD }
const fake = await fakeRegistry(login)
const PATH = '/api/registries'
let n = 0

afterAll(() => fake.close())
beforeEach(() => {
  Object.assign(fake, { way: 'bearer', realm: null, instead: null, login })
  fake.asked.length = 0
})

const make = (more: object = {}, as = api) => as('POST', PATH, { host: fake.host, path: `p${++n}`, ...login, ...more })
const project = async (of = org) => (await of.owner.api('POST', '/api/projects', { name: `project ${++n}` })).body.id
const stored = async (id: string) =>
  world.platform.db.selectFrom('registry').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('a password goes in and never comes out', async () => {
  const made = await make()
  expect(made.status, made.text).toBe(201)
  expect(made.body).toEqual({
    id: expect.stringMatching(/^reg_/),
    host: fake.host,
    path: expect.any(String),
    username: 'deploy',
    projectId: null,
    lastCheckedAt: expect.any(String),
    lastCheckError: null,
    version: 1,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  })
  const one = `${PATH}/${made.body.id}`
  const again = await api('PATCH', one, { password: PASSWORD })
  const answers = [made, again, await api('GET', one), await api('GET', PATH), await api('POST', `${one}/check`)]
  for (const { text } of [...answers, await api('GET', '/api/audit?limit=200')]) expect(text).not.toContain(PASSWORD)
  const row = await stored(made.body.id)
  expect(JSON.stringify(row)).not.toContain(PASSWORD)
  expect(openPassword(world.platform, row)).toBe(PASSWORD)
})

test('a wrong one is refused when it is saved, and nothing is kept', async () => {
  for (const way of ['bearer', 'basic'] as const) {
    fake.way = way
    const { status, body } = await make({ password: 'wrong-4711' })
    expect([status, body.code, body.field]).toEqual([400, 'registry_refused', 'password'])
    expect(JSON.stringify(body)).not.toContain('4711')
    expect(body.hint).toMatch(/access token/)
  }
  const { body } = await api('GET', `${PATH}?limit=200`)
  expect(body.data.filter((one: { path: string }) => one.path === `p${n}`)).toEqual([])
})

describe('what cannot be asked is not saved', () => {
  test.each([
    ['nobody listens', '127.0.0.1:9', 502, 'registry_unreachable'],
    ['there is no such name', 'registry.invalid', 502, 'registry_unreachable'],
    ['it is where clouds keep secrets', '169.254.169.254', 400, 'address_refused'],
  ])('%s → %s: %i %s', async (_, host, status, code) => {
    const answer = await make({ host })
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect(answer.body.hint).toBeTruthy()
  })

  test('it asks nobody → 400 registry_refused', async () => {
    fake.way = 'open'
    const answer = await make()
    expect([answer.status, answer.body.code]).toEqual([400, 'registry_refused'])
  })

  test('its token server is elsewhere, inside → 400, and the password stays here', async () => {
    fake.realm = 'http://169.254.169.254/token'
    const answer = await make()
    expect([answer.status, answer.body.code]).toEqual([400, 'address_refused'])
    expect(fake.asked.every(({ authorization }) => authorization === null)).toBe(true)
  })
})

test.each([
  ['host', 'team/app'],
  ['host', 'nodot'],
  ['host', 'https://ghcr.io'],
  ['host', '-a.b'],
  ['host', 'a.b:port'],
  ['host', ''],
  ['path', '/team'],
  ['path', 'team/'],
  ['path', 'Team'],
  ['path', '../x'],
  ['path', ''],
  ['username', 'a:b'],
  ['username', ''],
  ['username', 'a\nb'],
  ['password', ''],
  ['password', 'a\0b'],
])('%s %j → 400 that names it, and nobody is asked', async (field, value) => {
  const { status, body } = await make({ [field]: value })
  expect([status, body.code, body.field]).toEqual([400, 'invalid_request', field])
  expect(fake.asked).toEqual([])
})

test('a host has one spelling, and one credential per reach', async () => {
  const path = `twice${++n}`
  const first = await make({ path })
  const again = await make({ path })
  expect([first.status, again.status, again.body.code]).toEqual([201, 409, 'name_taken'])
  const projectId = await project()
  expect((await make({ path, projectId })).status).toBe(201)
  expect((await make({ path, projectId })).body.code).toBe('name_taken')
  expect((await make({ path }, other.owner.api)).status).toBe(201)
  const moved = await make()
  const clash = await api('PATCH', `${PATH}/${moved.body.id}`, { path })
  expect([clash.status, clash.body.code]).toEqual([409, 'name_taken'])
})

test('of 10 who save the same at once, exactly one does', async () => {
  const path = `race${++n}`
  const answers = await Promise.all(Array.from({ length: 10 }, () => make({ path })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
})

test('a project that is foreign or unknown → 400, when made and when changed, and nobody is asked', async () => {
  const foreign = await project(other)
  const made = await make()
  fake.asked.length = 0
  for (const projectId of [foreign, 'prj_unknown']) {
    for (const { status, body } of [
      await make({ projectId }),
      await api('PATCH', `${PATH}/${made.body.id}`, { projectId, password: PASSWORD }),
    ])
      expect([status, body.code, body.field]).toEqual([400, 'invalid_request', 'projectId'])
  }
  expect(fake.asked).toEqual([])
})

describe('a change', () => {
  test('of name or password is checked first; a wrong one changes nothing', async () => {
    const { body: made } = await make()
    for (const change of [{ password: 'wrong' }, { username: 'nobody' }]) {
      const { status, body } = await api('PATCH', `${PATH}/${made.id}`, change)
      expect([status, body.code]).toEqual([400, 'registry_refused'])
    }
    expect((await api('GET', `${PATH}/${made.id}`)).body).toEqual(made)
    fake.login = { username: 'deploy2', password: 'the next one' }
    const changed = await api('PATCH', `${PATH}/${made.id}`, fake.login)
    expect([changed.status, changed.body.username]).toEqual([200, 'deploy2'])
    expect(openPassword(world.platform, await stored(made.id))).toBe('the next one')
  })

  test('of what it is for asks nobody; the host stays whatever is sent', async () => {
    const { body: made } = await make()
    fake.asked.length = 0
    const projectId = await project()
    const { status, body } = await api('PATCH', `${PATH}/${made.id}`, { projectId, path: null, host: 'evil.example' })
    expect([status, body.projectId, body.path, body.host]).toEqual([200, projectId, null, fake.host])
    expect(fake.asked).toEqual([])
    await api('DELETE', `${PATH}/${made.id}`)
  })

  test('that names an older version → 412', async () => {
    const { body: made } = await make()
    await api('PATCH', `${PATH}/${made.id}`, { path: `q${++n}` })
    const late = await api('PATCH', `${PATH}/${made.id}`, { path: `q${++n}` }, { 'if-match': '"1"' })
    expect([late.status, late.body.code]).toEqual([412, 'stale'])
  })
})

test('a check says how it went, and the row remembers', async () => {
  const { body: made } = await make()
  expect((await api('POST', `${PATH}/${made.id}/check`)).body).toEqual({ ok: true })
  fake.login = { username: 'deploy', password: 'changed at the registry' }
  const failed = await api('POST', `${PATH}/${made.id}/check`)
  expect([failed.status, failed.body.ok]).toEqual([200, false])
  expect(failed.body.reason).toMatch(/does not take this user name and password/)
  expect((await api('GET', `${PATH}/${made.id}`)).body.lastCheckError).toBe(failed.body.reason)
  fake.login = login
  await api('POST', `${PATH}/${made.id}/check`)
  expect((await api('GET', `${PATH}/${made.id}`)).body.lastCheckError).toBeNull()
})

test('an id that is foreign, deleted or unknown → 404 on every route, and always the same', async () => {
  const { body: foreign } = await make({}, other.owner.api)
  const { body: gone } = await make()
  expect((await api('DELETE', `${PATH}/${gone.id}`)).body).toEqual({ success: true })
  fake.asked.length = 0
  for (const id of [foreign.id, gone.id, 'reg_unknown']) {
    const answers = [
      await api('GET', `${PATH}/${id}`),
      await api('PATCH', `${PATH}/${id}`, { password: PASSWORD }),
      await api('DELETE', `${PATH}/${id}`),
      await api('POST', `${PATH}/${id}/check`),
    ]
    for (const { status, body } of answers) expect([status, body.error]).toEqual([404, 'No such registry.'])
  }
  expect(fake.asked).toEqual([])
  expect((await api('GET', `${PATH}?limit=200`)).text).not.toContain(foreign.id)
})

test('a project that is deleted takes its credentials along', async () => {
  const projectId = await project()
  const { body: made } = await make({ projectId })
  await world.platform.db.deleteFrom('project').where('id', '=', projectId).execute()
  expect((await api('GET', `${PATH}/${made.id}`)).status).toBe(404)
})

import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { openCredential } from '../../../src/core/projects/git-credential.ts'
import * as projects from '../../../src/core/projects/store.ts'
import { generateKeyPair } from '../../../src/drivers/ssh/key-pair.ts'

const world = await startWorld()
const org = await world.org()
const { api } = org.owner

const repository = 'https://git.example.com/team/app.git'
const token = 'glpat-s3cr3t-t0ken'
const pair = generateKeyPair('deploy')
const hostKey = generateKeyPair('host').publicKey.trim()
let n = 0

const make = (more: object) => api('POST', '/api/projects', { name: `git ${++n}`, repository, ...more })
const patch = (id: string, body: object) => api('PATCH', `/api/projects/${id}`, body)
/** What a deployment would use for an address. */
const used = async (id: string, address: string) =>
  openCredential(world.platform, await projects.load(world.platform.db, org.id, id), address)

test('a token goes in and never comes out', async () => {
  const made = await make({ gitCredential: { kind: 'token', token, username: 'deployer' } })
  expect(made.status, made.text).toBe(201)
  expect(made.body.gitCredential).toEqual({
    kind: 'token',
    username: 'deployer',
    publicKey: null,
    fingerprint: null,
    hostKeys: [],
  })
  const shown = await api('GET', `/api/projects/${made.body.id}`)
  const listed = await api('GET', '/api/projects')
  const audit = await api('GET', '/api/audit')
  for (const { text } of [made, shown, listed, audit]) expect(text).not.toContain(token)
  const { rows } = await world.platform.pool.query('select * from project where id = $1', [made.body.id])
  expect(JSON.stringify(rows)).not.toContain(token)
  expect(await used(made.body.id, repository)).toEqual({ kind: 'token', token, username: 'deployer' })
})

test('left out it stays, null forgets it', async () => {
  const { body } = await make({ gitCredential: { kind: 'token', token } })
  expect((await patch(body.id, { branch: 'main' })).body.gitCredential).toMatchObject({ kind: 'token' })
  expect((await patch(body.id, { gitCredential: null })).body.gitCredential).toBeNull()
  expect(await used(body.id, repository)).toBeNull()
})

test('another host never gets it, however the address changes', async () => {
  const { body } = await make({ gitCredential: { kind: 'token', token } })
  const same = await patch(body.id, { repository: 'https://GIT.example.com:443/team/other.git' })
  expect(same.body.gitCredential).toMatchObject({ kind: 'token' })
  for (const other of ['https://evil.example.com/team/app.git', 'https://git.example.com:8443/x.git']) {
    expect(await used(body.id, other)).toBeNull()
  }
  const moved = await patch(body.id, { repository: 'https://evil.example.com/team/app.git' })
  expect(moved.body.gitCredential).toBeNull()
  const back = await patch(body.id, { repository })
  expect(back.body.gitCredential).toBeNull()
  const both = await patch(body.id, {
    repository: 'https://new.example.com/x.git',
    gitCredential: { kind: 'token', token: 'another' },
  })
  expect(both.body.gitCredential).toMatchObject({ kind: 'token' })
  expect(await used(body.id, 'https://new.example.com/x.git')).toMatchObject({ token: 'another' })
  expect(await used(body.id, repository)).toBeNull()
})

test('a deploy key shows its public half; without one Slipway makes a pair, and keeps it', async () => {
  const ssh = 'git@git.example.com:team/app.git'
  const given = await make({
    repository: ssh,
    gitCredential: { kind: 'key', privateKey: pair.privateKey, hostKeys: [`git.example.com ${hostKey}`] },
  })
  expect(given.status, given.text).toBe(201)
  expect(given.text).not.toContain(pair.privateKey.split('\n')[1])
  expect(given.body.gitCredential).toMatchObject({
    kind: 'key',
    publicKey: pair.publicKey.split(' ').slice(0, 2).join(' '),
    fingerprint: expect.stringMatching(/^SHA256:[A-Za-z0-9+/]{43}$/),
    hostKeys: [hostKey],
  })
  expect(await used(given.body.id, 'ssh://git@git.example.com/team/app.git')).toMatchObject({
    privateKey: pair.privateKey,
    hostKeys: [hostKey],
  })
  const made = await make({ repository: ssh, gitCredential: { kind: 'key', hostKeys: [hostKey] } })
  const { publicKey } = made.body.gitCredential
  expect(publicKey).toMatch(/^ssh-ed25519 /)
  const again = await patch(made.body.id, { gitCredential: { kind: 'key', hostKeys: [hostKey, hostKey] } })
  expect(again.body.gitCredential).toMatchObject({ publicKey, hostKeys: [hostKey, hostKey] })
})

test.each([
  ['a token without a repository', { repository: null, gitCredential: { kind: 'token', token } }],
  ['a token for an ssh address', { repository: 'git@h.example:x.git', gitCredential: { kind: 'token', token } }],
  ['a key for an https address', { gitCredential: { kind: 'key', hostKeys: [hostKey] } }],
  ['a token with a line break', { gitCredential: { kind: 'token', token: 'a\nX-Evil: 1' } }],
  ['a name with a colon', { gitCredential: { kind: 'token', token, username: 'a:b' } }],
  ['a key without host keys', { repository: 'git@h.example:x.git', gitCredential: { kind: 'key', hostKeys: [] } }],
  [
    'a host key of two lines',
    { repository: 'git@h.example:x.git', gitCredential: { kind: 'key', hostKeys: [`${hostKey}\n* ${hostKey}`] } },
  ],
  [
    'a key that is none',
    { repository: 'git@h.example:x.git', gitCredential: { kind: 'key', privateKey: 'x', hostKeys: [hostKey] } },
  ],
])('%s is refused', async (_, body) => {
  const answer = await make(body)
  expect([answer.status, answer.body.code], answer.text).toEqual([400, 'invalid_request'])
  expect(answer.body.field).toMatch(/^gitCredential/)
  expect(answer.text).not.toContain(token)
})

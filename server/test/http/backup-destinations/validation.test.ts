import { describe, expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { create, newName, newServer, PATH, s3, sftp } from './destinations.ts'

const world = await startWorld()
const org = await world.org()
const other = await world.org('Other')
const { api } = org.owner

const without = (body: object, field: string) =>
  Object.fromEntries(Object.entries(body).filter(([key]) => key !== field))

describe('a field that the kind requires is missing → 400 that names it', () => {
  test.each([
    ['s3_compatible', 'bucket', s3],
    ['s3_compatible', 'accessKeyId', s3],
    ['s3_compatible', 'secretAccessKey', s3],
    ['sftp', 'sshHost', sftp],
    ['sftp', 'sshUser', sftp],
    ['sftp', 'sftpPassword', sftp],
    ['platform_server', 'serverId', () => ({ kind: 'platform_server', name: newName() })],
    ['local', 'endpoint', () => ({ kind: 'local', name: newName() })],
  ])('%s without %s', async (_, field, body) => {
    const answer = await api('POST', PATH, without(body(), field))
    expect([answer.status, answer.body.field]).toEqual([400, field])
  })

  test('sftp takes a private key in place of the password', async () => {
    const { sftpPassword: _, ...rest } = sftp()
    const shown = await create(org, { ...rest, sftpPrivateKey: 'a key' })
    expect(shown).toMatchObject({ hasSftpPassword: false, hasSftpPrivateKey: true, sshPort: 22 })
  })
})

describe('a kind that is not supported → 400', () => {
  test.each([['http_upload'], ['ftp'], [''], [null], [7], [undefined]])('%s', async (kind) => {
    const answer = await api('POST', PATH, { ...s3(), kind })
    expect([answer.status, answer.body.field]).toEqual([400, 'kind'])
    expect(answer.body.error).toContain('http_upload is not supported')
  })
})

describe('names', () => {
  test('80 characters pass, counted as people count', async () => {
    for (const name of ['n'.repeat(80), '🦆'.repeat(80), '👩‍👩‍👧 at home'])
      expect((await create(org, { ...s3(), name })).name).toBe(name)
  })

  test.each([
    ['81 characters', 'n'.repeat(81)],
    ['81 of another kind', '🦆'.repeat(81)],
    ['empty', ''],
    ['blank', ' \t\n '],
    ['spaces of no width', '\u200b\u200d \u2060'],
    ['other characters that nobody sees', '\u3164\u00ad\u{e0020}\ufe0f\u2800'],
    ['control characters', '\u0001\u007f'],
    ['no text', 7],
  ])('%s → 400', async (_, name) => {
    const answer = await api('POST', PATH, { ...s3(), name })
    expect([answer.status, answer.body.field]).toEqual([400, 'name'])
    const { id } = await create(org, s3())
    const patched = await api('PATCH', `${PATH}/${id}`, { name })
    expect([patched.status, patched.body.field]).toEqual([400, 'name'])
  })

  test('are kept trimmed', async () => {
    expect((await create(org, { ...s3(), name: '  Trimmed  ' })).name).toBe('Trimmed')
  })

  test('a name that exists, trimmed and in other case, → 400; in another organization it is free', async () => {
    await create(org, { ...s3(), name: 'Off-Site Ä' })
    const second = await create(org, s3())
    for (const name of ['Off-Site Ä', ' off-site ä ', 'OFF-SITE Ä']) {
      const made = await api('POST', PATH, { ...s3(), name })
      expect([made.status, made.body.code, made.body.field]).toEqual([400, 'duplicate_name', 'name'])
      const renamed = await api('PATCH', `${PATH}/${second.id}`, { name })
      expect([renamed.status, renamed.body.code]).toEqual([400, 'duplicate_name'])
    }
    await create(other, { ...s3(), name: 'off-site ä' })
  })

  test('one may be written in other case by itself', async () => {
    const { id } = await create(org, { ...s3(), name: 'casing' })
    expect((await api('PATCH', `${PATH}/${id}`, { name: 'Casing' })).body.name).toBe('Casing')
  })

  test('of 20 who take one name at once, exactly one gets it', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => api('POST', PATH, { ...s3(), name: 'wanted' })))
    expect(all.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(all.filter(({ status, body }) => status === 400 && body.code === 'duplicate_name')).toHaveLength(19)
  })
})

test('a server that is foreign, deleted or unknown → 400, when made and when changed', async () => {
  const deleted = await newServer(org)
  await api('DELETE', `/api/servers/${deleted}`)
  const { id } = await create(org, { kind: 'platform_server', name: newName(), serverId: await newServer(org) })
  for (const serverId of [await newServer(other), deleted, 'srv_0']) {
    const made = await api('POST', PATH, { kind: 'platform_server', name: newName(), serverId })
    expect([made.status, made.body.field]).toEqual([400, 'serverId'])
    const changed = await api('PATCH', `${PATH}/${id}`, { serverId })
    expect([changed.status, changed.body.field]).toEqual([400, 'serverId'])
  }
})

test('an id that is foreign, deleted or unknown → 404 on every route, preflight too, and always the same', async () => {
  const foreign = await create(other, s3())
  const gone = await create(org, s3())
  await api('DELETE', `${PATH}/${gone.id}`)
  const sameRequest = { 'x-request-id': 'same' }
  for (const [method, tail, body] of [
    ['GET', ''],
    ['PATCH', '', { name: newName() }],
    ['DELETE', ''],
    ['POST', '/preflight'],
  ] as const) {
    const ask = (id: string) => api(method, `${PATH}/${id}${tail}`, body, sameRequest)
    const unknown = await ask('dst_0')
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found'])
    for (const id of [foreign.id, gone.id]) expect((await ask(id)).text).toBe(unknown.text)
  }
  expect((await other.owner.api('GET', `${PATH}/${foreign.id}`)).status).toBe(200)
})

describe('forms', () => {
  test.each([
    ['endpoint', 's3.example.com'],
    ['endpoint', 'ftp://s3.example.com'],
    ['endpoint', 'https://user:secret@s3.example.com'],
    ['endpoint', 'https://s3.example.com/?x=1'],
    ['endpoint', 'https://'],
    ['bucket', 'two words'],
    ['bucket', '../etc'],
    ['region', 'a b'],
    ['pathPrefix', 'a/../b'],
    ['pathPrefix', 'a//b'],
    ['pathPrefix', './a'],
    ['accessKeyId', ''],
  ])('%s %j → 400', async (field, value) => {
    const answer = await api('POST', PATH, { ...s3(), [field]: value })
    expect([answer.status, answer.body.field]).toEqual([400, field])
    const { id } = await create(org, s3())
    const patched = await api('PATCH', `${PATH}/${id}`, { [field]: value })
    expect([patched.status, patched.body.field]).toEqual([400, field])
  })

  test.each([
    ['sshHost', 'a host'],
    ['sshHost', ''],
    ['sshPort', 0],
    ['sshPort', 65536],
    ['sshUser', 'a b'],
    ['hostKey', 'SHA256:short'],
  ])('%s %j → 400', async (field, value) => {
    const answer = await api('POST', PATH, { ...sftp(), [field]: value })
    expect([answer.status, answer.body.field]).toEqual([400, field])
  })

  describe('a field of another kind is refused, not passed over, when made and when changed; null is as good as none', () => {
    const kinds = {
      s3_compatible: async () => s3(),
      sftp: async () => sftp(),
      platform_server: async () => ({ kind: 'platform_server', name: newName(), serverId: await newServer(org) }),
    }
    test.each([
      ['s3_compatible', 'sshHost', 'example.com'],
      ['s3_compatible', 'sshPort', 2222],
      ['s3_compatible', 'sftpKeyPassphrase', 'a phrase'],
      ['s3_compatible', 'serverId', 'srv_0'],
      ['sftp', 'endpoint', 'https://s3.example.com'],
      ['sftp', 'forcePathStyle', false],
      ['sftp', 'accessKeyId', 'a key'],
      ['platform_server', 'hostKey', `ssh-ed25519 SHA256:${'A'.repeat(43)}`],
      ['platform_server', 'bucket', 'backups'],
    ] as const)('%s with %s', async (kind, field, value) => {
      const made = await api('POST', PATH, { ...(await kinds[kind]()), [field]: value })
      expect([made.status, made.body.field]).toEqual([400, field])
      const { id, ...before } = await create(org, { ...(await kinds[kind]()), [field]: null })
      const changed = await api('PATCH', `${PATH}/${id}`, { [field]: value })
      expect([changed.status, changed.body.field]).toEqual([400, field])
      const nothing = await api('PATCH', `${PATH}/${id}`, { [field]: null })
      expect(nothing.status).toBe(200)
      const [version, updatedAt] = [expect.any(Number), expect.any(String)]
      expect(nothing.body).toEqual({ ...before, id, version, updatedAt })
    })
  })

  test('the port of SFTP is 22 where none is given, null or not', async () => {
    for (const none of [{}, { sshPort: null }]) expect((await create(org, { ...sftp(), ...none })).sshPort).toBe(22)
  })
})

describe('loopback and addresses where clouds hand out credentials are refused, at home too; private ones are not', () => {
  test.each([
    ['http://169.254.169.254', 400],
    ['http://[fe80::1]', 400],
    ['http://[::ffff:169.254.169.254]/', 400],
    ['http://2852039166/', 400],
    ['http://224.0.0.7', 400],
    ['http://10.0.0.7:9000', 201],
    ['http://localhost:9000', 400],
    ['http://127.0.0.1:9000', 400],
    ['http://[fd00::7]:9000', 201],
  ])('%s → %d', async (endpoint, status) => {
    const answer = await api('POST', PATH, { ...s3(), endpoint })
    expect([answer.status, status === 400 ? answer.body.code : '']).toEqual([
      status,
      status === 400 ? 'address_refused' : '',
    ])
  })

  test('unless the operator opens that network', async () => {
    const opened = await startWorld({ allowedNetworks: ['127.0.0.0/8'] })
    const other = await opened.org()
    const answer = await other.owner.api('POST', PATH, { ...s3(), endpoint: 'http://127.0.0.1:9000' })
    expect(answer.status).toBe(201)
  })

  test('for SFTP as well', async () => {
    const answer = await api('POST', PATH, { ...sftp(), sshHost: '169.254.169.254' })
    expect([answer.status, answer.body.code, answer.body.field]).toEqual([400, 'address_refused', 'sshHost'])
  })
})

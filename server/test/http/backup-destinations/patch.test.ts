import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { openSecrets } from '../../../src/core/backups/secrets.ts'
import * as store from '../../../src/core/backups/store.ts'
import { create, newName, newServer, PATH, s3, sftp } from './destinations.ts'

const world = await startWorld()
const org = await world.org()
const { api } = org.owner
const rowOf = async (id: string) => {
  const row = await store.find(world.platform.db, org.id, id)
  if (!row) throw new Error('no such row')
  return row
}
const secretsOf = async (id: string) => openSecrets(world.platform, await rowOf(id))
const patch = (id: string, body: object, headers = {}) => api('PATCH', `${PATH}/${id}`, body, headers)

describe('secrets', () => {
  test('left out stays, null takes away, a text replaces; only flags are shown', async () => {
    const { id } = await create(org, { ...sftp(), sftpPrivateKey: 'key 1', sftpKeyPassphrase: 'phrase 1' })
    await patch(id, { sshUser: 'other' })
    expect(await secretsOf(id)).toMatchObject({ sftpPassword: 'the-password', sftpPrivateKey: 'key 1' })
    const cleared = await patch(id, { sftpPassword: null })
    expect(cleared.body).toMatchObject({ hasSftpPassword: false, hasSftpPrivateKey: true, hasSftpKeyPassphrase: true })
    expect(cleared.body).toMatchObject({ hasAccessKeyId: false, hasSecretAccessKey: false })
    await patch(id, { sftpPrivateKey: 'key 2', sftpKeyPassphrase: null })
    expect(await secretsOf(id)).toMatchObject({ sftpPassword: null, sftpPrivateKey: 'key 2', sftpKeyPassphrase: null })
    expect((await api('GET', `${PATH}/${id}`)).text).not.toMatch(/key \d|phrase \d|the-password/)
  })

  test('a required one cannot be taken away without another in its place → 400, and all stays as it was', async () => {
    const bucket = await create(org, s3())
    for (const field of ['accessKeyId', 'secretAccessKey', 'bucket']) {
      const answer = await patch(bucket.id, { [field]: null, name: newName() })
      expect([answer.status, answer.body.field]).toEqual([400, field])
    }
    const login = await create(org, sftp())
    expect((await patch(login.id, { sftpPassword: null })).status).toBe(400)
    expect((await patch(login.id, { sftpPassword: null, sftpPrivateKey: 'key' })).status).toBe(200)
    expect((await patch(login.id, { sftpPrivateKey: null })).status).toBe(400)
    expect((await api('GET', `${PATH}/${bucket.id}`)).body.name).toBe(bucket.name)
  })

  test('for any sequence of patches, what is stored is what a simple model says', async () => {
    const NAMES = ['sftpPassword', 'sftpPrivateKey', 'sftpKeyPassphrase'] as const
    const value = fc.option(fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }).filter(storable))
    const change = fc.record(Object.fromEntries(NAMES.map((name) => [name, value])), { requiredKeys: [] })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (patches) => {
        const { id } = await create(org, sftp())
        let model: Record<string, string | null> = {
          sftpPassword: 'the-password',
          sftpPrivateKey: null,
          sftpKeyPassphrase: null,
        }
        for (const one of patches) {
          const after = { ...model, ...(one as typeof model) }
          const complete = after.sftpPassword !== null || after.sftpPrivateKey !== null
          const answer = await patch(id, one)
          expect(answer.status).toBe(complete ? 200 : 400)
          if (complete) model = after
          expect(await secretsOf(id)).toMatchObject(model)
          const shown = (await api('GET', `${PATH}/${id}`)).body
          expect(shown).toMatchObject({
            hasSftpPassword: model.sftpPassword !== null,
            hasSftpPrivateKey: model.sftpPrivateKey !== null,
            hasSftpKeyPassphrase: model.sftpKeyPassphrase !== null,
          })
        }
      }),
      { numRuns: 40 },
    )
  })

  test('of patches at once, each is taken whole and the row stays complete', async () => {
    const { id } = await create(org, { ...sftp(), sftpPrivateKey: 'key' })
    const both = await Promise.all([patch(id, { sftpPassword: null }), patch(id, { sftpPrivateKey: null })])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
    const { sftpPassword, sftpPrivateKey } = await secretsOf(id)
    expect([sftpPassword, sftpPrivateKey].filter((one) => one === null)).toHaveLength(1)
  })

  test('each is sealed for its own row and column', async () => {
    const [one, two] = [await create(org, s3()), await create(org, s3())]
    const { accessKeyId, secretAccessKey } = await rowOf(one.id)
    expect(() => openSecrets(world.platform, { ...two, ...EMPTY, accessKeyId })).toThrow('accessKeyId')
    expect(() => openSecrets(world.platform, { ...one, ...EMPTY, accessKeyId: secretAccessKey })).toThrow('accessKeyId')
    expect(openSecrets(world.platform, { ...one, ...EMPTY, accessKeyId }).accessKeyId).toBe('the-access-key')
  })
})

/** NUL and broken Unicode are refused everywhere. */
const storable = (text: string) => text.isWellFormed() && !text.includes('\0')
const EMPTY = {
  accessKeyId: null,
  secretAccessKey: null,
  sftpPassword: null,
  sftpPrivateKey: null,
  sftpKeyPassphrase: null,
}

test('the kind cannot change → 400; the same kind is no change', async () => {
  const { id } = await create(org, s3())
  for (const kind of ['sftp', 'local', 'http_upload', 'other']) {
    const answer = await patch(id, { kind })
    expect([answer.status, answer.body.field]).toEqual([400, 'kind'])
  }
  expect((await patch(id, { kind: 's3_compatible', region: 'eu' })).body.region).toBe('eu')
})

test('everything else may change, and null takes away what is not required', async () => {
  const { id } = await create(org, { ...s3(), region: 'eu', endpoint: 'https://s3.example.com', pathPrefix: 'a/b' })
  const all = {
    bucket: 'other',
    region: 'us',
    endpoint: 'http://10.0.0.1:9000',
    forcePathStyle: false,
    pathPrefix: 'c',
  }
  expect((await patch(id, all)).body).toMatchObject(all)
  const none = { region: null, endpoint: null, forcePathStyle: null, pathPrefix: null }
  expect((await patch(id, none)).body).toMatchObject(none)
  const onServer = await create(org, { kind: 'platform_server', name: newName(), serverId: await newServer(org) })
  const serverId = await newServer(org)
  expect((await patch(onServer.id, { serverId })).body.serverId).toBe(serverId)
  expect((await patch(onServer.id, { serverId: null })).body.field).toBe('serverId')
})

test('a pinned host key goes with the address, unless another one is given', async () => {
  const hostKey = `ssh-ed25519 SHA256:${'A'.repeat(43)}`
  const { id } = await create(org, { ...sftp(), hostKey })
  expect((await patch(id, { sshUser: 'other', sshHost: '192.0.2.9' })).body.hostKey).toBe(hostKey)
  expect((await patch(id, { sshPort: 2222 })).body.hostKey).toBeNull()
  expect((await patch(id, { sshHost: '192.0.2.10', hostKey })).body.hostKey).toBe(hostKey)
  // The usual port is another one than before.
  expect((await patch(id, { sshPort: null })).body).toMatchObject({ sshPort: 22, hostKey: null })
  expect((await patch(id, { hostKey })).body.hostKey).toBe(hostKey)
  expect((await patch(id, { sshPort: null })).body.hostKey).toBe(hostKey)
  expect((await patch(id, { sshHost: '192.0.2.11' })).body.hostKey).toBeNull()
  await patch(id, { hostKey })
  expect((await patch(id, { hostKey: null })).body.hostKey).toBeNull()
})

test('what was found out is forgotten with the way it was found, and kept when only the name changes', async () => {
  const { id } = await create(org, s3())
  const found = {
    lastVerifiedAt: new Date(),
    lastVerifyError: 'write: no',
    lastVerifySteps: '[]',
    brokenSince: new Date(),
  }
  const verified = () => world.platform.db.updateTable('backupDestination').set(found).where('id', '=', id).execute()
  await verified()
  expect((await patch(id, { name: newName(), isDefault: true })).body.lastVerifyError).toBe('write: no')
  const changed = await patch(id, { bucket: 'other' })
  expect(changed.body).toMatchObject({
    lastVerifiedAt: null,
    lastVerifyError: null,
    lastVerifySteps: null,
    brokenSince: null,
  })
  await verified()
  expect((await patch(id, { secretAccessKey: 'another' })).body.lastVerifiedAt).toBeNull()
})

describe('one default per organization', () => {
  test('setting it moves it, taking it away leaves none', async () => {
    const defaults = async () => {
      const { data } = (await api('GET', `${PATH}?limit=200`)).body
      return data.filter((one: { isDefault: boolean }) => one.isDefault).map((one: { id: string }) => one.id)
    }
    const first = await create(org, { ...s3(), isDefault: true })
    expect(await defaults()).toEqual([first.id])
    const second = await create(org, { ...s3(), isDefault: true })
    expect(await defaults()).toEqual([second.id])
    await patch(first.id, { isDefault: true })
    expect(await defaults()).toEqual([first.id])
    await patch(first.id, { isDefault: false })
    expect(await defaults()).toEqual([])
  })

  test('moving it changes the one that had it, and nothing of another organization', async () => {
    const other = await world.org('Other')
    const theirs = await create(other, { ...s3(), isDefault: true })
    const first = await create(org, { ...s3(), isDefault: true })
    await create(org, { ...s3(), isDefault: true })
    expect((await api('GET', `${PATH}/${first.id}`)).body).toMatchObject({ isDefault: false, version: 2 })
    expect((await other.owner.api('GET', `${PATH}/${theirs.id}`)).body.isDefault).toBe(true)
  })

  test('of many who set it at once, one stays and nobody fails', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => create(org, s3())))
    const answers = await Promise.all(all.map(({ id }) => patch(id, { isDefault: true })))
    expect(answers.map(({ status }) => status)).toEqual(all.map(() => 200))
    const { data } = (await api('GET', `${PATH}?limit=200`)).body
    expect(data.filter((one: { isDefault: boolean }) => one.isDefault)).toHaveLength(1)
  })
})

test('If-Match changes only what was seen', async () => {
  const { id } = await create(org, s3())
  const { headers } = await api('GET', `${PATH}/${id}`)
  expect((await patch(id, { region: 'eu' }, { 'if-match': String(headers.etag) })).status).toBe(200)
  expect((await patch(id, { region: 'us' }, { 'if-match': String(headers.etag) })).status).toBe(412)
})

test('the list has every destination of the organization once, newest first, by pages', async () => {
  const mine = await world.org('Pages')
  const made = []
  for (let n = 0; n < 7; n++) made.push((await create(mine, s3())).id)
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { body } = await mine.owner.api('GET', `${PATH}?limit=3${cursor && `&cursor=${cursor}`}`)
    seen.push(...body.data.map((one: { id: string }) => one.id))
    cursor = body.nextCursor
  }
  expect(seen).toEqual(made.reverse())
})

test('no secret is in an audit entry', async () => {
  const { id } = await create(org, { ...s3(), secretAccessKey: 'planted-in-create' })
  await patch(id, { secretAccessKey: 'planted-in-patch' })
  await api('DELETE', `${PATH}/${id}`)
  const { rows } = await world.platform.pool.query('select * from audit where target = $1', [id])
  expect(rows.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['create', 'update', 'delete'].map((verb) => `backup_destination.${verb}`)),
  )
  expect(JSON.stringify(rows)).not.toContain('planted')
})

import { describe, expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { create, newName, newServer, PATH, s3, sftp } from './destinations.ts'
import { asking, fakeStorage } from './fake-storage.ts'

const serverRoot = '/var/lib/slipway/backups'
const world = await startWorld({ backups: { allowLocal: true, localRoot: '/', serverRoot } })
const org = await world.org()
const { api } = org.owner
const { preflight, show } = asking(org)
const fake = fakeStorage(world)
const NONE = {
  hasAccessKeyId: false,
  hasSecretAccessKey: false,
  hasSftpPassword: false,
  hasSftpPrivateKey: false,
  hasSftpKeyPassphrase: false,
}
const always = () => ({ name: newName(), pathPrefix: 'shop', isDefault: false })

describe('what is stored is shown as it was given, and of each secret only whether there is one', () => {
  test.each<[kind: string, fields: () => Promise<object>, secrets: Record<string, string>, flags: object]>([
    [
      's3_compatible',
      async () => ({ bucket: 'backups', region: 'eu-1', endpoint: 'https://s3.example.com', forcePathStyle: true }),
      { accessKeyId: 'planted-1', secretAccessKey: 'planted-2' },
      { hasAccessKeyId: true, hasSecretAccessKey: true },
    ],
    [
      'sftp',
      async () => ({ sshHost: '192.0.2.9', sshPort: 2222, sshUser: 'backup' }),
      { sftpPassword: 'planted-1', sftpPrivateKey: 'planted-2', sftpKeyPassphrase: 'planted-3' },
      { hasSftpPassword: true, hasSftpPrivateKey: true, hasSftpKeyPassphrase: true },
    ],
    ['platform_server', async () => ({ serverId: await newServer(org) }), {}, {}],
    ['local', async () => ({ endpoint: '/backups' }), {}, {}],
  ])('%s', async (kind, fields, secrets, flags) => {
    const plain = { kind, ...always(), ...(await fields()) }
    const made = await api('POST', PATH, { ...plain, ...secrets })
    const shown = { ...plain, ...NONE, ...flags, lastVerifiedAt: null, lastVerifyError: null }
    expect([made.status, made.body]).toMatchObject([201, { ...shown, id: expect.stringMatching(/^dst_/) }])
    const one = await api('GET', `${PATH}/${made.body.id}`)
    const changed = await api('PATCH', `${PATH}/${made.body.id}`, { pathPrefix: 'other' })
    expect(changed).toMatchObject({ status: 200, body: { ...shown, pathPrefix: 'other' } })
    const list = await api('GET', PATH)
    expect(one.body).toMatchObject(shown)
    for (const { text, body } of [made, one, changed, list]) {
      expect(text).not.toContain('planted')
      for (const row of body.data ?? [body])
        for (const name of Object.keys(secrets)) expect(row).not.toHaveProperty(name)
    }
    const { rows } = await world.platform.pool.query('select * from backup_destination where id = $1', [made.body.id])
    expect(JSON.stringify(rows)).not.toContain('planted')
  })
})

test('a deleted one is answered with success and is gone', async () => {
  const { id } = await create(org, s3())
  const answer = await api('DELETE', `${PATH}/${id}`)
  expect([answer.status, answer.body]).toEqual([200, { success: true }])
  expect((await api('GET', `${PATH}/${id}`)).status).toBe(404)
  const { data } = (await api('GET', `${PATH}?limit=200`)).body
  expect(data.map((one: { id: string }) => one.id)).not.toContain(id)
})

test('a patch changes what it names and leaves the rest', async () => {
  const { id, ...before } = await create(org, { ...sftp(), pathPrefix: 'a' })
  const { body } = await api('PATCH', `${PATH}/${id}`, { pathPrefix: 'b' })
  const [version, updatedAt] = [expect.any(Number), expect.any(String)]
  expect(body).toEqual({ ...before, id, pathPrefix: 'b', version, updatedAt })
})

test('a preflight that succeeds sets lastVerifiedAt and gives no reason; one that fails sets lastVerifyError', async () => {
  const { id } = await create(org, s3())
  expect(await preflight(id)).toEqual({ ok: true })
  const { lastVerifiedAt, lastVerifyError } = await show(id)
  expect([lastVerifiedAt, lastVerifyError]).toEqual([expect.any(String), null])
  fake.wrong = { put: () => Promise.reject(new Error('no')) }
  const failed = await preflight(id)
  expect(failed).toEqual({ ok: false, reason: expect.any(String) })
  expect(await show(id)).toMatchObject({ lastVerifiedAt, lastVerifyError: failed.reason })
})

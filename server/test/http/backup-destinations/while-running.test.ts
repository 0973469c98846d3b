import { describe, expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { type Storage, storageFailure } from '../../../src/drivers/storage/storage.ts'
import { create, newName, newServer, PATH, s3, sftp } from './destinations.ts'
import { asking, fakeStorage } from './fake-storage.ts'

const world = await startWorld()
const org = await world.org()
const { api } = org.owner
const { preflight, show } = asking(org)
const fake = fakeStorage(world)
const { asked } = fake
const KEY = `ssh-ed25519 SHA256:${'K'.repeat(43)}`

describe('while a preflight runs', () => {
  /** Changes something between its first and its last step. */
  const during = async (id: string, change: () => Promise<unknown>, faults: typeof fake.wrong = {}) => {
    const writing = Promise.withResolvers<void>()
    const put: Storage['put'] = async (...args) => {
      await writing.promise
      return faults.put ? faults.put(...args) : fake.storage().put(...args)
    }
    fake.wrong = { ...faults, put }
    const answer = preflight(id)
    await expect.poll(() => asked).toContain('put')
    await change()
    writing.resolve()
    return answer
  }
  const patch = async (id: string, body: object) =>
    expect((await api('PATCH', `${PATH}/${id}`, body)).status, JSON.stringify(body)).toBe(200)

  test('another name, another default, or null where nothing is, do not make it forget what it found', async () => {
    const { id } = await create(org, sftp())
    const changes = async () => {
      await patch(id, { name: newName(), isDefault: true })
      await patch((await create(org, s3())).id, { isDefault: true })
      await patch(id, { pathPrefix: null, bucket: null, sshPort: null })
    }
    expect(await during(id, changes, { hostKey: KEY })).toEqual({ ok: true })
    expect(await show(id)).toMatchObject({ hostKey: KEY, lastVerifiedAt: expect.any(String), isDefault: false })
  })

  test.each([
    ['bucket', { bucket: 'other' }],
    ['endpoint', { endpoint: 'http://192.0.2.7' }],
    ['prefix', { pathPrefix: 'other' }],
    ['secret', { secretAccessKey: 'another' }],
    ['secret, the same again', { secretAccessKey: 'the-secret-of-it' }],
    ['way of asking', { forcePathStyle: true }],
  ])('another %s makes it drop what it found, good or bad', async (_, change) => {
    const no = () => Promise.reject(storageFailure('denied', 'No.'))
    for (const faults of [{}, { put: no }]) {
      const { id } = await create(org, s3())
      asked.length = 0
      expect((await during(id, () => patch(id, change), faults)).ok).toBe(!('put' in faults))
      expect(await show(id)).toMatchObject({ lastVerifyError: null, lastVerifiedAt: null, lastVerifySteps: null })
    }
  })

  test('another host, port, user or password: no key of the old one is pinned', async () => {
    for (const change of [
      { sshHost: '192.0.2.8' },
      { sshPort: 2222 },
      { sshUser: 'other' },
      { sftpPassword: 'other' },
    ]) {
      const { id } = await create(org, sftp())
      asked.length = 0
      expect(await during(id, () => patch(id, change), { hostKey: KEY })).toEqual({ ok: true })
      expect(await show(id)).toMatchObject({ hostKey: null, lastVerifiedAt: null })
    }
  })

  test('another one learned another key: the first to end is believed', async () => {
    const { id } = await create(org, sftp())
    const { db } = world.platform
    const pinned = `ssh-ed25519 SHA256:${'Z'.repeat(43)}`
    const learn = () => db.updateTable('backupDestination').set({ hostKey: pinned }).where('id', '=', id).execute()
    await during(id, learn, { hostKey: KEY })
    expect(await show(id)).toMatchObject({ hostKey: pinned, lastVerifiedAt: null })
  })

  test('the server is removed: what was found was about that server', async () => {
    const serverId = await newServer(org)
    const { id } = await create(org, { kind: 'platform_server', name: newName(), serverId })
    const { db } = world.platform
    await db.updateTable('server').set({ hostKey: KEY }).where('id', '=', serverId).execute()
    const remove = async () => expect((await api('DELETE', `/api/servers/${serverId}`)).status).toBe(200)
    expect(await during(id, remove)).toEqual({ ok: true })
    expect(await show(id)).toMatchObject({ serverId: null, lastVerifiedAt: null })
  })
})

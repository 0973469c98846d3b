import { Readable } from 'node:stream'
import { beforeEach, describe, expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { probe } from '../../../src/core/backups/probe.ts'
import { reverifyDue } from '../../../src/core/backups/reverify.ts'
import {
  type OpenOptions,
  type Storage,
  type StoragePlace,
  storageFailure,
} from '../../../src/drivers/storage/storage.ts'
import { create, newName, PATH, s3, sftp } from './destinations.ts'

// How a destination is opened, what is left behind there, and what is kept of what was found.
const world = await startWorld({
  backups: { allowLocal: true, localRoot: null, serverRoot: '/var/lib/slipway/backups' },
})
const org = await world.org()
const { api } = org.owner
const { db, pool } = world.platform
const KEY = `ssh-ed25519 SHA256:${'K'.repeat(43)}`

let opened: { place: StoragePlace; options: OpenOptions } | undefined
const held = new Map<string, Buffer>()
let swept: Date[] = []
let logged: string[] = []
let wrong: Partial<Storage> = {}
const storage: Storage = {
  async put(key, source) {
    for await (const chunk of source) held.set(key, Buffer.from(chunk))
    return { bytes: 0, sha256: '' }
  },
  get: async (key) => Readable.from([held.get(key) ?? Buffer.alloc(0)]),
  stat: async () => null,
  list: async () => ({ objects: [], cursor: null }),
  delete: async (key) => void held.delete(key),
  deleteMany: async () => {},
  async sweep({ olderThan }) {
    swept.push(olderThan)
    return 0
  },
  close() {},
}
beforeEach(() => {
  opened = undefined
  held.clear()
  swept = []
  logged = []
  wrong = {}
})
const tell = (facts: object) => void logged.push(JSON.stringify(facts))
Object.assign(world.platform, {
  log: { info: tell, warn: tell, error: tell },
  storage: {
    async open(place: StoragePlace, options: OpenOptions) {
      opened = { place, options }
      options.onHostKey?.(KEY)
      return { ...storage, ...wrong }
    },
  },
})

const preflight = async (id: string) => {
  const { status, body } = await api('POST', `${PATH}/${id}/preflight`)
  expect(status).toBe(200)
  return body as { ok: boolean; reason?: string }
}
const rowOf = (id: string) =>
  db.selectFrom('backupDestination').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const due = (id: string) =>
  db
    .updateTable('backupDestination')
    .set({ nextVerifyAt: new Date(0) })
    .where('id', '=', id)
    .execute()
const auditOf = async (id: string) =>
  (await pool.query('select action, detail from audit where target = $1 order by id', [id])).rows
const denied = (message = 'No.') => Promise.reject(storageFailure('denied', message))

describe('is opened', () => {
  const placeOf = async (body: object) => {
    await preflight((await create(org, body)).id)
    return opened?.place
  }

  test('an SFTP server with all that it was given, below where the login starts or below its root', async () => {
    const { name: _, kind: __, ...given } = sftp()
    const keys = { sftpPrivateKey: 'a key', sftpKeyPassphrase: 'a phrase' }
    expect(await placeOf({ ...sftp(), ...keys, sshPort: 2222, hostKey: KEY })).toEqual({
      kind: 'sftp',
      host: given.sshHost,
      port: 2222,
      user: given.sshUser,
      password: given.sftpPassword,
      privateKey: 'a key',
      passphrase: 'a phrase',
      hostKey: KEY,
      prefix: '.slipway-probes',
    })
    expect(await placeOf({ ...sftp(), pathPrefix: '/' })).toMatchObject({ prefix: '/.slipway-probes' })
    expect(await placeOf({ ...sftp(), pathPrefix: '/srv/a/' })).toMatchObject({ prefix: '/srv/a/.slipway-probes' })
  })

  test('a bucket by its path where the host is ours, unless it was said otherwise', async () => {
    const endpoint = 'http://10.0.0.7:9000'
    expect(await placeOf({ ...s3(), endpoint })).toMatchObject({ endpoint, forcePathStyle: true })
    expect(await placeOf({ ...s3(), endpoint, forcePathStyle: false })).toMatchObject({ forcePathStyle: false })
  })

  test('on a server of the platform the folder of the organization, and no other', async () => {
    const serverId = (await api('POST', '/api/servers', { kind: 'local', name: 'here' })).body.id
    const folder = `${world.config.backups.serverRoot}/${org.id}`
    expect(await placeOf({ kind: 'platform_server', name: newName(), serverId })).toMatchObject({ folder })
  })

  test('with limits that fit into the deadline', async () => {
    await placeOf(s3())
    expect(opened?.options).toMatchObject({ connectMs: 4000, stallMs: 4000 })
  })
})

describe('the other side', () => {
  test('keeps nothing of a write that failed at its end', async () => {
    wrong = {
      async put(key, source, options) {
        await storage.put(key, source, options)
        return denied()
      },
    }
    const { id } = await create(org, s3())
    expect((await preflight(id)).ok).toBe(false)
    expect(held.size).toBe(0)
  })

  test('is freed of what was left half-written, but not of what others write now', async () => {
    const before = Date.now()
    await preflight((await create(org, s3())).id)
    expect(swept).toHaveLength(1)
    expect(swept[0]?.getTime()).toBeLessThan(before)
  })

  test('may say anything: of what is too long the end is cut off, and what to do stays', async () => {
    const { id } = await create(org, s3())
    wrong = { put: () => denied('no '.repeat(2000)) }
    const { reason = '' } = await preflight(id)
    expect(reason.length).toBeLessThan(1100)
    expect(reason).toMatch(/[.!]$/)
  })

  test('may say what no database keeps', async () => {
    const { id } = await create(org, s3())
    wrong = { put: () => denied('a\0b\u0001c') }
    expect((await preflight(id)).reason).toMatch(/^write: a b c /)
  })
})

test('a secret is not in the log, also when nobody foresaw what failed', async () => {
  wrong = { put: () => Promise.reject(new TypeError('no the-secret-of-it here')) }
  const { id } = await create(org, s3())
  await preflight(id)
  expect(logged.join()).toContain('no ••• here')
  expect(logged.join()).not.toContain('the-secret-of-it')
})

test('whoever stops a look is told so, and not that the destination is broken', async () => {
  const stop = new AbortController()
  const open = async () => {
    stop.abort(new Error('stopped'))
    return storage
  }
  await expect(probe({ kind: 'sftp', open, signal: stop.signal })).rejects.toThrow('stopped')
})

describe('a host key that nobody has confirmed', () => {
  test('is not learned in the background', async () => {
    const { id } = await create(org, sftp())
    await due(id)
    await reverifyDue(world.platform, new AbortController().signal)
    expect(opened).toBeUndefined()
    expect(await rowOf(id)).toMatchObject({ hostKey: null, lastVerifySteps: null })
  })

  test('keeps the server from being asked again, although it was seen', async () => {
    const { id } = await create(org, sftp())
    wrong = { put: () => denied() }
    await preflight(id)
    opened = undefined
    await due(id)
    await reverifyDue(world.platform, new AbortController().signal)
    expect([opened, (await rowOf(id)).hostKey]).toEqual([undefined, null])
  })
})

describe('what was found of a destination that was changed meanwhile', () => {
  const changing = (id: string): Partial<Storage> => ({
    async put(key, source, options) {
      await api('PATCH', `${PATH}/${id}`, { pathPrefix: newName().replace(' ', '-') })
      return storage.put(key, source, options)
    },
  })

  test('is in no audit entry of the daily look', async () => {
    const { id } = await create(org, s3())
    await due(id)
    wrong = { ...changing(id), get: () => denied() }
    await reverifyDue(world.platform, new AbortController().signal)
    expect((await auditOf(id)).map(({ action }) => action)).not.toContain('backup_destination.broke')
  })

  test('pins no key, and says so nowhere', async () => {
    const { id } = await create(org, sftp())
    wrong = changing(id)
    expect((await preflight(id)).ok).toBe(true)
    const last = (await auditOf(id)).at(-1)
    expect([last.action, last.detail.pinned]).toEqual(['backup_destination.preflight', undefined])
    expect((await rowOf(id)).hostKey).toBeNull()
    wrong = {}
    await preflight(id)
    expect((await auditOf(id)).at(-1).detail.pinned).toBe(KEY)
  })
})

describe('the daily look', () => {
  test('goes on with the others when one fails for a reason of ours', async () => {
    const [first, second] = [(await create(org, s3())).id, (await create(org, s3())).id]
    await Promise.all([first, second].map(due))
    const info = ({ destination }: { destination?: string }) => {
      if (destination === first) throw new Error('lost')
    }
    const parts = { ...world.platform, log: { ...world.platform.log, info } }
    await reverifyDue(parts as never, new AbortController().signal)
    expect(await rowOf(second)).toMatchObject({ lastVerifiedAt: expect.any(Date) })
    expect(await rowOf(first)).toMatchObject({ lastVerifiedAt: null })
    expect(logged).toEqual([JSON.stringify({ destination: first, reason: 'lost' })])
  })

  test('ends when it is told to, and leaves the rest to others', async () => {
    const { id } = await create(org, s3())
    await due(id)
    const stop = new AbortController()
    wrong = {
      async put() {
        stop.abort(new Error('stopped'))
        return denied()
      },
    }
    await expect(reverifyDue(world.platform, stop.signal)).rejects.toThrow('stopped')
    expect(await rowOf(id)).toMatchObject({ lastVerifyError: null, lastVerifySteps: null })
    expect((await rowOf(id)).nextVerifyAt?.getTime()).toBeGreaterThan(Date.now())
  })
})

import { Readable } from 'node:stream'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { probe } from '../../../src/core/backups/probe.ts'
import { reverifyDue } from '../../../src/core/backups/reverify.ts'
import {
  type OpenOptions,
  type Storage,
  StorageFailure,
  type StoragePlace,
} from '../../../src/drivers/storage/storage.ts'
import { startWorld } from '../../harness.ts'
import { create, newName, newServer, PATH, s3, sftp } from './destinations.ts'

const world = await startWorld()
const org = await world.org()
const { api } = org.owner
const never = new Promise<never>(() => {})
const KEY = `ssh-ed25519 SHA256:${'K'.repeat(43)}`

/** A storage of this test's own: what is in it, what was asked, and what goes wrong. */
const objects = new Map<string, Buffer>()
const asked: string[] = []
let opened: { place: StoragePlace; options: OpenOptions } | undefined
let wrong: Partial<Storage> & { open?: () => Promise<never>; hostKey?: string } = {}
beforeEach(() => {
  objects.clear()
  asked.length = 0
  wrong = {}
})

const storage = (): Storage => ({
  async put(key, source) {
    const chunks: Uint8Array[] = []
    for await (const chunk of source) chunks.push(chunk)
    objects.set(key, Buffer.concat(chunks))
    return { bytes: 0, sha256: '' }
  },
  get: async (key) => Readable.from([objects.get(key) ?? Buffer.alloc(0)]),
  stat: async () => null,
  list: async () => ({
    objects: [...objects.keys()].map((key) => ({ key, bytes: 1, modifiedAt: new Date() })),
    cursor: null,
  }),
  delete: async (key) => void objects.delete(key),
  async deleteMany(keys) {
    for (const key of keys) objects.delete(key)
  },
  sweep: async () => 0,
  close: () => void asked.push('close'),
})

world.platform.storage = {
  async open(place, options) {
    opened = { place, options }
    asked.push('open')
    if (wrong.open) return wrong.open()
    if (wrong.hostKey !== undefined) options.onHostKey?.(wrong.hostKey)
    const real = storage()
    const broken = Object.fromEntries(Object.entries(wrong).filter(([, value]) => typeof value === 'function'))
    const all = { ...real, ...broken } as Storage
    const told = (name: keyof Storage) =>
      ((...args: never[]) => {
        asked.push(name)
        return (all[name] as (...args: never[]) => unknown)(...args)
      }) as never
    return { ...all, put: told('put'), get: told('get'), delete: told('delete') }
  },
}

const preflight = async (id: string) => {
  const { status, body } = await api('POST', `${PATH}/${id}/preflight`)
  expect(status).toBe(200)
  return body as { ok: boolean; reason?: string }
}
const show = async (id: string) => (await api('GET', `${PATH}/${id}`)).body

test('writes, reads back, deletes, in this order, and says how long each took', async () => {
  const { id } = await create(org, { ...s3(), pathPrefix: 'shop/' })
  expect(await preflight(id)).toEqual({ ok: true })
  expect(asked).toEqual(['open', 'put', 'get', 'delete', 'close'])
  expect(objects.size).toBe(0)
  expect(opened?.place).toMatchObject({ kind: 's3_compatible', prefix: 'shop/.slipway-probes', forcePathStyle: false })
  const shown = await show(id)
  expect(shown).toMatchObject({ lastVerifyError: null, brokenSince: null, lastVerifiedAt: expect.any(String) })
  expect(shown.lastVerifySteps.map(({ step, ok }: { step: string; ok: boolean }) => [step, ok])).toEqual(
    ['connect', 'write', 'read', 'delete'].map((step) => [step, true]),
  )
})

describe('what fails is told by its step, with what to do, and always with 200', () => {
  const fail = (code: ConstructorParameters<typeof StorageFailure>[0]) => async () => {
    throw new StorageFailure(code, `It said ${code}.`)
  }
  test.each([
    ['connect', { open: fail('unreachable') }],
    ['connect', { open: fail('host_key_mismatch') }],
    ['auth', { open: fail('auth') }],
    ['auth', { open: fail('key_unreadable') }],
    ['auth', { put: fail('auth') }],
    ['auth', { put: fail('clock_skew') }],
    ['connect', { put: fail('tls') }],
    ['connect', { put: fail('timeout') }],
    ['write', { put: fail('bucket_missing') }],
    ['write', { put: fail('full') }],
    ['read', { get: fail('denied') }],
    ['delete', { delete: fail('denied') }],
  ] as const)('%s', async (step, faults) => {
    wrong = faults
    const { id } = await create(org, s3())
    const { ok, reason } = await preflight(id)
    expect(ok).toBe(false)
    expect(reason).toMatch(new RegExp(`^${step}: It said \\w+\\. [A-Z]`))
    const shown = await show(id)
    expect(shown).toMatchObject({ lastVerifiedAt: null, lastVerifyError: reason, brokenSince: expect.any(String) })
    expect(shown.lastVerifySteps.at(-1)).toMatchObject({ step, ok: false })
  })

  test('bytes that come back as others', async () => {
    wrong = { get: async () => Readable.from([Buffer.alloc(64 * 1024)]) }
    const { id } = await create(org, s3())
    expect((await preflight(id)).reason).toMatch(/^read: What was read back is not what was written/)
    expect(objects.size).toBe(0)
  })

  test('what nobody foresaw', async () => {
    wrong = { put: () => Promise.reject(new TypeError('x is not a function')) }
    const { id } = await create(org, s3())
    expect((await preflight(id)).reason).toMatch(/^write: It failed in a way that was not expected/)
  })

  test('a server that was removed, and one whose key nobody has confirmed', async () => {
    const serverId = await newServer(org)
    const { id } = await create(org, { kind: 'platform_server', name: newName(), serverId })
    expect((await preflight(id)).reason).toMatch(/^connect: Nobody has confirmed the host key .* Check it first/)
    await api('DELETE', `/api/servers/${serverId}`)
    expect((await show(id)).serverId).toBeNull()
    expect((await preflight(id)).reason).toMatch(/^connect: The server of this destination was removed/)
  })

  test('a server whose stored key cannot be opened', async () => {
    const serverId = await newServer(org)
    const { id } = await create(org, { kind: 'platform_server', name: newName(), serverId })
    const { db } = world.platform
    await db.updateTable('server').set({ privateKey: 'v1.00000000.AAAA' }).where('id', '=', serverId).execute()
    expect((await preflight(id)).reason).toMatch(/^auth: The stored key of the server .* cannot be opened\. Give/)
  })

  test('a storage that gives back without end', async () => {
    const endless = async function* () {
      for (;;) yield Buffer.alloc(64 * 1024)
    }
    wrong = { get: async () => Readable.from(endless()) }
    const { id } = await create(org, s3())
    expect((await preflight(id)).reason).toMatch(/^read: What was read back is not what was written/)
  })

  test('a secret that was changed in the database', async () => {
    const { id } = await create(org, s3())
    const { db } = world.platform
    const { accessKeyId } = await db
      .selectFrom('backupDestination')
      .select('accessKeyId')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const flipped = accessKeyId?.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) ?? ''
    for (const stored of [flipped, accessKeyId?.slice(0, -4) ?? '', 'v1.00000000.AAAA', 'plain']) {
      await db.updateTable('backupDestination').set({ accessKeyId: stored }).where('id', '=', id).execute()
      expect((await preflight(id)).reason).toMatch(/^auth: The stored accessKeyId cannot be opened/)
    }
  })

  test('and a secret that the other side repeats is not passed on', async () => {
    wrong = { put: () => Promise.reject(new StorageFailure('denied', 'No the-access-key here, the-secret-of-it.')) }
    const { id } = await create(org, s3())
    expect((await preflight(id)).reason).toMatch(/^write: No ••• here, •••\. /)
  })
})

test('the probe is taken away after a failure', async () => {
  wrong = { get: () => Promise.reject(new StorageFailure('denied', 'No.')) }
  const { id } = await create(org, s3())
  await preflight(id)
  expect(asked).toEqual(['open', 'put', 'get', 'delete', 'close'])
  expect(objects.size).toBe(0)
})

test('what killed processes left is taken away by the next one, and nothing else', async () => {
  const uuid = crypto.randomUUID()
  const old = `probe-${Date.now() - 120_000}-${uuid}`
  const running = `probe-${Date.now() - 10_000}-${uuid}`
  for (const key of [old, running, 'archive.tar', `probe-1-${uuid}`]) objects.set(key, Buffer.alloc(1))
  const { id } = await create(org, s3())
  expect((await preflight(id)).ok).toBe(true)
  expect([...objects.keys()].sort()).toEqual(['archive.tar', `probe-1-${uuid}`, running].sort())
})

describe('the deadline holds against a storage that does not listen', () => {
  test.each([
    ['connect', { open: () => never }],
    ['write', { put: () => never }],
    ['read', { get: () => never }],
    ['delete', { delete: () => never }],
  ] as const)('in %s', async (step, faults) => {
    const open = async () => ('open' in faults ? faults.open() : { ...storage(), ...faults })
    const from = performance.now()
    const { failure } = await probe({ kind: 'sftp', open, signal: new AbortController().signal, deadlineMs: 5500 })
    expect(performance.now() - from).toBeLessThan(5500)
    expect(failure).toMatchObject({ step, message: 'It did not answer in time.' })
  })

  test('the probe is taken away even then, and only after that everything is ended', async () => {
    let life: AbortSignal | undefined
    const open = async (signal: AbortSignal) => {
      life = signal
      const all = storage()
      return {
        ...all,
        get: () => never,
        delete: (key: string) => (signal.aborted ? never : all.delete(key, { signal })),
      }
    }
    await probe({ kind: 'sftp', open, signal: new AbortController().signal, deadlineMs: 5500 })
    expect([objects.size, life?.aborted]).toEqual([0, true])
  })

  test('one that opens too late is closed again', async () => {
    const late = { ...storage(), close: vi.fn() }
    const opening = Promise.withResolvers<Storage>()
    await probe({ kind: 'sftp', open: () => opening.promise, signal: new AbortController().signal, deadlineMs: 4600 })
    opening.resolve(late)
    await vi.waitFor(() => expect(late.close).toHaveBeenCalled())
  })
})

describe('the host key of an SFTP server', () => {
  test('is learned by the first preflight that succeeds, and never by another', async () => {
    const { id } = await create(org, sftp())
    wrong = { hostKey: KEY, put: () => Promise.reject(new StorageFailure('denied', 'No.')) }
    await preflight(id)
    expect((await show(id)).hostKey).toBeNull()
    wrong = { hostKey: KEY }
    expect((await preflight(id)).ok).toBe(true)
    expect((await show(id)).hostKey).toBe(KEY)
    wrong = { hostKey: `ssh-ed25519 SHA256:${'Z'.repeat(43)}` }
    await preflight(id)
    expect(opened?.options.onHostKey).toBeUndefined()
    expect(opened?.place).toMatchObject({ hostKey: KEY })
    expect((await show(id)).hostKey).toBe(KEY)
  })
})

test('a result is dropped when the destination was changed meanwhile', async () => {
  const { id } = await create(org, s3())
  const writing = Promise.withResolvers<void>()
  wrong = { put: () => writing.promise.then(() => Promise.reject(new StorageFailure('denied', 'No.'))) }
  const answer = preflight(id)
  await vi.waitFor(() => expect(asked).toContain('put'))
  await api('PATCH', `${PATH}/${id}`, { bucket: 'other' })
  writing.resolve()
  expect((await answer).ok).toBe(false)
  expect(await show(id)).toMatchObject({ lastVerifyError: null, lastVerifiedAt: null })
})

describe('once a day, in the background', () => {
  const { db } = world.platform
  const due = (id: string) =>
    db
      .updateTable('backupDestination')
      .set({ nextVerifyAt: new Date(Date.now() - 1000) })
      .where('id', '=', id)
      .execute()
  const nextOf = async (id: string) =>
    (
      await db.selectFrom('backupDestination').select('nextVerifyAt').where('id', '=', id).executeTakeFirstOrThrow()
    ).nextVerifyAt?.getTime() ?? null
  const run = () => reverifyDue(world.platform, new AbortController().signal)

  test('each at another moment of the next day', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, async () => (await create(org, s3())).id))
    await Promise.all(ids.map(preflight))
    const hours = await Promise.all(ids.map(async (id) => ((await nextOf(id)) ?? 0) / 3600_000 - Date.now() / 3600_000))
    for (const hour of hours) expect(hour).toSatisfy((one: number) => one > 21 && one < 27)
    expect(new Set(hours.map((hour) => hour.toFixed(3))).size).toBe(5)
  })

  test('the day it broke is kept, and mended is mended', async () => {
    const { id } = await create(org, s3())
    await preflight(id)
    wrong = { put: () => Promise.reject(new StorageFailure('full', 'No space.')) }
    await due(id)
    await run()
    const broken = await show(id)
    expect(broken).toMatchObject({ lastVerifyError: expect.stringMatching(/^write: No space/) })
    await due(id)
    await run()
    expect((await show(id)).brokenSince).toBe(broken.brokenSince)
    wrong = {}
    await due(id)
    await run()
    expect(await show(id)).toMatchObject({ brokenSince: null, lastVerifyError: null })
    const { rows } = await world.platform.pool.query(
      `select action, actor_kind from audit where target = $1 and actor_kind = 'system' order by id`,
      [id],
    )
    expect(rows.map(({ action }) => action)).toEqual(['backup_destination.broke', 'backup_destination.mended'])
  })

  test('a hundred that are due are all looked at, once each, by two processes', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, async () => (await create(org, s3())).id))
    for (const id of ids) await due(id)
    asked.length = 0
    await Promise.all([run(), run()])
    expect(asked.filter((one) => one === 'put')).toHaveLength(100)
  })

  test('an SFTP server without a pinned key is left alone', async () => {
    const { id } = await create(org, sftp())
    wrong = { open: () => Promise.reject(new StorageFailure('unreachable', 'No.')) }
    await preflight(id)
    expect(await nextOf(id)).toBeNull()
  })
})

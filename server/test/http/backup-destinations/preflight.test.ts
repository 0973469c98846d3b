import { Readable } from 'node:stream'
import { describe, expect, test, vi } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { probe } from '../../../src/core/backups/probe.ts'
import { type Storage, storageFailure } from '../../../src/drivers/storage/storage.ts'
import { create, newName, newServer, s3, sftp } from './destinations.ts'
import { asking, fakeStorage } from './fake-storage.ts'

const world = await startWorld()
const org = await world.org()
const { preflight, show } = asking(org)
const fake = fakeStorage(world)
const { objects, asked } = fake
const never = new Promise<never>(() => {})
const KEY = `ssh-ed25519 SHA256:${'K'.repeat(43)}`

test('writes, reads back, deletes, in this order, and says how long each took', async () => {
  const { id } = await create(org, { ...s3(), pathPrefix: 'shop/' })
  expect(await preflight(id)).toEqual({ ok: true })
  expect(asked).toEqual(['open', 'put', 'get', 'delete', 'close'])
  expect(objects.size).toBe(0)
  expect(fake.opened?.place).toMatchObject({
    kind: 's3_compatible',
    prefix: 'shop/.slipway-probes',
    forcePathStyle: false,
  })
  const shown = await show(id)
  expect(shown).toMatchObject({ lastVerifyError: null, brokenSince: null, lastVerifiedAt: expect.any(String) })
  expect(shown.lastVerifySteps.map(({ step, ok }: { step: string; ok: boolean }) => [step, ok])).toEqual(
    ['connect', 'write', 'read', 'delete'].map((step) => [step, true]),
  )
})

describe('what fails is told by its step, with what to do, and always with 200', () => {
  const fail = (code: Parameters<typeof storageFailure>[0]) => async () => {
    throw storageFailure(code, `It said ${code}.`)
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
    fake.wrong = faults
    const { id } = await create(org, s3())
    const { ok, reason } = await preflight(id)
    expect(ok).toBe(false)
    expect(reason).toMatch(new RegExp(`^${step}: It said \\w+\\. [A-Z]`))
    const shown = await show(id)
    expect(shown).toMatchObject({ lastVerifiedAt: null, lastVerifyError: reason, brokenSince: expect.any(String) })
    expect(shown.lastVerifySteps.at(-1)).toMatchObject({ step, ok: false })
  })

  test('bytes that come back as others', async () => {
    fake.wrong = { get: async () => Readable.from([Buffer.alloc(64 * 1024)]) }
    const { id } = await create(org, s3())
    expect((await preflight(id)).reason).toMatch(/^read: What was read back is not what was written/)
    expect(objects.size).toBe(0)
  })

  test('what nobody foresaw', async () => {
    fake.wrong = { put: () => Promise.reject(new TypeError('x is not a function')) }
    const { id } = await create(org, s3())
    expect((await preflight(id)).reason).toMatch(/^write: It failed in a way that was not expected/)
  })

  test('a server that was removed, and one whose key nobody has confirmed', async () => {
    const serverId = await newServer(org)
    const { id } = await create(org, { kind: 'platform_server', name: newName(), serverId })
    expect((await preflight(id)).reason).toMatch(/^connect: Nobody has confirmed the host key .* Check it first/)
    await org.owner.api('DELETE', `/api/servers/${serverId}`)
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
    fake.wrong = { get: async () => Readable.from(endless()) }
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
    fake.wrong = {
      put: () => Promise.reject(storageFailure('denied', 'No the-access-key here, the-secret-of-it.')),
    }
    const { id } = await create(org, s3())
    expect((await preflight(id)).reason).toMatch(/^write: No ••• here, •••\. /)
  })

  test('nor is a part of it, wherever what it said is cut or made one line', async () => {
    const secretAccessKey = 'a secret  of many\twords, long enough to be cut in the middle of it'
    const { id } = await create(org, { ...s3(), secretAccessKey })
    for (let before = 820; before < 1010; before += 10) {
      const said = `${'x'.repeat(before)}${secretAccessKey}.`
      fake.wrong = { put: () => Promise.reject(storageFailure('denied', said)) }
      const { reason } = await preflight(id)
      expect(reason).not.toContain('xa s')
      expect(reason).toMatch(/^write: x+•*\.? Give the account/)
    }
  })

  test('and what no text in the database may have, or only half of, is not in the way', async () => {
    const said = `a\0b\r\n\u001b[31m${'🦆'.repeat(1000)}`
    const { id } = await create(org, s3())
    for (const shift of ['', '.']) {
      fake.wrong = { put: () => Promise.reject(storageFailure('denied', shift + said)) }
      const { reason } = await preflight(id)
      expect(reason).toMatch(/^write: \.?a b \[31m🦆+\ufffd? Give the account/u)
      expect((await show(id)).lastVerifyError).toBe(reason)
    }
  })
})

test('the probe is taken away after a failure', async () => {
  fake.wrong = { get: () => Promise.reject(storageFailure('denied', 'No.')) }
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
    const open = async () => ('open' in faults ? faults.open() : { ...fake.storage(), ...faults })
    // A timer of this process: it is late where the machine makes timers late.
    const over = AbortSignal.timeout(5500)
    const { failure } = await probe({ kind: 'sftp', open, signal: new AbortController().signal, deadlineMs: 5500 })
    expect(over.aborted).toBe(false)
    expect(failure).toMatchObject({ step, message: 'It did not answer in time.' })
  })

  test('the probe is taken away even then, and only after that everything is ended', async () => {
    let life: AbortSignal | undefined
    const open = async (signal: AbortSignal) => {
      life = signal
      const all = fake.storage()
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
    const late = { ...fake.storage(), close: vi.fn() }
    const opening = Promise.withResolvers<Storage>()
    await probe({ kind: 'sftp', open: () => opening.promise, signal: new AbortController().signal, deadlineMs: 4600 })
    opening.resolve(late)
    await expect.poll(() => late.close).toHaveBeenCalled()
  })
})

describe('the host key of an SFTP server', () => {
  test('is learned by the first preflight that succeeds, and never by another', async () => {
    const { id } = await create(org, sftp())
    fake.wrong = { hostKey: KEY, put: () => Promise.reject(storageFailure('denied', 'No.')) }
    await preflight(id)
    expect((await show(id)).hostKey).toBeNull()
    fake.wrong = { hostKey: KEY }
    expect((await preflight(id)).ok).toBe(true)
    expect((await show(id)).hostKey).toBe(KEY)
    fake.wrong = { hostKey: `ssh-ed25519 SHA256:${'Z'.repeat(43)}` }
    await preflight(id)
    expect(fake.opened?.options.onHostKey).toBeUndefined()
    expect(fake.opened?.place).toMatchObject({ hostKey: KEY })
    expect((await show(id)).hostKey).toBe(KEY)
  })
})

import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { content, lineTo, silentHost } from '../../../../test-kit/storage.ts'
import { sftpGround } from '../../../../test-kit/storage-places.ts'
import { hostKeyOfLine } from '../ssh/host-key.ts'
import { storageOpener } from './open.ts'
import type { OpenOptions, SftpPlace, StorageFailure } from './storage.ts'

const signal = new AbortController().signal
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

async function setUp() {
  const ground = await sftpGround()
  cleanups.push(ground.remove)
  return ground
}

async function works(place: SftpPlace, options: Partial<OpenOptions> = {}): Promise<void> {
  const storage = await storageOpener.open(place, { signal, ...options })
  try {
    await storage.put('a', content(10), { signal })
    await storage.delete('a', { signal })
  } finally {
    storage.close()
  }
}

const refusal = (place: SftpPlace, options: Partial<OpenOptions> = {}): Promise<StorageFailure> =>
  works(place, options).then(
    () => expect.fail('it worked'),
    (error) => error,
  )

const read = (file: string) => readFileSync(file, 'utf8')

test('a password, a key and a key with its passphrase open it', async () => {
  const { place } = await setUp()
  const { keyFile, lockedKeyFile, passphrase } = labPart('sftp')
  await works(place)
  await works({ ...place, password: null, privateKey: read(keyFile) })
  await works({ ...place, password: null, privateKey: read(lockedKeyFile), passphrase })
})

test('a wrong password, key or passphrase is told apart, and none of them is told', async () => {
  const { place } = await setUp()
  const { lockedKeyFile } = labPart('sftp')
  const locked = { ...place, password: null, privateKey: read(lockedKeyFile) }
  const failures = {
    password: await refusal({ ...place, password: 'wrong-secret' }),
    user: await refusal({ ...place, user: 'nobody-here' }),
    noPassphrase: await refusal(locked),
    passphrase: await refusal({ ...locked, passphrase: 'wrong-secret' }),
    garbage: await refusal({ ...place, password: null, privateKey: 'wrong-secret' }),
    otherKey: await refusal({ ...place, password: null, privateKey: read(labPart('host1').keyFile) }),
  }
  expect(Object.values(failures).map(({ code }) => code)).toEqual([
    'auth',
    'auth',
    'key_unreadable',
    'key_unreadable',
    'key_unreadable',
    'auth',
  ])
  for (const { message, hint } of Object.values(failures)) expect(message + hint).not.toContain('wrong-secret')
})

test('only the pinned host key is accepted, whichever of its keys the server would show', async () => {
  const { place } = await setUp()
  const { hostKeyFiles } = labPart('sftp')
  for (const file of hostKeyFiles) await works({ ...place, hostKey: hostKeyOfLine(read(file)) })
  for (const type of ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ssh-rsa']) {
    const other = await refusal({ ...place, hostKey: `${type} SHA256:${'A'.repeat(43)}` })
    expect(other.code).toBe('host_key_mismatch')
    expect(other.message).toContain(type)
  }
})

test('an unknown host key is learned only by who asks for it', async () => {
  const { place } = await setUp()
  expect((await refusal({ ...place, hostKey: null })).code).toBe('host_key_unknown')
  const seen: string[] = []
  await works({ ...place, hostKey: null }, { onHostKey: (key) => seen.push(key) })
  expect(seen).toEqual([place.hostKey])
})

test('one that was learned counts for every later connection, and is told once', async () => {
  const { reached, through } = await setUp()
  const line = await lineTo(reached?.host ?? '', reached?.port ?? 0)
  cleanups.push(line.stop)
  const seen: string[] = []
  const place = { ...(through(line.port) as SftpPlace), hostKey: null }
  const storage = await storageOpener.open(place, { signal, onHostKey: (key) => seen.push(key) })
  cleanups.push(() => storage.close())
  line.cutAfter(0, 0)
  await expect(storage.stat('a', { signal })).rejects.toMatchObject({ code: 'connection_lost' })
  await expect.poll(() => storage.stat('a', { signal }).catch(() => 'not yet')).toBeNull()
  expect(seen).toHaveLength(1)
})

test('a folder that may only be read, and one that is full, say so', async () => {
  const { place } = await setUp()
  const { readOnlyUser, fullUser } = labPart('sftp')
  expect((await refusal({ ...place, user: readOnlyUser })).code).toBe('denied')
  const storage = await storageOpener.open({ ...place, user: fullUser, prefix: '' }, { signal })
  cleanups.push(() => storage.close())
  await expect(storage.put('large', content(4_000_000), { signal })).rejects.toMatchObject({ code: 'full' })
  expect(await storage.stat('large', { signal })).toBeNull()
  expect(await storage.sweep({ signal, olderThan: new Date(Date.now() + 5_000) })).toBe(0)
})

test('an absolute prefix is where it says, a relative one below the login', async () => {
  const { place } = await setUp()
  const { home } = labPart('sftp')
  await works({ ...place, prefix: `${home}/${place.prefix}/absolute` })
  expect((await refusal({ ...place, prefix: '/etc/not-mine' })).code).toBe('denied')
  expect((await refusal({ ...place, prefix: '../elsewhere' })).code).toBe('bad_place')
})

test('a closed port, a silent host and an unknown name fail in time, and say which it was', async () => {
  const { place } = await setUp()
  const { port, stop } = await silentHost()
  cleanups.push(stop)
  const soon = { connectMs: 500 }
  expect((await refusal({ ...place, host: '127.0.0.1', port: 1 })).code).toBe('unreachable')
  expect((await refusal({ ...place, host: '127.0.0.1', port }, soon)).code).toBe('timeout')
  expect((await refusal({ ...place, host: 'nowhere.invalid' })).code).toBe('name_not_found')
  const abort = AbortSignal.timeout(200)
  expect(await refusal({ ...place, host: '127.0.0.1', port }, { signal: abort })).toBe(abort.reason)
})

test('an address that may not be used is not connected to, by number or by name', async () => {
  const { place } = await setUp()
  const asked: string[] = []
  const mayConnect = (address: string) => {
    asked.push(address)
    return false
  }
  expect((await refusal(place, { mayConnect })).code).toBe('address_refused')
  expect((await refusal({ ...place, host: 'localhost' }, { mayConnect })).code).toBe('address_refused')
  expect(asked[0]).toBe(place.host)
  expect(asked.slice(1)).toContain('127.0.0.1')
  await works(place, { mayConnect: (address) => address === place.host })
})

test('a server that stops in the middle of a write does not hold it for ever', async () => {
  const { place, reached, through, left } = await setUp()
  const line = await lineTo(reached?.host ?? '', reached?.port ?? 0)
  cleanups.push(line.stop)
  const storage = await storageOpener.open(through(line.port), { signal, stallMs: 1_000 })
  cleanups.push(() => storage.close())
  const source = async function* () {
    yield* content(1_000_000)
    line.hold()
    yield* content(30_000_000)
  }
  await expect(storage.put('held', source(), { signal })).rejects.toMatchObject({ code: 'timeout' })
  const direct = await storageOpener.open(place, { signal })
  cleanups.push(() => direct.close())
  expect(await direct.stat('held', { signal })).toBeNull()
  expect(await direct.sweep({ signal, olderThan: new Date(Date.now() + 5_000) })).toBe(1)
  expect(await left()).toEqual([])
})

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { plainEnvironment } from '../../../test-kit/server-process.ts'
import { content, sha256Of } from '../../../test-kit/storage.ts'
import { s3Ground } from '../../../test-kit/storage-places.ts'
import { SECRET_KEY, startWorld } from '../../../test-kit/world.ts'
import { sendPlatformBackup } from '../../src/core/backups/send-platform-backup.ts'
import { type Storage, storageFailure } from '../../src/drivers/storage/storage.ts'

const ground = await s3Ground()
const world = await startWorld()
const { platform } = world
const org = await world.org()
const { prefix, kind, endpoint, region, bucket, accessKeyId, secretAccessKey, forcePathStyle } = ground.place
const offsite = { name: 'offsite', pathPrefix: prefix, kind, endpoint, region, bucket, accessKeyId, secretAccessKey }
const answer = await org.owner.api('POST', '/api/backup-destinations', { ...offsite, forcePathStyle })
const destinationId: string = answer.body.id

const real = platform.storage
afterAll(() => ground.remove())
beforeEach(async () => {
  platform.storage = real
  await ground.empty()
})

/** As the real one, but for what is given. */
const faulty = (faults: (storage: Storage) => Partial<Storage>) => {
  platform.storage = {
    async open(place, options) {
      const storage = await real.open(place, options)
      const { put, get, stat, list, deleteMany, sweep, close } = storage
      return { put, get, stat, list, delete: storage.delete, deleteMany, sweep, close, ...faults(storage) }
    },
  }
}
const signal = new AbortController().signal
const BYTES = 3_000_001
const sha256 = await sha256Of(content(BYTES))
const send = (more: object = {}) =>
  sendPlatformBackup(platform, { destinationId, source: content(BYTES), sha256, signal, ...more })
const audited = async () => {
  const { data } = (await org.owner.api('GET', '/api/audit?limit=100')).body
  return data.filter(({ action }: { action: string }) => action === 'backup_destination.platform_backup').length
}

test('a backup that was sent lies in a folder of the instance, the same byte for byte, and its organization can see it', async () => {
  const before = await audited()
  const sent = await send()
  expect(sent).toEqual({
    name: expect.stringMatching(/^slipway-platform\/ins_\w+\/\d{8}T\d{6}Z\.slipway$/),
    bytes: BYTES,
    removed: [],
    warning: null,
  })
  expect(await ground.left()).toEqual([`${prefix}/${sent.name}`])
  const storage = await real.open(ground.place, { signal })
  expect(await sha256Of(await storage.get(sent.name, { signal }))).toBe(sha256)
  storage.close()
  expect(await audited()).toBe(before + 1)
})

/** Where a backup of that day lies, if this instance has made it. */
const { id: instance } = await platform.db.selectFrom('instance').select('id').executeTakeFirstOrThrow()
const of = (day: number, hour = '03') =>
  `slipway-platform/${instance}/${new Date(Date.UTC(2020, 0, day)).toISOString().slice(0, 10).replaceAll('-', '')}T${hour}0000Z.slipway`

test('of this instance the newest of seven days and of four weeks stay, and of others everything', async () => {
  const others = [
    'slipway-platform/ins_another/20200101T030000Z.slipway',
    `slipway-platform/${instance}/kept-by-hand.slipway`,
    `slipway-platform/${instance}/more/20200101T030000Z.slipway`,
    'shop/20200101T030000Z.slipway',
  ]
  await ground.plant([...Array.from({ length: 40 }, (_, day) => of(day + 1)), ...others])
  const { removed, name } = await send()
  // The 40th is a Sunday: six days to it, and the two Sundays before those.
  const kept = [26, 33, 35, 36, 37, 38, 39, 40].map((day) => of(day))
  const left = [...kept, ...others, name].map((key) => `${prefix}/${key}`)
  expect((await ground.left()).toSorted()).toEqual(left.toSorted())
  expect(removed).toHaveLength(32)
})

test('a destination that gives back something else is not told as success; it goes, and nothing that was there before', async () => {
  const before = await audited()
  await ground.plant([of(1), of(1, '04')])
  faulty(() => ({ get: async () => Readable.from(content(BYTES, 'b')) }))
  await expect(send()).rejects.toMatchObject({
    message: 'What was read back is not what was written.',
    hint: expect.stringContaining('before it is known why'),
  })
  expect(await ground.left()).toEqual([of(1), of(1, '04')].map((key) => `${prefix}/${key}`))
  expect(await audited()).toBe(before)
})

test('a destination that loses it is not told as success', async () => {
  faulty((storage) => ({
    async put(key, source, options) {
      const result = await storage.put(key, source, options)
      await storage.delete(key, options)
      return result
    },
  }))
  await expect(send()).rejects.toMatchObject({ hint: expect.any(String) })
  expect(await ground.left()).toEqual([])
})

test('one that is cut off on its way here is not told as success, and nothing of it stays', async () => {
  await expect(send({ source: content(BYTES - 1) })).rejects.toThrow('not the file whose checksum was given')
  expect(await ground.left()).toEqual([])
})

test('where old ones may not be deleted the new one is there all the same, and that is said', async () => {
  faulty(() => ({ list: () => Promise.reject(storageFailure('denied', `No list for ${secretAccessKey}.`)) }))
  const { warning } = await send()
  expect(warning).toMatch(/^Old backups could not be removed: No list for/)
  expect(warning).not.toContain(secretAccessKey)
  expect(await ground.left()).toHaveLength(1)
})

test('what the other side says is told without the secrets of the destination, with what to do', async () => {
  faulty(() => ({ put: () => Promise.reject(storageFailure('denied', `No place for ${secretAccessKey}.`)) }))
  const error = await send().catch((reason) => reason)
  expect(error.message).toMatch(/^No place for/)
  expect(error.message).not.toContain(secretAccessKey)
  expect(error.hint).toContain('right to read, write and delete')
})

const command = (id: string, sum: string, input: Buffer) =>
  spawnSync(
    process.execPath,
    [
      '--conditions=slipway-source',
      'server/src/main.ts',
      ...'admin backup send --json --destination'.split(' '),
      id,
      '--sha256',
      sum,
    ],
    {
      input,
      encoding: 'utf8',
      timeout: 120_000,
      env: {
        ...plainEnvironment(),
        SLIPWAY_SECRET_KEY: SECRET_KEY,
        SLIPWAY_DATABASE_URL: world.database.url,
        SLIPWAY_DATA_DIR: world.dataDir,
      },
    },
  )

test('the command takes the file by stdin, and says in words why it could not', { timeout: 240_000 }, async () => {
  const file = Buffer.from('a sealed backup')
  const sum = createHash('sha256').update(file).digest('hex')
  const good = command(destinationId, sum, file)
  expect([good.status, good.stderr]).toEqual([0, ''])
  const { name } = JSON.parse(good.stdout)
  expect(await ground.left()).toEqual([`${prefix}/${name}`])
  const unknown = command('dst_nothing', sum, file)
  expect([unknown.status, unknown.stderr]).toEqual([
    1,
    expect.stringMatching(/no backup destination dst_nothing.*dst_/s),
  ])
  const wrong = command(destinationId, '0'.repeat(64), file)
  expect([wrong.status, wrong.stderr]).toEqual([
    1,
    expect.stringMatching(/not the file whose checksum.*Make the backup/s),
  ])
  expect(await ground.left()).toEqual([`${prefix}/${name}`])
})

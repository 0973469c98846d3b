import { expect, test } from 'vitest'
import { createDatabase } from '../../../test-kit/database.ts'
import { SECRET_KEY, startProcess } from '../../../test-kit/server-process.ts'
import { parseKeyRing } from '../../src/drivers/crypto/key-ring.ts'

const OTHER = Buffer.from(SECRET_KEY, 'hex').reverse().toString('hex')
const idOf = (ring: string) => parseKeyRing(ring).ids[0] ?? ''

test('a process that could not open what is stored ends with 1, names the key, and has changed nothing', async () => {
  const database = await createDatabase()
  const env = { SLIPWAY_DATABASE_URL: database.url }
  const first = startProcess(env)
  await first.ready()
  await first.end()
  const keys = async () => (await database.pool.query('select id from sealing_key')).rows.map(({ id }) => id)
  expect(await keys()).toEqual([idOf(SECRET_KEY)])

  const wrong = startProcess({ ...env, SLIPWAY_SECRET_KEY: OTHER })
  expect(await wrong.ended).toMatchObject({ code: 1 })
  expect(wrong.said()).toContain(`key ${idOf(SECRET_KEY)}, which is not in SLIPWAY_SECRET_KEY`)
  expect(wrong.said()).not.toContain(OTHER)
  await wrong.end()
  expect(await keys()).toEqual([idOf(SECRET_KEY)])

  const both = startProcess({ ...env, SLIPWAY_SECRET_KEY: `${OTHER},${SECRET_KEY}` })
  await both.ready()
  await both.end()
  expect((await keys()).sort()).toEqual([idOf(SECRET_KEY), idOf(OTHER)].sort())
  await database.drop()
}, 120_000)

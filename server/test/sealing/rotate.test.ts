import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { startWorld } from '../../../test-kit/world.ts'
import { SEALED_COLUMNS } from '../../src/core/sealing/columns.ts'
import { claimKeys, sayInUse } from '../../src/core/sealing/keys-in-use.ts'
import { beginRotation, continueRotation, rotateOnce } from '../../src/core/sealing/rotate.ts'
import { parseKeyRing } from '../../src/drivers/crypto/key-ring.ts'

const world = await startWorld()
const { db, pool } = world.platform
const old = world.platform.keys
const OLD = '8f1c0de27a5b93c4d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8090a1b2c3d'
const fresh = randomBytes(32).toString('hex')
const both = parseKeyRing(`${fresh},${OLD}`)
const onlyNew = parseKeyRing(fresh)
const [oldId = '', newId = ''] = [old.ids[0], both.ids[0]]
const signal = new AbortController().signal
const org = await world.org()

/** As if all processes had been restarted a while ago. */
const allQuiet = () => pool.query(`update sealing_key set used_at = now() - interval '1 hour'`)
const idsInUse = async () => (await pool.query('select id from sealing_key order by id')).rows.map(({ id }) => id)

/** Until a query waits for a row that somebody holds. */
const someoneWaits = () =>
  expect
    .poll(async () => {
      const { rows } = await pool.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows.length
    })
    .toBe(1)

/** Rows with something in each sealed column, put there without minding what else belongs to them. */
async function plant(rows: number): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('set session_replication_role = replica')
    for (const [table, columns] of Object.entries(Object.groupBy(SEALED_COLUMNS, (column) => column.table))) {
      await client.query(`delete from ${table}`)
      const required = await client.query(
        `select column_name as name, data_type as type from information_schema.columns where table_schema = 'public'
         and table_name = $1 and is_nullable = 'NO' and column_default is null and is_identity = 'NO'`,
        [table],
      )
      for (let n = 0; n < rows; n++) {
        const filled: Record<string, unknown> = Object.fromEntries(
          required.rows.map(({ name, type }) => [name, filler(type, n)]),
        )
        Object.assign(filled, CHOSEN[table])
        for (const column of columns ?? []) Object.assign(filled, sealedFor(column, n, filled[column.column]))
        const names = Object.keys(filled)
        const places = names.map((_, i) => `$${i + 1}`).join(', ')
        await client.query(`insert into ${table} (${names.join(', ')}) values (${places})`, Object.values(filled))
      }
    }
  } finally {
    client.release(true)
  }
}

type Column = (typeof SEALED_COLUMNS)[number]
const idsOf = ({ key }: Column, n: number) => key.map((name) => `${name}-${String(n).padStart(6, '0')}`)

/** The columns of the key, and the sealed one; a JSON column keeps what it has already. */
function sealedFor(column: Column, n: number, before: unknown): Record<string, unknown> {
  const ids = idsOf(column, n)
  const value = old.seal(`secret ${n}`, column.place(...ids))
  const keyed = Object.fromEntries(column.key.map((name, i) => [name, ids[i]]))
  if (column.member === undefined) return { ...keyed, [column.column]: value }
  const members = { ...(typeof before === 'string' && JSON.parse(before)), [column.member]: value }
  return { ...keyed, [column.column]: JSON.stringify(members) }
}

/** What a row must have to be one. */
const CHOSEN: Record<string, object> = {
  server: { kind: 'ssh' },
  variable: { scope: 'all' },
  backup_destination: { kind: 'local' },
  githost_account: { kind: 'oauth' },
  githost_attempt: { kind: 'device' },
  deployment: { status: 'failed', trigger: 'manual' },
  project: { git_credential_shown: '{}' },
}

const filler = (type: string, n: number) => {
  if (type === 'jsonb') return '{}'
  if (type === 'bytea') return Buffer.from(String(n))
  if (type === 'integer' || type === 'bigint') return n
  return type.startsWith('timestamp') ? new Date() : `filler ${n}`
}

/** Every sealed text of the whole database, wherever it lies. */
async function sealedTexts(): Promise<string[]> {
  const { rows } = await pool.query(
    `select query_to_xml(format('select * from %I', relname), true, false, '')::text as all from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  )
  return rows.flatMap(({ all }) => all.match(/v1\.[0-9a-f]{8}\.[\w-]+/g) ?? [])
}

async function opened(column: Column, n: number): Promise<string> {
  const ids = idsOf(column, n)
  const where = column.key.map((name, i) => `${name} = $${i + 1}`).join(' and ')
  const what = column.member === undefined ? column.column : `${column.column} ->> '${column.member}'`
  const { rows } = await pool.query(`select ${what} as value from ${column.table} where ${where}`, ids)
  return onlyNew.open(rows[0].value, column.place(...ids))
}

beforeEach(async () => {
  await pool.query('delete from sealing_key')
  await claimKeys({ db, keys: old })
})

describe('a process whose ring lacks a key that values are sealed with', () => {
  test('does not start, and says what to do', async () => {
    await expect(claimKeys({ db, keys: onlyNew })).rejects.toThrow(
      `sealed with key ${oldId}, which is not in SLIPWAY_SECRET_KEY`,
    )
    expect(await idsInUse()).toEqual([oldId])
  })

  test('starts with both, and still cannot do without the old one', async () => {
    await claimKeys({ db, keys: both })
    expect(await idsInUse()).toEqual([oldId, newId].sort())
    await expect(claimKeys({ db, keys: onlyNew })).rejects.toThrow(oldId)
  })
})

describe('a rotation', () => {
  const parts = { db, keys: both }

  test('seals every value of every column anew; then the old key is not needed', async () => {
    await plant(1)
    await claimKeys(parts)
    await beginRotation(parts)
    await allQuiet()
    const { done, gone, unreadable } = await rotateOnce(parts, signal)
    expect([done, gone, unreadable]).toEqual([SEALED_COLUMNS.length, [oldId], []])
    expect(new Set((await sealedTexts()).map((text) => text.split('.')[1]))).toEqual(new Set([newId]))
    for (const column of SEALED_COLUMNS) expect(await opened(column, 0)).toBe('secret 0')
    await claimKeys({ db, keys: onlyNew })
  })

  test('goes through pages, is cut off and goes on, and run again does nothing', async () => {
    await plant(600)
    await beginRotation(parts)
    const cut = new AbortController()
    const cutting = rotateOnce(parts, cut.signal, () => cut.abort(new Error('killed')))
    await expect(cutting).rejects.toThrow('killed')
    // One more behind a page that is done.
    const behind = old.seal('secret 599', 'variable/id-000599/value')
    await pool.query('update variable set value = $1 where id = $2', [behind, 'id-000599'])
    const left = (await sealedTexts()).filter((text) => text.split('.')[1] === oldId)
    expect(left.length).toBeGreaterThan(0)
    await allQuiet()
    const rest = await rotateOnce(parts, signal)
    expect([rest.done, rest.gone]).toEqual([left.length, [oldId]])
    expect((await rotateOnce(parts, signal)).done).toBe(0)
  })

  test('keeps a key that a process still seals with, until that one has gone', async () => {
    await plant(1)
    await claimKeys(parts)
    await beginRotation(parts)
    await sayInUse({ db, keys: old })
    expect(await rotateOnce(parts, signal)).toMatchObject({ gone: [], used: [oldId] })
    expect(await idsInUse()).toContain(oldId)
    await allQuiet()
    expect(await rotateOnce(parts, signal)).toMatchObject({ gone: [oldId], used: [] })
  })

  test.each([
    ['used', 'used_at = now()'],
    ['put in front again', 'retiring_since = null'],
  ])('keeps a key that is %s while the pass is under way', async (_, change) => {
    await plant(0)
    await claimKeys(parts)
    await beginRotation(parts)
    await allQuiet()
    const client = await pool.connect()
    await client.query('begin')
    await client.query(`update sealing_key set ${change} where id = $1`, [oldId])
    const rotating = rotateOnce(parts, signal)
    await someoneWaits()
    await client.query('commit')
    client.release()
    expect((await rotating).gone).toEqual([])
    expect(await idsInUse()).toContain(oldId)
  })

  test('is not held up by a process that starts with both keys', async () => {
    await plant(0)
    await claimKeys(parts)
    await beginRotation(parts)
    await claimKeys(parts)
    await allQuiet()
    expect((await rotateOnce(parts, signal)).gone).toEqual([oldId])
  })

  test('leaves a value as it is that somebody has changed since it was read', async () => {
    await plant(1)
    await beginRotation(parts)
    const client = await pool.connect()
    await client.query('begin')
    await client.query('update variable set value = $1', [old.seal('newer', 'variable/id-000000/value')])
    const rotating = rotateOnce(parts, signal)
    await someoneWaits()
    await client.query('commit')
    client.release()
    await rotating
    const { value } = (await pool.query('select value from variable')).rows[0]
    expect(old.open(value, 'variable/id-000000/value')).toBe('newer')
  })

  test.each([
    ['id-000000', 'id-000001'],
    ['id-000001', 'id-000000'],
  ])('is tried again when others lock the same rows in another order: %s, %s', async (first, second) => {
    await plant(2)
    await beginRotation(parts)
    const client = await pool.connect()
    await client.query('begin')
    // Whoever looks first for such a knot is the one that gives way.
    await client.query(`set local deadlock_timeout = '60s'`)
    const lock = (id: string) => client.query('select 1 from variable where id = $1 for update', [id])
    await lock(first)
    const rotating = rotateOnce(parts, signal)
    await someoneWaits()
    await lock(second)
    await client.query('commit')
    client.release()
    expect((await rotating).done).toBe(SEALED_COLUMNS.length * 2)
  })

  test('does not take away a key that a process has begun to seal with again', async () => {
    await plant(0)
    await claimKeys(parts)
    await beginRotation(parts)
    await claimKeys({ db, keys: parseKeyRing(`${OLD},${fresh}`) })
    await allQuiet()
    expect(await rotateOnce(parts, signal)).toMatchObject({ gone: [], used: [] })
    expect(await idsInUse()).toContain(oldId)
  })

  test('keeps a key while a value cannot be opened, and says which', async () => {
    await plant(1)
    await pool.query(`update variable set value = 'v1.00000000.AAAA'`)
    await beginRotation(parts)
    await allQuiet()
    const { gone, unreadable } = await rotateOnce(parts, signal)
    expect([gone, unreadable]).toEqual([[], ['variable.value of id-000000']])
  })

  test('is finished by a worker when the command that began it has gone', async () => {
    await plant(1)
    await claimKeys(parts)
    await continueRotation(parts, signal)
    expect(await idsInUse()).toContain(oldId)
    await beginRotation(parts)
    await allQuiet()
    await continueRotation({ db, keys: old }, signal)
    expect(await idsInUse()).toContain(oldId)
    await continueRotation(parts, signal)
    expect(await idsInUse()).toEqual([newId])
  })

  test('never undoes what somebody writes at the same moment, and everything can be read throughout', async () => {
    await plant(0)
    const { id } = (await org.owner.api('POST', '/api/projects', { name: 'busy' })).body
    const set = (n: number) =>
      org.owner.api('PUT', `/api/projects/${id}/variables`, {
        variables: Array.from({ length: 50 }, (_, i) => ({ name: `V${i}`, value: `value ${n}` })),
      })
    await beginRotation(parts)
    const stop = new AbortController()
    const rotating = (async () => {
      while (!stop.signal.aborted) await rotateOnce(parts, signal)
    })()
    for (let n = 0; n < 20; n++) {
      // Every other one by a process that still seals with the old key.
      world.platform.keys = n % 2 === 0 ? parseKeyRing(`${OLD},${fresh}`) : both
      expect((await set(n)).status).toBe(200)
      const { variables } = (await org.owner.api('POST', `/api/projects/${id}/variables/reveal`)).body
      expect(new Set(variables.map(({ value }: { value: string }) => value))).toEqual(new Set([`value ${n}`]))
    }
    stop.abort()
    await rotating
    world.platform.keys = old
  })
})

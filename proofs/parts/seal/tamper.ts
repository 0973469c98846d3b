import { SEALED_COLUMNS } from '../../../server/src/core/sealing/columns.ts'
import { type KeyRing, parseKeyRing } from '../../../server/src/drivers/crypto/key-ring.ts'
import type { TestDatabase } from '../../../test-kit/database.ts'

export type Tampered = { columns: number; tried: number; opened: string[] }

/** Takes sealed values of every column as they are stored, and tries to open what was made of them. */
export async function tamper(database: TestDatabase, ring: string, otherRing: string): Promise<Tampered> {
  const [keys, others] = [parseKeyRing(ring), parseKeyRing(otherRing)]
  const told: Tampered = { columns: 0, tried: 0, opened: [] }
  for (const sealed of SEALED_COLUMNS) {
    const { table, column, place } = sealed
    const rows = await valuesOf(database, sealed, 5)
    if (rows.length > 0) told.columns++
    for (const { ids, value } of rows) {
      keys.open(value, place(...ids))
      const elsewhere = [place(...ids.map((id) => `${id}x`)), `${place(...ids)}x`, 'variable/var_1/value']
      const attempts: [string, () => string][] = [
        ...elsewhere.map((at): [string, () => string] => ['moved', () => keys.open(value, at)]),
        ...broken(value).map(([how, text]): [string, () => string] => [how, () => keys.open(text, place(...ids))]),
        ['dropped key', () => others.open(value, place(...ids))],
      ]
      for (const [how, open] of attempts) {
        told.tried++
        if (opens(open)) told.opened.push(`${table}.${column}: ${how}`)
      }
    }
  }
  return told
}

/** Opens every sealed value there is, not some: one that was sealed wrongly is lost for good. */
export async function openAll(database: TestDatabase, ring: string): Promise<{ values: number; shut: string[] }> {
  const keys = parseKeyRing(ring)
  const told = { values: 0, shut: [] as string[] }
  for (const sealed of SEALED_COLUMNS) {
    for (const { ids, value } of await valuesOf(database, sealed)) {
      told.values++
      if (!opens(() => keys.open(value, sealed.place(...ids))))
        told.shut.push(`${sealed.table}.${sealed.column} ${ids}`)
    }
  }
  return told
}

type Sealed = (typeof SEALED_COLUMNS)[number]

async function valuesOf(database: TestDatabase, { table, key, column, member }: Sealed, most = 1_000_000) {
  const sealed = member === undefined ? column : `${column} ->> '${member}'`
  const { rows } = await database.pool.query<{ ids: string[]; value: string }>(
    `select array[${key.map((name) => `${name}::text`).join(', ')}] as ids, ${sealed} as value from ${table}
     where ${sealed} is not null limit ${most}`,
  )
  return rows
}

function opens(open: () => string): boolean {
  try {
    open()
    return true
  } catch {
    return false
  }
}

const SALT_AND_NONCE = 28
const TAG = 16

/** Flipped bytes in every part, tags of every shorter length, and other ways to write the same bytes. */
function broken(value: string): [string, string][] {
  const [form = '', id = '', payload = ''] = value.split('.')
  const bytes = Buffer.from(payload, 'base64url')
  const written = (changed: Buffer) => `${form}.${id}.${changed.toString('base64url')}`
  const flipped = Array.from({ length: Math.min(bytes.length, 120) }, (_, i): [string, string] => {
    const changed = Buffer.from(bytes)
    changed[i] = (changed[i] ?? 0) ^ (1 << (i % 8))
    return ['flipped byte', written(changed)]
  })
  const shortTags = Array.from({ length: TAG }, (_, left): [string, string] => {
    const tag = bytes.subarray(SALT_AND_NONCE, SALT_AND_NONCE + left)
    return [
      'short tag',
      written(Buffer.concat([bytes.subarray(0, SALT_AND_NONCE), tag, bytes.subarray(SALT_AND_NONCE + TAG)])),
    ]
  })
  return [
    ...flipped,
    ...shortTags,
    ['cut short', written(bytes.subarray(0, -1))],
    ['padded', `${value}=`],
    ['empty', written(Buffer.alloc(0))],
  ]
}

export const idOf = (ring: string): string => (parseKeyRing(ring) as KeyRing).ids[0] ?? ''

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../../server/src/db/ids.ts'
import { parseKeyRing } from '../../../server/src/drivers/crypto/key-ring.ts'
import { builtServer } from '../../../test-kit/built-server.ts'
import type { TestDatabase } from '../../../test-kit/database.ts'
import type { Site } from '../../../test-kit/site.ts'
import { idOf } from './tamper.ts'

/** Runs the server's program with another key ring, as an operator would. */
export function program(site: Site, ring: string, ...argv: string[]) {
  const [node, main] = builtServer()
  const child: ChildProcess = spawn(node, [main, ...argv], {
    env: {
      PATH: process.env.PATH ?? '',
      SLIPWAY_DATABASE_URL: site.databaseUrl,
      SLIPWAY_SECRET_KEY: ring,
      SLIPWAY_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += chunk))
  process.once('exit', () => child.kill('SIGKILL'))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, said }))
  const late = AbortSignal.timeout(300_000)
  late.addEventListener('abort', () => child.kill('SIGKILL'))
  return { child, ended }
}

/** Many more values than a moment is enough for, so that there is a middle in which to be killed. */
export async function plantMany({ pool }: TestDatabase, site: Site, ring: string, count: number): Promise<string> {
  const keys = parseKeyRing(ring)
  const project = await site.project('many')
  const rows = Array.from({ length: count }, (_, n) => {
    const id = newId('var')
    return { id, name: `V${n}`, value: keys.seal(`value ${n}`, `variable/${id}/value`) }
  })
  await pool.query(
    `insert into variable (id, project_id, org_id, name, scope, value)
     select id, $1, $2, name, 'all', value from unnest($3::text[], $4::text[], $5::text[]) as made (id, name, value)`,
    [project, site.orgId, rows.map(({ id }) => id), rows.map(({ name }) => name), rows.map(({ value }) => value)],
  )
  return project
}

/** Which of them do not say any more what was sealed. */
export async function manyWrong({ pool }: TestDatabase, project: string, ring: string): Promise<string[]> {
  const keys = parseKeyRing(ring)
  const { rows } = await pool.query<{ id: string; name: string; value: string }>(
    'select id, name, value from variable where project_id = $1',
    [project],
  )
  return rows
    .filter(({ id, name, value }) => keys.open(value, `variable/${id}/value`) !== `value ${name.slice(1)}`)
    .map(({ name }) => `${name} is another`)
}

export const sealedWith = async ({ pool }: TestDatabase, ring: string): Promise<number> => {
  const { rows } = await pool.query(`select count(*)::int as n from variable where left(value, 12) = $1`, [
    `v1.${idOf(ring)}.`,
  ])
  return rows[0].n
}

/** Kills a rotation when it has done some, but not all; says how far it was. */
export async function killHalfway(database: TestDatabase, site: Site, ring: string, newKey: string, all: number) {
  const { child, ended } = program(site, ring, 'admin', 'keys', 'rotate')
  const until = Date.now() + 60_000
  let done = 0
  while (done < all / 20 && Date.now() < until) {
    done = await sealedWith(database, newKey)
    if (done < all / 20) await pause(5)
  }
  child.kill('SIGKILL')
  await ended
  return sealedWith(database, newKey)
}

/** Looks again and again while something goes on: whatever is sealed must be readable at every moment. */
export function keepReading(read: () => Promise<string[]>) {
  const told = { times: 0, faults: [] as string[] }
  const stop = new AbortController()
  const reading = (async () => {
    while (!stop.signal.aborted) {
      told.faults.push(...(await read().catch((error) => [String(error)])))
      told.times++
    }
  })()
  return async () => {
    stop.abort()
    await reading
    return told
  }
}

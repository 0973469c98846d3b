import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../../server/src/db/ids.ts'
import { parseKeyRing } from '../../../server/src/drivers/crypto/key-ring.ts'
import type { ProofDatabase } from '../database.ts'
import type { Site } from '../site.ts'
import { idOf } from './tamper.ts'

const main = join(resolve(import.meta.dirname, '../../..'), 'server/dist/main.js')

/** Runs the server's program with another key ring, as an operator would. */
export function program(site: Site, ring: string, ...argv: string[]) {
  const child: ChildProcess = spawn(process.execPath, [main, ...argv], {
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
export async function plantMany({ pool }: ProofDatabase, site: Site, ring: string, count: number): Promise<string> {
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

/** What only a CA gives, and the lab has none here: an account and a certificate, as they are kept. */
export async function plantCertificate({ pool }: ProofDatabase, site: Site, ring: string, secrets: [string, string]) {
  const keys = parseKeyRing(ring)
  const project = await site.project('certified')
  const account = newId('acc')
  await pool.query('insert into acme_account (id, directory_url, key_sealed) values ($1, $2, $3)', [
    ...[account, 'https://ca.invalid/directory'],
    keys.seal(secrets[0], `acme_account/${account}/key`),
  ])
  await site.ask('POST', `/api/projects/${project}/domains`, { host: 'seal.example.com' })
  const { rows } = await pool.query<{ id: string }>(
    `update certificate set look_at = now() + interval '1 day' where project_id = $1 returning id`,
    [project],
  )
  const id = rows[0]?.id ?? ''
  const sealed = keys.seal(secrets[1], `certificate/${id}/pem`)
  await pool.query('update certificate set pem_sealed = $2 where id = $1', [id, sealed])
}

export const sealedWith = async ({ pool }: ProofDatabase, ring: string): Promise<number> => {
  const { rows } = await pool.query(`select count(*)::int as n from variable where left(value, 12) = $1`, [
    `v1.${idOf(ring)}.`,
  ])
  return rows[0].n
}

/** Kills a rotation when it has done some, but not all; says how far it was. */
export async function killHalfway(database: ProofDatabase, site: Site, ring: string, newKey: string, all: number) {
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

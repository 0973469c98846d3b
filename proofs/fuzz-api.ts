import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSite } from '../test-kit/site.ts'
import { chosen, size } from './ledger/sizes.ts'
import { fuzzApi } from './parts/fuzz/api.ts'
import { fuzzWorld } from './parts/fuzz/world.ts'

export const claim = 'every text field of the API takes hostile text as text, or refuses it by name'
export const kind = 'story'
export const quick = true

/**
 * Nobody is asked where these names lead: there is no name server at that port, and the machine's own gets little time. Local backups
 * are allowed, below the example.
 * Requests come from many addresses, because some routes take only so many from one.
 */
const ENV = {
  SLIPWAY_TRUST_PROXY: '127.0.0.1',
  SLIPWAY_DNS_SERVERS: '127.0.0.1:9',
  RES_OPTIONS: 'timeout:1 attempts:1',
  BACKUP_ALLOW_LOCAL_DESTINATION: 'true',
  BACKUP_LOCAL_ROOT: '/srv/backups',
}
const RUNS = size('SLIPWAY_FUZZ_RUNS', 25)

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const seed = Number(chosen('SLIPWAY_FUZZ_SEED') ?? (process.env.CI === 'true' ? 1 : randomBytes(4).readInt32BE()))
  const canary = join(tmpdir(), `canary-${randomBytes(6).toString('hex')}`)
  const site = await openSite({ name: 'fuzzapi', env: ENV })
  try {
    const ids = await fuzzWorld(site)
    const tally = await fuzzApi({ at: { url: site.base(), token: site.token }, ids, canary, runs: RUNS, seed })
    for (const fault of tally.faults) console.log(`  ${fault}`)
    const { fields, sent, accepted, refused, slowestMs, faults } = tally
    const ok = faults.length === 0 && !existsSync(canary)
    const figure = `${faults.length} faults in ${sent} requests to ${fields} fields (seed ${seed}): ${accepted} taken and shown again, ${refused} refused by name, the slowest answer after ${Math.round(slowestMs)} ms`
    return { ok, figure }
  } finally {
    await site.close()
  }
}

import { createHash, randomFillSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chosen, size } from './ledger/sizes.ts'
import { type Cuts, cutOff, killOff } from './parts/storage/cuts.ts'
import { type Kind, kinds } from './parts/storage/kinds.ts'
import { listing } from './parts/storage/listing.ts'
import { LEAST_RATIO, type Pace, transfer } from './parts/storage/transfer.ts'

export const claim =
  'Archives go to S3, SFTP, a local folder and a server of ours at 70 % of the native tool or more, in under 250 MB, and an interrupted one leaves nothing.'
export const kind = 'figure'
export const quick = false

// Smaller while working on it; the claim is about these.
const GIB = size('STORAGE_GIB', 4)
const CUTS = size('STORAGE_CUTS', 20)
const OBJECTS = size('STORAGE_OBJECTS', 100_000)
const KINDS = (chosen('STORAGE_KINDS') ?? Object.keys(kinds).join()).split(',')
const MOST_RSS_MB = 250
/** What listing may take on top of the process that does it. */
const MOST_GROWTH_MB = 150

let missed = 0
function check(what: string, ok: boolean): void {
  console.log(`  ${ok ? 'ok    ' : 'MISSED'} ${what}`)
  if (!ok) missed += 1
}

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const scratch = mkdtempSync(join(tmpdir(), 'slipway-archive-'))
  try {
    const file = await makeFile(join(scratch, 'large.tar'), Math.round(GIB * 1024 ** 3))
    const figures: string[] = []
    for (const name of KINDS) {
      const kind = await kinds[name]?.()
      if (!kind) throw new Error(`there is no kind ${name}`)
      try {
        figures.push(await proveKind(kind, file))
      } finally {
        await kind.ground.remove()
      }
    }
    return { ok: missed === 0, figure: `${GIB} GiB each way, SHA-256 equal: ${figures.join('; ')}` }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function proveKind(kind: Kind, file: { path: string; bytes: number; sha256: string }): Promise<string> {
  const { name } = kind
  const moved = await transfer(kind, file)
  check(`${name}: ${GIB} GiB come back with the same SHA-256`, moved.same)
  check(`${name}: up ${words(moved.up)}`, moved.up.ratio >= LEAST_RATIO)
  check(`${name}: down ${words(moved.down)}`, moved.down.ratio >= LEAST_RATIO)
  check(`${name}: at most ${moved.peakMb.toFixed(0)} MB of memory`, moved.peakMb < MOST_RSS_MB)
  await kind.ground.empty()
  if (kind.ground.reached) report(`${name}: the connection cut`, await cutOff(kind, file.path, CUTS))
  report(`${name}: the process killed`, await killOff(kind, file.path, CUTS))
  const { count, seconds, peakMb, beforeMb } = await listing(kind, OBJECTS)
  check(`${name}: ${count} of ${OBJECTS} objects listed in order in ${seconds.toFixed(1)} s`, count === OBJECTS)
  const grown = peakMb - beforeMb
  check(
    `${name}: listing took ${grown.toFixed(0)} MB on top, ${peakMb.toFixed(0)} MB in all`,
    peakMb < MOST_RSS_MB && grown < MOST_GROWTH_MB,
  )
  const rates = `${moved.up.ours.toFixed(0)}/${moved.down.ours.toFixed(0)} MB/s`
  const ratios = `${moved.up.ratio.toFixed(2)}/${moved.down.ratio.toFixed(2)} of native`
  return `${name} ${rates} (${ratios}), ${moved.peakMb.toFixed(0)} MB`
}

const words = ({ ours, native, ratio }: Pace) =>
  `${ours.toFixed(0)} MB/s, the native tool ${native.toFixed(0)} MB/s: ${ratio.toFixed(2)}`

function report(what: string, { tries, carriedOn, ended, seen, orphans, swept }: Cuts): void {
  const told = `${ended} ended, ${carriedOn} carried on, ${swept} leftovers swept`
  check(`${what} ${tries} times (${told}): ${seen} half-written objects seen`, seen === 0)
  check(`${what}: ${orphans} orphans left`, orphans === 0)
}

async function makeFile(path: string, bytes: number) {
  console.log(`  making a file of ${GIB} GiB`)
  const file = await open(path, 'w')
  const hash = createHash('sha256')
  const chunk = Buffer.alloc(4 * 1024 * 1024)
  for (let left = bytes; left > 0; left -= chunk.length) {
    randomFillSync(chunk)
    const some = chunk.subarray(0, Math.min(left, chunk.length))
    hash.update(some)
    await file.write(some)
  }
  await file.close()
  return { path, bytes, sha256: hash.digest('hex') }
}

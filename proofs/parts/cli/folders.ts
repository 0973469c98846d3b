import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { size } from '../../ledger/sizes.ts'
import type { Check } from './checks.ts'
import { slowLine } from './line.ts'
import { jsonOf, type Machine, runCli } from './run-cli.ts'
import { sendArchive } from './send-archive.ts'

const FILES = 2001
const MANY = size('SLIPWAY_CLI_FILES', 50_000)
const LARGE_MB = size('SLIPWAY_CLI_LARGE_MB', 2048)
const CUTS = size('SLIPWAY_CLI_CUTS', 20)
const EACH_WAY_MS = 20
const MOST_CPU_MS = 500
const MOST_RATIO = 1.5
const ROUNDS = 3
const MOST_MB = 150

type World = { machine: Machine; server: { host: string; port: number }; token: string }

/** A folder of so many files, of which none is like another. */
function folderOf(files: number, bytes: number, deep = 40): string {
  const root = mkdtempSync(join(tmpdir(), 'slipway-folder-'))
  for (let n = 0; n < files; n++) {
    const folder = join(root, `part-${n % deep}`)
    if (n < deep) mkdirSync(folder)
    writeFileSync(join(folder, `file-${n}.bin`), randomBytes(bytes))
  }
  return root
}

/** Sends it. Without a server of its own the organization deploys nothing: what is refused is the deployment, after the upload. */
async function send(machine: Machine, folder: string, url?: string) {
  const env = { ...machine.env, ...(url !== undefined && { SLIPWAY_URL: url }) }
  const ended = await runCli({ ...machine, env }, ['deploy', folder, '-p', 'folders', '--no-color'])
  const sent = /✓ ([\d,]+) files? sent/.exec(ended.err)?.[1]?.replaceAll(',', '')
  const blobs = ended.err.includes('Nothing changed since the last upload')
    ? 0
    : sent === undefined
      ? null
      : Number(sent)
  return { ...ended, blobs, isThrough: ended.err.includes('There is no server yet.') }
}

export async function folders(check: Check, world: World): Promise<string> {
  const { ratio, folder } = await againstArchive(check, world)
  try {
    await send(world.machine, folder)
    const again = await send(world.machine, folder)
    check(
      `unchanged: ${again.blobs} sent, ${again.cpuMs.toFixed(0)} ms of the processor; at most ${MOST_CPU_MS}`,
      again.isThrough && again.blobs === 0 && again.cpuMs <= MOST_CPU_MS,
    )
    return `${FILES} files ${ratio.toFixed(2)} of one archive, unchanged ${again.blobs} sent and ${again.cpuMs.toFixed(0)} ms`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Files that nobody has seen, in turns as an archive and one by one: of either the fastest counts, as a machine has its moods. */
async function againstArchive(check: Check, { server, token, machine }: World) {
  const fastest = { archive: Number.POSITIVE_INFINITY, files: Number.POSITIVE_INFINITY }
  const line = await slowLine(server, EACH_WAY_MS)
  let folder = ''
  for (let round = 1; round <= ROUNDS; round++) {
    const packed = folderOf(FILES, 8_700)
    fastest.archive = Math.min(fastest.archive, await sendArchive(line.url, token, packed))
    rmSync(packed, { recursive: true, force: true })
    if (folder !== '') rmSync(folder, { recursive: true, force: true })
    folder = folderOf(FILES, 8_700)
    const sent = await send(machine, folder, line.url)
    fastest.files = Math.min(fastest.files, sent.ms)
    check(
      `${FILES} files over a line of ${2 * EACH_WAY_MS} ms: ${sent.blobs} sent in ${seconds(sent.ms)}`,
      sent.isThrough && sent.blobs === FILES,
    )
  }
  line.close()
  const ratio = fastest.files / fastest.archive
  check(
    `that is ${ratio.toFixed(2)} of one archive, which takes ${seconds(fastest.archive)}; at most ${MOST_RATIO}`,
    ratio <= MOST_RATIO,
  )
  return { ratio, folder }
}

export async function memory(check: Check, { machine }: World): Promise<string> {
  const many = folderOf(MANY, 120, 500)
  const sent = await send(machine, many)
  check(
    `${MANY} files: ${sent.blobs} sent with ${sent.peakMb.toFixed(0)} MB; at most ${MOST_MB}`,
    sent.isThrough && sent.peakMb <= MOST_MB,
  )
  rmSync(many, { recursive: true, force: true })
  const large = folderOf(1, 8)
  truncateSync(join(large, 'part-0/file-0.bin'), LARGE_MB * 1024 * 1024)
  const one = await send(machine, large)
  check(
    `a file of ${LARGE_MB} MB: ${one.blobs} sent with ${one.peakMb.toFixed(0)} MB; at most ${MOST_MB}`,
    one.isThrough && one.peakMb <= MOST_MB,
  )
  rmSync(large, { recursive: true, force: true })
  return `${MANY} files in ${sent.peakMb.toFixed(0)} MB, ${LARGE_MB} MB in ${one.peakMb.toFixed(0)} MB`
}

/** The line is cut at a random byte, once for each new folder: the command goes on by itself, and nothing is sent twice that arrived. */
export async function cuts(check: Check, world: World): Promise<string> {
  const files = 300
  const bytes = 20_000
  let through = 0
  let most = 0
  for (let n = 0; n < CUTS; n++) {
    const folder = folderOf(files, bytes)
    const line = await slowLine(world.server, 1)
    line.cutAfter(randomInt(1, files * bytes))
    const ended = await send(world.machine, folder, line.url)
    if (ended.isThrough && (await send(world.machine, folder)).blobs === 0) through += 1
    most = Math.max(most, line.sent() / (files * bytes))
    line.close()
    rmSync(folder, { recursive: true, force: true })
  }
  check(
    `cut at ${CUTS} random points: ${through} came through, at most ${most.toFixed(2)} of the contents went up`,
    through === CUTS && most < 1.6,
  )
  return `${through} of ${CUTS} cut uploads came through`
}

/** A file that never rests is never deployed half: it is sent as it once was, or nothing is. */
const RESTLESS = `
const { parentPort, workerData } = require('node:worker_threads')
const { randomFillSync } = require('node:crypto')
const { writeFileSync } = require('node:fs')
for (const bytes = Buffer.alloc(3_000_000); ; parentPort.postMessage('written')) writeFileSync(workerData, randomFillSync(bytes))
`

export async function changing(check: Check, { machine }: World): Promise<string> {
  const folder = folderOf(1, 3_000_000)
  const file = join(folder, 'part-0/file-0.bin')
  // A thread of its own: one that waits for its turn in this process leaves the file alone for long enough.
  const writing = new Worker(RESTLESS, { eval: true, workerData: file })
  // Sending it takes less time than a thread takes to begin.
  await once(writing, 'message')
  const ended = await runCli(machine, ['deploy', folder, '-p', 'folders', '--json'])
  await writing.terminate()
  const { code } = jsonOf(ended)
  check(
    `a file that changes while it is sent: ${String(code)}, exit code ${ended.code}`,
    code === 'file_changing' && ended.code === 1,
  )
  rmSync(folder, { recursive: true, force: true })
  return code === 'file_changing' ? 'a file that never rests is refused' : `a file that never rests: ${String(code)}`
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

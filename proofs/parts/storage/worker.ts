import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { StorageOpener, StoragePlace } from '../../../server/src/drivers/storage/storage.ts'

// A process of its own with the built drivers, as a server has them. Reads one task from its input, prints one answer.

export type Task = { place: StoragePlace } & (
  | { verb: 'put'; key: string; file: string; bytes?: number }
  | { verb: 'get'; key: string; into?: string; sha256?: string }
  | { verb: 'list'; limit: number }
  | { verb: 'sweep' }
)
export type Answer = { seconds: number; peakMb: number; beforeMb: number; bytes: number; sha256: string; count: number }

const built = new URL('../../../server/dist/drivers/storage/open.js', import.meta.url)
const { signal } = new AbortController()

async function work(task: Task): Promise<Pick<Answer, 'bytes' | 'sha256' | 'count'>> {
  const { storageOpener } = (await import(built.href)) as { storageOpener: StorageOpener }
  const storage = await storageOpener.open(task.place, { signal })
  try {
    if (task.verb === 'sweep') {
      const count = await storage.sweep({ signal, olderThan: new Date(Date.now() + 60_000) })
      return { bytes: 0, sha256: '', count }
    }
    if (task.verb === 'put') {
      const source = createReadStream(task.file, {
        highWaterMark: 256 * 1024,
        end: (task.bytes ?? Number.POSITIVE_INFINITY) - 1,
      })
      return { ...(await storage.put(task.key, source, { signal })), count: 1 }
    }
    if (task.verb === 'get') {
      const checks = task.sha256 === undefined ? {} : { sha256: task.sha256 }
      return await bringBack(await storage.get(task.key, { signal, ...checks }), task.into)
    }
    let count = 0
    let last = Buffer.alloc(0)
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await storage.list('', { signal, limit: task.limit, ...(cursor && { cursor }) })
      for (const { key } of page.objects) {
        const name = Buffer.from(key)
        if (Buffer.compare(last, name) >= 0) throw new Error(`${key} is listed out of order`)
        last = name
        count += 1
      }
      cursor = page.cursor
    }
    return { bytes: 0, sha256: '', count }
  } finally {
    storage.close()
  }
}

const SYNC_EVERY = 64 * 1024 * 1024

/** As a restore would: into a file, brought to the disk. The driver makes the sum; into nowhere, it is made here. */
async function bringBack(stream: AsyncIterable<Buffer>, path: string | undefined) {
  const file = await open(path ?? '/dev/null', 'w')
  const hash = path === undefined ? createHash('sha256') : undefined
  let bytes = 0
  let synced = 0
  let syncing: Promise<void> = Promise.resolve()
  for await (const chunk of stream) {
    const written = file.write(chunk, 0, chunk.length, bytes)
    hash?.update(chunk)
    await written
    bytes += chunk.length
    if (path === undefined || bytes - synced < SYNC_EVERY) continue
    await syncing
    syncing = file.datasync()
    synced = bytes
  }
  await syncing
  if (path !== undefined) await file.sync()
  await file.close()
  return { bytes, sha256: hash?.digest('hex') ?? '', count: 1 }
}

/** The most memory this process ever had, as the kernel counts it. */
const memory = (line: 'VmHWM' | 'VmRSS') =>
  Number(new RegExp(`${line}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1000

const task = JSON.parse(readFileSync(0, 'utf8')) as Task
const beforeMb = memory('VmRSS')
const began = performance.now()
const result = await work(task)
const seconds = (performance.now() - began) / 1000
const answer: Answer = { ...result, seconds, beforeMb, peakMb: memory('VmHWM') }
console.log(JSON.stringify(answer))
process.exit()

import { ApiError } from '@slipway/contract/client'
import { inBatches } from '@slipway/contract/folder-batches'
import type { FolderSession } from '@slipway/contract/folder-sessions'
import { api } from '../api/client.ts'
import { hashFile } from './hash-file.ts'
import { inLanes } from './in-lanes.ts'
import type { Listed } from './read-folder.ts'
import { type Content, sendBatch } from './send-batch.ts'
import { changed, FolderTrouble } from './trouble.ts'

/** What the page is told while a folder is sent. */
export type Progress =
  | { phase: 'reading'; done: number; total: number }
  | { phase: 'sending'; done: number; total: number; bytes: number; allBytes: number; known: number }
  | { phase: 'sealed'; uploadSessionId: string; files: number; sent: number; sentBytes: number }

type Tell = (progress: Progress) => void

/** As many as a browser opens to one server. */
const LANES = 6
const READING = 8
const MOST_ROUNDS = 5
/** Sessions that may be gone under our feet. */
const MOST_ANNOUNCEMENTS = 4

/**
 * Names every file by its sum, announces the folder, sends what is missing there, and seals it. What got lost is sent in the next
 * round. Broken off, the same folder goes on where it was: the server knows what has arrived.
 */
export async function upload(files: Listed[], tell: Tell): Promise<void> {
  const contents = await hashAll(files, tell)
  const mode = (await api.operations.instance()).mode === 'cloud' ? 'cloud' : 'local'
  const sending: Sending = { contents, tell, blobs: 0, bytes: 0 }
  for (let turn = 1; ; turn++) {
    const announced = contents.map(({ path, sha256, size, mode }) => ({ path, sha256, size, mode }))
    const session = await patiently(() => api.folderSessions.create({ body: { files: announced, mode } }))
    try {
      return await complete(sending, session as FolderSession)
    } catch (error) {
      if (!isRefused(error, GONE) || turn >= MOST_ANNOUNCEMENTS) throw error
    }
  }
}

type Sending = { contents: Content[]; tell: Tell; blobs: number; bytes: number }

async function hashAll(files: Listed[], tell: Tell): Promise<Content[]> {
  const contents: Content[] = []
  let done = 0
  tell({ phase: 'reading', done, total: files.length })
  await inLanes(READING, files.entries(), async ([at, { path, file }]) => {
    const hashed = await hashFile(file).catch(() => {
      throw changed(path)
    })
    contents[at] = { path, file, ...hashed }
    tell({ phase: 'reading', done: ++done, total: files.length })
  })
  return contents
}

async function complete(sending: Sending, { uploadSessionId: id, missing: first }: FolderSession): Promise<void> {
  const { contents, tell } = sending
  const bySum = new Map(contents.map((content) => [content.sha256, content]))
  let missing = first
  for (let round = 1; ; round++) {
    if (missing.length === 0 && (await isSealed(id))) {
      const { blobs: sent, bytes: sentBytes } = sending
      return tell({ phase: 'sealed', uploadSessionId: id, files: contents.length, sent, sentBytes })
    }
    if (round > MOST_ROUNDS)
      throw new FolderTrouble('The upload did not come through. Try again: what has arrived is not sent again.')
    const wanted = missing.flatMap((sum) => bySum.get(sum) ?? [])
    if (wanted.length > 0 && !(await sendRound(sending, id, wanted, bySum.size - missing.length))) await pauseFor(round)
    missing = (await patiently(() => api.folderSessions.show({ params: { id } }))).missing
  }
}

/** Whether all of it got through: what got lost on the way is missing afterwards, and goes with the next round. */
async function sendRound(sending: Sending, id: string, wanted: Content[], known: number): Promise<boolean> {
  const [total, allBytes] = [wanted.length, wanted.reduce((sum, { size }) => sum + size, 0)]
  let [done, bytes] = [0, 0]
  const tell = () => sending.tell({ phase: 'sending', done, total, bytes, allBytes, known })
  tell()
  await inLanes(LANES, inBatches(wanted), async (batch) => {
    try {
      await sendBatch(id, batch)
    } catch (error) {
      if (isAway(error)) return
      throw error
    }
    done += batch.length
    bytes += batch.reduce((sum, { size }) => sum + size, 0)
    tell()
  })
  sending.blobs += done
  sending.bytes += bytes
  return done === total
}

/** What was there a moment ago may have been swept. */
async function isSealed(id: string): Promise<boolean> {
  try {
    await patiently(() => api.folderSessions.seal({ params: { id } }))
    return true
  } catch (error) {
    if (isRefused(error, ['blobs_missing'])) return false
    throw error
  }
}

const GONE = ['session_expired', 'session_sealed', 'not_found']
const isRefused = (error: unknown, codes: string[]) => error instanceof ApiError && codes.includes(error.body.code)

/** Nothing answered, or nobody but a proxy: it may have happened, or not. A file that is gone is no such thing. */
const isAway = (error: unknown) =>
  error instanceof ApiError ? [429, 502, 503, 504].includes(error.status) : error instanceof TypeError

const TRIES = 4
const FIRST_PAUSE_MS = 150

/** Exponential backoff with jitter. */
const pauseFor = (attempt: number, leastMs = 0) =>
  new Promise<void>((done) => {
    setTimeout(done, Math.max(leastMs, FIRST_PAUSE_MS * 2 ** attempt * (0.5 + Math.random() / 2)))
  })

/** Repeats what does no harm when it happens twice; where the server says when, then. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= TRIES || !isAway(error)) throw error
      await pauseFor(attempt, error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0)
    }
  }
}

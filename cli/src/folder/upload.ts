import { ApiError } from '@slipway/contract/client'
import { inBatches } from '@slipway/contract/folder-batches'
import type { FolderSession } from '@slipway/contract/folder-sessions'
import { EXIT, Failure } from '../failure.ts'
import type { Instance } from '../instance/instance.ts'
import { backoffMs, pause } from '../instance/pause.ts'
import type { Uploads } from '../instance/uploads.ts'
import { counted } from '../show/words.ts'
import { stillChanging } from './at-rest.ts'
import { readWhole } from './checksum.ts'
import { inPieces } from './in-pieces.ts'
import { inLanes } from './lanes.ts'
import { isAway, patiently } from './patiently.ts'
import { ChangedMeanwhile } from './put-blob.ts'
import { sendBatch } from './send-batch.ts'
import type { Content, Linked } from './walk.ts'

type Options = {
  root: string
  contents: Content[]
  links: Linked[]
  mode: FolderSession['mode']
  signal: AbortSignal
  onProgress?(sent: number, all: number): void
}
export type Uploaded = { uploadSessionId: string; blobs: number; sent: number }

const SESSIONS = '/api/projects/folder-sessions'
/** Each holds a compressor and what is on its way. */
const LANES = 6
const MOST_ROUNDS = 5
/** Sessions that may be gone under our feet, or announced files that may change. */
const MOST_ANNOUNCEMENTS = 4

/**
 * Announces a folder, sends what is missing there, and seals it. What got lost is sent in the next round; a session that is gone is
 * announced anew, and knows what arrived before; files that changed while they were sent are read again, once. What is sealed is the
 * folder as announced or nothing.
 */
export async function upload(instance: Instance, options: Options): Promise<Uploaded> {
  const { root, contents, signal } = options
  const sending: Sending = { ...options, instance, uploads: await instance.uploads(LANES), blobs: 0, sent: 0 }
  const reread = new Set<Content>()
  try {
    for (let turn = 1; ; turn++) {
      const session = await announce(sending)
      try {
        await sendMissing(sending, session)
        return { uploadSessionId: session.uploadSessionId, blobs: sending.blobs, sent: sending.sent }
      } catch (error) {
        if (error instanceof ChangedMeanwhile) await readAgain(root, contents, error.files, reread, signal)
        else if (!isGone(error) || turn >= MOST_ANNOUNCEMENTS) throw error
      }
    }
  } finally {
    sending.uploads.close()
  }
}

type Sending = Options & { instance: Instance; uploads: Uploads; blobs: number; sent: number }

type Announced = Pick<Sending, 'uploads' | 'contents' | 'links' | 'mode' | 'signal'>

export async function announce({ uploads, contents, links, mode, signal }: Announced): Promise<FolderSession> {
  if (contents.length + links.length === 0) throw nothingToSend()
  const type = 'application/json'
  const announced = () =>
    uploads.send('POST', SESSIONS, { type, body: inPieces(listJson(contents, links, mode)), signal })
  return (await patiently(announced, signal)) as FolderSession
}

function* listJson(contents: Content[], links: Linked[], mode: FolderSession['mode']): Generator<string> {
  yield `{"mode":"${mode}","files":[`
  for (const [n, file] of [...contents, ...links].entries()) {
    const { path } = file
    const told =
      'link' in file ? { path, link: file.link } : { path, sha256: file.sha256, size: file.size, mode: file.mode }
    yield (n === 0 ? '' : ',') + JSON.stringify(told)
  }
  yield ']}'
}

async function sendMissing(sending: Sending, first: FolderSession): Promise<void> {
  const { contents, signal } = sending
  const { folderSessions } = sending.instance.api
  const params = { id: first.uploadSessionId }
  const byHash = new Map(contents.map((file) => [file.sha256, file]))
  let { missing } = first
  for (let round = 1; ; round++) {
    if (missing.length === 0) {
      requireAtRest(sending)
      if (await isSealed(() => folderSessions.seal({ params }), signal)) return
    }
    if (round > MOST_ROUNDS) throw incomplete(missing.length)
    const files = missing.flatMap((hash) => byHash.get(hash) ?? [])
    const { changed, away } = await sendRound(sending, params.id, files)
    if (away) await pause(backoffMs(round), signal)
    missing = (await patiently(() => folderSessions.show({ params }), signal)).missing
    count(sending, files, new Set(missing))
    if (changed.length > 0) throw new ChangedMeanwhile(changed)
  }
}

function requireAtRest({ root, contents }: Sending): void {
  const changing = stillChanging(root, contents)
  if (changing.length > 0) throw new ChangedMeanwhile(changing)
}

/** What has arrived, also by a connection that broke before it was answered. */
function count(sending: Sending, files: Content[], missing: ReadonlySet<string>): void {
  const arrived = files.filter(({ sha256 }) => !missing.has(sha256))
  sending.blobs += arrived.length
  sending.sent += bytesOf(arrived)
}

const bytesOf = (files: Content[]) => files.reduce((sum, { size }) => sum + size, 0)

/** What was there a moment ago may have been swept. */
async function isSealed(seal: () => Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  try {
    await patiently(seal, signal)
    return true
  } catch (error) {
    if (error instanceof ApiError && error.body.code === 'blobs_missing') return false
    throw error
  }
}

/** Returns what is not as announced any more, and whether anything got lost on the way: that is left to the next round. */
async function sendRound(
  sending: Sending,
  id: string,
  missing: Content[],
): Promise<{ changed: Content[]; away: boolean }> {
  const { root, signal, uploads, onProgress } = sending
  const all = sending.sent + bytesOf(missing)
  const changed: Content[] = []
  let away = false
  let onTheWay = 0
  const onBytes = (count: number) => {
    onTheWay += count
    onProgress?.(sending.sent + onTheWay, all)
  }
  await inLanes(LANES, inBatches(missing), async (files) => {
    try {
      await sendBatch(uploads, { id, root, files, signal, onBytes })
    } catch (error) {
      if (error instanceof ChangedMeanwhile) changed.push(...error.files)
      else if (isAway(error)) away = true
      else throw error
    }
  })
  return { changed, away }
}

const nothingToSend = () =>
  new Failure(
    EXIT.usage,
    'empty_folder',
    'There is nothing in this folder that could be sent.',
    'Do the ignore rules leave everything out? slipway deploy --dry-run shows it.',
  )

const incomplete = (count: number) =>
  new Failure(
    EXIT.unreachable,
    'upload_incomplete',
    `The upload did not come through: after ${MOST_ROUNDS} rounds ${counted(count, 'file is', 'files are')} still missing.`,
    'Try again: what has arrived is not sent again.',
  )

const GONE = ['session_expired', 'session_sealed', 'not_found']
const isGone = (error: unknown) => error instanceof ApiError && GONE.includes(error.body.code)

async function readAgain(
  root: string,
  contents: Content[],
  changed: Content[],
  reread: Set<Content>,
  signal: AbortSignal,
): Promise<void> {
  for (const file of changed) {
    if (reread.has(file))
      throw new Failure(
        EXIT.unexpected,
        'file_changing',
        `${file.path} changes while it is sent. Nothing was deployed.`,
        'Wait until it rests, or leave it out with a line in .slipwayignore.',
      )
    reread.add(file)
    if (!(await readWhole(root, file, signal))) contents.splice(contents.indexOf(file), 1)
  }
}

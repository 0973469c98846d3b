import { randomBytes, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { DestinationKind, VerifiedStep, VerifyStep } from '@slipway/contract/backup-destinations'
import type { Storage, StorageFailureCode } from '../../drivers/storage/storage.ts'

/** Within this an answer must be there, whatever the other side does. */
const DEADLINE_MS = 20_000
/** Of that: to take the probe away again after a failure, or old ones after a success; and to say so. */
const TIDY_MS = 3000
const MARGIN_MS = 1500
/** Older than any preflight that still runs. */
const STRAY_MS = 30_000
const PROBE_BYTES = 64 * 1024

/** The folder of probes, below the prefix of the destination. */
export const PROBES = '.slipway-probes'
const newKey = () => `probe-${Date.now()}-${randomUUID()}`
const madeAt = (key: string) => Number(/^probe-(\d{13})-[0-9a-f-]{36}$/.exec(key)?.[1] ?? Number.POSITIVE_INFINITY)

/** `foreseen`: a driver has said what it was, or time was up. */
type Failure = { step: VerifyStep; message: string; hint: string; cause: unknown; foreseen: boolean }
export type Probed = { failure: Failure | null; steps: VerifiedStep[] }

type Options = {
  kind: DestinationKind
  /** Opens the folder of probes. */
  open(signal: AbortSignal): Promise<Storage>
  signal: AbortSignal
  deadlineMs?: number
}

/** Writes something, reads it back byte for byte and deletes it. Throws only what the given signal says. */
export async function probe({ kind, open, signal, deadlineMs = DEADLINE_MS }: Options): Promise<Probed> {
  const late = AbortSignal.timeout(deadlineMs - TIDY_MS - MARGIN_MS)
  const work = AbortSignal.any([signal, late])
  const told = reporter(kind, work, late)
  // What was opened outlives the deadline of the steps: the probe is still to be taken away.
  const life = new AbortController()
  const key = newKey()
  const bytes = randomBytes(PROBE_BYTES)
  let storage: Storage | undefined
  let there = false
  try {
    storage = await told.step('connect', () => openWithin(open, life.signal))
    const { put, get, remove } = callsOf(storage, key, work)
    there = true
    await told.step('write', () => put(bytes))
    await told.step('read', () => get(bytes))
    await told.step('delete', remove)
    there = false
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof StepFailed)) throw error
  } finally {
    if (storage) await tidyUp(storage, there ? key : null).catch(() => {})
    storage?.close()
    life.abort()
  }
  return { failure: told.failure(), steps: told.steps }
}

const callsOf = (storage: Storage, key: string, signal: AbortSignal) => ({
  put: async (bytes: Buffer) => void (await storage.put(key, Readable.from([bytes]), { signal })),
  get: async (wanted: Buffer) => {
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of await storage.get(key, { signal })) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > wanted.length) break
    }
    if (!Buffer.concat(chunks).equals(wanted)) throw new ReadBackMismatch()
  },
  remove: () => storage.delete(key, { signal }),
})

/** Storages that take what is sent and give back something else. */
class ReadBackMismatch extends Error {
  readonly code = 'corrupted'
  readonly hint = 'Do not keep backups there before it is known why.'

  constructor() {
    super('What was read back is not what was written.')
  }
}

/** Of ours: the probe after a failure, or what killed processes left. Nobody waits longer for it than `TIDY_MS`. */
async function tidyUp(storage: Storage, key: string | null): Promise<void> {
  const signal = AbortSignal.timeout(TIDY_MS)
  if (key !== null) return rejectOnAbort(signal, storage.delete(key, { signal }))
  const before = Date.now() - STRAY_MS
  const { objects } = await rejectOnAbort(signal, storage.list('', { signal, limit: 1000 }))
  const strays = objects.map((object) => object.key).filter((stray) => madeAt(stray) < before)
  if (strays.length > 0) await rejectOnAbort(signal, storage.deleteMany(strays, { signal }))
  await rejectOnAbort(signal, storage.sweep({ signal, olderThan: new Date(before) }))
}

/** One that opens when nobody waits any more is closed again. */
function openWithin(open: Options['open'], signal: AbortSignal): Promise<Storage> {
  const opening = open(signal)
  opening.then(
    (storage) => signal.aborted && storage.close(),
    () => {},
  )
  return opening
}

/** Ends with the signal, also when what it waits for does not listen to it. */
function rejectOnAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  work.catch(() => {})
  return new Promise((done, failed) => {
    const ended = () => failed(signal.reason)
    if (signal.aborted) return ended()
    signal.addEventListener('abort', ended, { once: true })
    work.then(done, failed).finally(() => signal.removeEventListener('abort', ended))
  })
}

class StepFailed extends Error {}

/** Times each step, and keeps what became of it. */
function reporter(kind: DestinationKind, work: AbortSignal, late: AbortSignal) {
  const steps: VerifiedStep[] = []
  let failure: Failure | null = null
  const tell = (step: VerifyStep, ok: boolean, from: number) => {
    const known = steps.findIndex((one) => one.step === step)
    if (known >= 0) steps.splice(known, 1)
    steps.push({ step, ok, ms: Math.round(performance.now() - from) })
  }
  return {
    steps,
    failure: () => failure,
    async step<T>(step: VerifyStep, run: () => Promise<T>): Promise<T> {
      const from = performance.now()
      try {
        const result = await rejectOnAbort(work, Promise.resolve().then(run))
        tell(step, true, from)
        return result
      } catch (error) {
        const { code } = late.aborted ? TOO_LATE : (error as { code?: StorageFailureCode })
        const at = stepOf(step, kind, code)
        tell(at, false, from)
        failure = { step: at, ...wordsFor(late.aborted ? TOO_LATE : error), cause: error }
        throw new StepFailed()
      }
    },
  }
}

const TOO_LATE = {
  code: 'timeout' as const,
  message: 'It did not answer in time.',
  hint: 'Check that the service is not overloaded; a firewall that drops packets looks exactly like this.',
}

/** Drivers explain what they expect to go wrong; anything else is a fault of ours. */
function wordsFor(error: unknown): Pick<Failure, 'message' | 'hint' | 'foreseen'> {
  const { message, hint } = error as { message?: string; hint?: string }
  if (typeof hint === 'string') return { message: message ?? '', hint, foreseen: true }
  const unknown = { message: 'It failed in a way that was not expected.', hint: 'The log of this instance has more.' }
  return { ...unknown, foreseen: false }
}

const REACHING: readonly (StorageFailureCode | undefined)[] = [
  'unreachable',
  'name_not_found',
  'address_refused',
  'tls',
]
const PROVING: readonly (StorageFailureCode | undefined)[] = ['auth', 'key_unreadable', 'clock_skew']

/** A bucket is reached, and asks who one is, with the first thing that is written. */
function stepOf(step: VerifyStep, kind: DestinationKind, code: StorageFailureCode | undefined): VerifyStep {
  if (step !== 'connect' && step !== 'write') return step
  if (PROVING.includes(code)) return 'auth'
  if (REACHING.includes(code) || (code === 'timeout' && kind === 's3_compatible')) return 'connect'
  return step
}

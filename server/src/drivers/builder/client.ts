import { spawn } from 'node:child_process'
import { type FileHandle, open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Call } from './call.ts'

type ClientOptions = {
  /** Where its output goes until the build's end. */
  transcript: string
  take(chunk: Buffer): Promise<void>
  /** Aborting ends the process, and with it the build in the engine. */
  signal: AbortSignal
}

export type ClientEnd = { code: number | null; printedTooMuch: boolean }

const POLL_MS = 40
/** From SIGTERM, on which buildx tells BuildKit, to SIGKILL, on which BuildKit notices by itself. */
const GRACE_MS = 2000
/** The transcript lies on our disk, and a step may print for ever. */
const MOST_BYTES = 1 << 30
const MOST_AFTERWARDS = 4 << 20

/**
 * Runs buildx to its end. Its output goes to a file, not to a pipe: a reader that is 5 s late would turn a good build into
 * a failed one. Never call it in a worker thread: the death signal fires when the starting THREAD ends.
 */
export async function runClient({ argv, env }: Call, options: ClientOptions): Promise<ClientEnd> {
  const { transcript, take, signal } = options
  const [program = '', ...args] = argv
  const file = await open(transcript, 'wx+', 0o600)
  const excess = new AbortController()
  const end = AbortSignal.any([signal, excess.signal])
  try {
    const child = spawn(program, args, { env, cwd: '/', stdio: ['ignore', 'ignore', file.fd] })
    let killer: NodeJS.Timeout | undefined
    const stop = () => {
      child.kill('SIGTERM')
      killer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS)
    }
    const closed = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
    if (end.aborted) stop()
    else end.addEventListener('abort', stop, { once: true })
    try {
      await follow(file, { closed, take, end, tooMuch: () => excess.abort() })
      return { code: await closed, printedTooMuch: excess.signal.aborted }
    } catch (error) {
      // Nobody follows it any more: no transcript, no end.
      child.kill('SIGKILL')
      throw error
    } finally {
      end.removeEventListener('abort', stop)
      clearTimeout(killer)
    }
  } finally {
    await file.close()
  }
}

type Following = Pick<ClientOptions, 'take'> & { closed: Promise<unknown>; end: AbortSignal; tooMuch(): void }

/** Reads what is appended until `closed`, and then what came last. */
async function follow(file: FileHandle, { closed, take, end, tooMuch }: Following) {
  const buffer = Buffer.allocUnsafe(256 * 1024)
  let position = 0
  let afterwards = 0
  let ended = false
  const finish = () => {
    ended = true
  }
  const over = closed.then(finish, finish)
  for (let last = false; !last; ) {
    last = ended
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
      if (bytesRead === 0) break
      await take(buffer.subarray(0, bytesRead))
      position += bytesRead
      // Whoever ended it does not wait for a long tail to be read.
      if (end.aborted) afterwards += bytesRead
      if (afterwards > MOST_AFTERWARDS) return
      if (position > MOST_BYTES) tooMuch()
    }
    if (!last) await Promise.race([over, sleep(POLL_MS)])
  }
}

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { isMainThread, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads'

/** SHA-256 of what comes piece by piece. */
export type Sum = {
  /** Answers when more may come. The piece may be used for other things meanwhile, and changed after. */
  add(piece: Uint8Array): Promise<void>
  digest(): Promise<string>
  /** Gives up; after `digest` there is nothing to give up. */
  end(): void
}

/** As large as the pieces of files are; all slots together fit into a processor's cache. */
const SLOT = 256 * 1024
const SLOTS = 16
const ROLE = 'sha256 beside the main thread'

/** On this thread: for what is small, or slower than the sum anyway. */
export function hashInline(): Sum {
  const hash = createHash('sha256')
  return { add: async (piece) => void hash.update(piece), digest: async () => hash.digest('hex'), end: () => {} }
}

/**
 * Beside this thread, from the first piece of a slot's size on: a disk is faster than one processor that makes the sum and
 * everything else. What is smaller is not worth a thread.
 */
export function hashInWorker(): Sum {
  let chosen: Sum | undefined
  return {
    add: (piece) => {
      chosen ??= piece.length < SLOT ? hashInline() : threadSum()
      return chosen.add(piece)
    },
    digest: () => (chosen ?? hashInline()).digest(),
    end: () => chosen?.end(),
  }
}

type Order = { slot: number; bytes: number } | 'digest'
type Answer = { slot: number } | { digest: string }

function threadSum(): Sum {
  const memory = new SharedArrayBuffer(SLOT * SLOTS)
  const thread = new Worker(new URL(import.meta.url), { workerData: { role: ROLE, memory } })
  const free = Array.from({ length: SLOTS }, (_, slot) => slot)
  let failure: Error | undefined
  let digest: string | undefined
  // Under `node --watch` threads report on the same port which files they use: not everything said is an answer.
  thread.on('message', (answer: Answer | object) => {
    if ('slot' in answer) free.push(answer.slot)
    else if ('digest' in answer) digest = answer.digest
  })
  thread.on('error', (error: Error) => {
    failure = error
  })
  const heard = async () => {
    if (failure) throw failure
    await once(thread, 'message')
  }
  return {
    async add(piece) {
      for (let at = 0; at < piece.length; ) {
        while (free.length === 0) await heard()
        const slot = free.pop() ?? 0
        const bytes = Math.min(SLOT, piece.length - at)
        new Uint8Array(memory, slot * SLOT, bytes).set(piece.subarray(at, at + bytes))
        thread.postMessage({ slot, bytes } satisfies Order)
        at += bytes
      }
    },
    async digest() {
      thread.postMessage('digest' satisfies Order)
      while (digest === undefined) await heard()
      await thread.terminate()
      return digest
    },
    end: () => void thread.terminate(),
  }
}

function makeSum(port: MessagePort, memory: SharedArrayBuffer): void {
  const hash = createHash('sha256')
  port.on('message', (order: Order) => {
    if (order === 'digest') return port.postMessage({ digest: hash.digest('hex') } satisfies Answer)
    hash.update(new Uint8Array(memory, order.slot * SLOT, order.bytes))
    port.postMessage({ slot: order.slot } satisfies Answer)
  })
}

// This file is the thread's program, too.
if (!isMainThread && parentPort && workerData?.role === ROLE) makeSum(parentPort, workerData.memory)

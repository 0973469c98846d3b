import { createPrivateKey } from 'node:crypto'
import { isMainThread, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads'
import type { ParsedKey } from 'ssh2'
import { sshFailure } from './failure.ts'
import { ed25519Text } from './key-pair.ts'

type Locked = { privateKey: string; passphrase?: string }
type Answer = { privateKey: string } | { refused: string }

const ROLE = 'opens a private key beside the main thread'
const OPEN_MS = 15_000
const WAIT_MS = 30_000

/**
 * The same key without its passphrase. The work is as much as the key demands, so it is done on a thread of its own,
 * one key at a time and with an end; the secrets go there and back in memory only.
 */
export async function unlock(locked: Locked): Promise<string> {
  const asked = Date.now()
  const before = turn
  let done = () => {}
  turn = new Promise((resolve) => {
    done = resolve
  })
  try {
    await before
    if (Date.now() - asked > WAIT_MS) throw tooLong()
    const answer = await onThread(locked)
    if ('refused' in answer) throw new RefusedKey(answer.refused)
    return answer.privateKey
  } finally {
    done()
  }
}

let turn: Promise<void> = Promise.resolve()

/** What ssh2 said about it. */
export class RefusedKey extends Error {}

const tooLong = () => sshFailure('key_unreadable', 'Opening the encrypted private key took too long.')

async function onThread(locked: Locked): Promise<Answer> {
  const thread = new Worker(new URL(import.meta.url), { workerData: { role: ROLE, locked } })
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<Answer>((resolve, reject) => {
      timer = setTimeout(() => reject(tooLong()), OPEN_MS)
      thread.on('message', (said: object) => isAnswer(said) && resolve(said))
      thread.once('error', reject)
      thread.once('exit', () => reject(tooLong()))
    })
  } finally {
    clearTimeout(timer)
    await thread.terminate()
  }
}

/** `node --watch` lets threads report on the same port which files they use. */
const isAnswer = (said: object): said is Answer => 'privateKey' in said || 'refused' in said

async function open(port: MessagePort, { privateKey, passphrase }: Locked): Promise<void> {
  const { utils } = (await import('ssh2')).default
  const key = utils.parseKey(privateKey, passphrase) as ParsedKey | Error
  port.postMessage((key instanceof Error ? { refused: key.message } : { privateKey: textOf(key) }) satisfies Answer)
}

/** ssh2 reads its own PEM again, except of ed25519. */
function textOf(key: ParsedKey): string {
  if (key.type !== 'ssh-ed25519') return key.getPrivatePEM()
  const { d = '', x = '' } = createPrivateKey(key.getPrivatePEM()).export({ format: 'jwk' })
  return ed25519Text({ seed: Buffer.from(d, 'base64url'), point: Buffer.from(x, 'base64url'), comment: '' })
}

// This file is the thread's program, too.
if (!isMainThread && parentPort && workerData?.role === ROLE) void open(parentPort, workerData.locked)

import { type Agent, type IncomingMessage, request } from 'node:http'
import { engineFailure } from '../../engine/engine.ts'

/** GET, and no other word: whoever has this cannot change an engine. */
export type GetJson = (path: string, options?: { mostBytes?: number; signal?: AbortSignal }) => Promise<unknown>

type GetCost = { requests: number; bytes: number }

const MIB = 1024 ** 2
const MOST_ANSWER = 32 * MIB
const MOST_IN_ALL = 64 * MIB
/** Enough of an answer that is too long to know what it is about. */
const BEGINNING = 512

/** An answer that says more than it may. */
export class AnswerTooLarge extends Error {
  readonly beginning: string

  constructor(beginning: string) {
    super('An answer of the engine is too large.')
    this.name = 'AnswerTooLarge'
    this.beginning = beginning
  }
}

type Way = { agent: Agent; at: string; prefix: string; signal: AbortSignal; cost: GetCost; socketPath?: string }

/** Reads JSON from an engine, a bounded amount in each answer and in all of them together. */
export function jsonGetter({ agent, at, prefix, signal: life, cost, socketPath }: Way): GetJson {
  return async (path, { mostBytes = MOST_ANSWER, signal = life } = {}) => {
    signal.throwIfAborted()
    cost.requests++
    const answer = await send(agent, `${prefix}${path}`, signal, socketPath)
    const parts: Buffer[] = []
    let size = 0
    for await (const part of answer) {
      parts.push(part as Buffer)
      size += (part as Buffer).length
      cost.bytes += (part as Buffer).length
      if (cost.bytes > MOST_IN_ALL) throw tooMuch(at, MOST_IN_ALL)
      if (size > mostBytes) throw new AnswerTooLarge(Buffer.concat(parts).subarray(0, BEGINNING).toString('latin1'))
    }
    const said = Buffer.concat(parts).toString('utf8')
    if (answer.statusCode !== 200) throw statusError(answer.statusCode ?? 0, said)
    try {
      return JSON.parse(said)
    } catch (error) {
      throw engineFailure('engine_failed', `What answers at ${at} is not a Docker Engine.`, error)
    }
  }
}

const tooMuch = (at: string, most: number) =>
  engineFailure('engine_failed', `The Docker Engine at ${at} answers with more than ${most / MIB} MiB.`)

function send(agent: Agent, path: string, signal: AbortSignal, socketPath?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const way = socketPath === undefined ? { host: 'engine', port: 80 } : { socketPath }
    request({ ...way, agent, path, method: 'GET', signal }, resolve)
      .on('error', reject)
      .end()
  })
}

/** As docker-modem throws it, so that one place finds the words for both. */
function statusError(statusCode: number, said: string): Error {
  let message = said.slice(0, 300)
  try {
    message = String(JSON.parse(said).message ?? message).slice(0, 300)
  } catch {}
  return Object.assign(new Error(message), { statusCode })
}

import { createHash, randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../core/access/caller.ts'
import { beginOnce, finishOnce, forgetOnce, holdOnce } from '../core/idempotency/once.ts'
import type { Platform } from '../core/platform.ts'
import { Refusal } from '../errors.ts'

export type Answer = { status: number; payload: string | undefined; replayed?: boolean }

/** Runs a POST once per Idempotency-Key: a repeat within a day gets the first answer again. */
export async function answerOnce(
  platform: Platform,
  request: FastifyRequest,
  answer: () => Promise<Answer>,
): Promise<Answer> {
  const key = request.headers['idempotency-key']
  const caller = request.caller
  if (key === undefined || caller === null) return answer()
  const call = { caller: caller as Caller, key: checkedKey(key), requestHash: hashOf(request), claim: randomUUID() }
  const before = await beginOnce(platform, call)
  if (before) return { status: before.status, payload: before.payload, replayed: true }
  const release = holdOnce(platform, call)
  try {
    const given = await answer().catch(async (error) => {
      // What was refused or failed changed nothing: the same key may be tried again.
      await forgetOnce(platform, call)
      throw error
    })
    await finishOnce(platform, call, { status: given.status, payload: given.payload ?? '' })
    return given
  } finally {
    release()
  }
}

function checkedKey(key: string | string[]): string {
  if (typeof key === 'string' && isKey(key)) return key
  throw new Refusal('invalid_request', 'Idempotency-Key must be 1 to 200 printable characters.', {
    field: 'Idempotency-Key',
  })
}

export const isKey = (text: string) => /^[\x21-\x7e]{1,200}$/.test(text)

const hashOf = (request: FastifyRequest) =>
  createHash('sha256')
    .update(`${request.method} ${request.url}\n${JSON.stringify(request.body ?? null)}`)
    .digest()

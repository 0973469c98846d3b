import { ApiError, type Client } from '@slipway/contract/client'
import { expect, test } from 'vitest'
import { EXIT } from '../failure.ts'
import { waitForToken } from './wait.ts'

type Token = (options: { signal: AbortSignal }) => Promise<never>

const instance = (token: Token) => ({ cliLogin: { token } }) as unknown as Client
const REQUEST = { requestId: 'r', verifier: 'v', expiresIn: 0.1, interval: 0.01 }
const NOBODY = {
  exit: EXIT.signedOut,
  code: 'expired_token',
  message: 'Nobody answered in time.',
  hint: 'Run slipway login again.',
}
const wait = (token: Token) => waitForToken(instance(token), REQUEST, null, new AbortController().signal)

test('a code that nobody enters ends in "nobody answered in time", having been asked about to its end', async () => {
  let asked = 0
  const pending = new ApiError(400, {
    success: false,
    requestId: 'req_1',
    error: 'Nobody has decided yet.',
    code: 'authorization_pending',
  })
  const ended = wait(() => {
    asked += 1
    return Promise.reject(pending)
  })
  await expect(ended).rejects.toMatchObject(NOBODY)
  expect(asked).toBeGreaterThan(1)
})

test('an instance that is silent when the code expires ends it in the same words', async () => {
  const ended = wait(
    ({ signal }) => new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason))),
  )
  await expect(ended).rejects.toMatchObject(NOBODY)
})

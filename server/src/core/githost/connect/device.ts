import { failureIn } from '../refuse.ts'
import { attemptPlace } from '../secrets.ts'
import type { GithostParts } from '../sources.ts'
import * as attempts from './attempt-store.ts'
import { bindAccount } from './bind.ts'

const AT_ONCE = 20

/** Asks the host about device logins that are due. Whoever watches one only reads its row, so nobody asks too often. */
export async function pollDevices(parts: GithostParts, signal: AbortSignal): Promise<void> {
  const due = await attempts.takeDue(parts.db, AT_ONCE)
  await Promise.all(due.map((attempt) => pollOne(parts, attempt, signal)))
}

async function pollOne(parts: GithostParts, attempt: attempts.AttemptRow, signal: AbortSignal): Promise<void> {
  const { db, githost, keys, config } = parts
  const clientId = config.githost.oauth?.clientId
  if (attempt.expiresAt <= new Date() || attempt.secret === null || clientId === undefined) {
    return attempts.end(db, attempt.id, 'expired')
  }
  try {
    const answer = await githost.oauth.pollDevice(clientId, keys.open(attempt.secret, attemptPlace(attempt.id)))
    const seconds = attempt.intervalSeconds ?? 5
    if (answer.state === 'pending') await attempts.pollAgain(db, attempt.id, answer.interval ?? seconds)
    else if (answer.state === 'granted') await bindAccount(parts, attempt, answer.granted, signal)
    else await attempts.end(db, attempt.id, answer.state)
  } catch (error) {
    const failure = failureIn(error)
    // It is asked again when its time has come: the code is good for a while.
    if (failure?.code === 'busy' || failure?.code === 'unreachable') return
    await attempts.end(db, attempt.id, 'failed', { reason: failure?.message ?? 'It could not be finished.' })
    if (failure === null) throw error
  }
}

import type { StoragePlace } from '../../drivers/storage/storage.ts'
import { mayConnect } from '../networks/may-connect.ts'
import type { BaseParts } from '../parts.ts'
import { below, DestinationUnusable, placeOf, type Secrets } from './place.ts'
import { PROBES, type Probed, probe } from './probe.ts'
import { withoutSecrets } from './secrets.ts'
import type { DestinationRow, Found } from './store.ts'

export type VerifyParts = Pick<BaseParts, 'db' | 'config' | 'keys' | 'storage' | 'log'>

const DAY_MS = 24 * 3600_000
/** Some drivers try three times; all of it must fit into the deadline. */
const CONNECT_MS = 4000
const STALL_MS = 4000

type How = {
  /** Someone looks: the host key of a server that has no pin yet is taken, and shown. */
  learn: boolean
  signal: AbortSignal
}

/** Tries a destination. What is wrong with it is an answer, not an error. */
export async function verify(parts: VerifyParts, row: DestinationRow, how: How): Promise<Found> {
  try {
    const { place, secrets } = await placeOf(parts, row)
    const { probed, hostKey } = await runProbe(parts, place, how)
    logOutcome(parts, row, probed, secrets)
    const error = probed.failure === null ? null : reasonOf(probed.failure, secrets)
    return { error, steps: probed.steps, hostKey, nextVerifyAt: tomorrow() }
  } catch (error) {
    if (!(error instanceof DestinationUnusable)) throw error
    const steps = [{ step: error.step, ok: false, ms: 0 }]
    return { error: reasonOf(error, {}), steps, hostKey: null, nextVerifyAt: tomorrow() }
  }
}

async function runProbe(parts: VerifyParts, place: StoragePlace, { learn, signal }: How) {
  let seen: string | null = null
  const onHostKey = (key: string) => {
    seen = key
  }
  const unpinned = place.kind === 'sftp' && place.hostKey === null
  const probed = await probe({
    kind: place.kind,
    signal,
    open: (within) =>
      parts.storage.open(below(place, PROBES), {
        signal: within,
        mayConnect: mayConnect(parts.config),
        ...(learn && unpinned && { onHostKey }),
        connectMs: CONNECT_MS,
        stallMs: STALL_MS,
      }),
  })
  return { probed, hostKey: seen as string | null }
}

/** Long enough for what to do; the other side may say more than anyone reads. */
const LONGEST = 1000

type Said = { step: string; message: string; hint: string }

/** Nothing is cut or smoothed before the secrets are out: what is left of one would not be known again. */
function reasonOf({ step, message, hint }: Said, secrets: Partial<Secrets>): string {
  const told = onOneLine(withoutSecrets(message, secrets)).slice(0, LONGEST - hint.length)
  return `${step}: ${told.toWellFormed()} ${onOneLine(withoutSecrets(hint, secrets))}`
}

const onOneLine = (text: string) => text.replaceAll(/[\s\p{Cc}]+/gu, ' ')

/** A day from now, each at another moment. */
const tomorrow = () => new Date(Date.now() + DAY_MS * (0.9 + Math.random() / 5))

/** What no driver foresaw is looked into. */
function logOutcome({ log }: VerifyParts, row: DestinationRow, { failure, steps }: Probed, secrets: Secrets): void {
  const facts = { destination: row.id, organization: row.orgId, kind: row.kind, steps }
  if (failure === null) log.info(facts, 'a backup destination works')
  else if (failure.foreseen) log.info({ ...facts, step: failure.step }, 'a backup destination does not work')
  else {
    const { stack } = failure.cause as Error
    const reason = withoutSecrets(stack ?? String(failure.cause), secrets)
    log.error({ ...facts, reason }, 'a backup destination failed in an unexpected way')
  }
}

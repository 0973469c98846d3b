import type { BackupDestination, VerifyStep } from '@slipway/contract/backup-destinations'
import { type Ground, PATH } from './ground.ts'

/** A destination that cannot work, and what must be said about it. */
export type Case = {
  title: string
  /** The step that the reason names; several where the other side decides when it shows. */
  step: VerifyStep | VerifyStep[]
  /** What of the cause it says. */
  says: RegExp
  body: object
  /** Breaks what was made. */
  arrange?: (id: string) => Promise<unknown>
  /** Another process than the usual one is asked. */
  at?: string
}

const DEADLINE_MS = 20_000
/** The way there and back on a machine that does much else. */
const GRACE_MS = 1500

export type Outcome = { title: string; faults: string[]; ms: number; reason: string }

let made = 0

/** Makes it, breaks it and asks; everything that is not as it must be is a fault. */
export async function tryCase({ site, url }: Ground, wanted: Case): Promise<Outcome> {
  const { title, body, arrange, at = url } = wanted
  const { id } = await site.ask('POST', PATH, { name: `case ${++made}`, ...body })
  try {
    await arrange?.(id)
    const from = performance.now()
    const answer = await site.call('POST', `${PATH}/${id}/preflight`, undefined, at)
    const ms = performance.now() - from
    const shown = await site.ask<BackupDestination>('GET', `${PATH}/${id}`)
    const faults = [...wrongIn(wanted, answer, ms), ...wrongShown(answer.body?.reason, shown)]
    return { title, faults, ms, reason: String(answer.body?.reason ?? answer.text) }
  } finally {
    await site.call('DELETE', `${PATH}/${id}`)
  }
}

function wrongIn({ step, says }: Case, answer: { status: number; body: Loose; text: string }, ms: number): string[] {
  const faults: string[] = []
  const { ok, reason } = answer.body ?? {}
  if (answer.status !== 200) faults.push(`it answered ${answer.status}: ${answer.text}`)
  if (ok !== false || typeof reason !== 'string') return [...faults, `it answered ${answer.text}`]
  if (![step].flat().some((one) => reason.startsWith(`${one}: `))) faults.push(`the reason does not begin with ${step}`)
  if (!says.test(reason)) faults.push(`the reason does not say ${says}`)
  // What happened, and what to do about it.
  if (!/^\w+: .{10,}[.)] [A-Z][^.]{10,}/.test(reason)) faults.push('the reason does not say what to do')
  if (Object.keys(answer.body).length !== 2) faults.push(`the answer has more: ${answer.text}`)
  if (ms > DEADLINE_MS + GRACE_MS) faults.push(`it took ${Math.round(ms)} ms`)
  return faults
}

function wrongShown(reason: string | undefined, shown: BackupDestination): string[] {
  const faults: string[] = []
  if (shown.lastVerifyError !== reason) faults.push(`lastVerifyError is ${shown.lastVerifyError}`)
  if (shown.brokenSince === null || shown.lastVerifiedAt !== null) faults.push('it is shown as if it had worked')
  const last = shown.lastVerifySteps?.at(-1)
  if (!last || !reason?.startsWith(`${last.step}: `) || last.ok)
    faults.push(`the last step shown is ${JSON.stringify(last)}`)
  return faults
}

// biome-ignore lint/suspicious/noExplicitAny: a proof looks at single fields of answers
type Loose = any

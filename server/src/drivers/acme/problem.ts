import { isFailure } from '../../errors.ts'
import { type AcmeFailure, type AcmeFailureCode, type AcmeProblem, acmeFailure } from './acme.ts'
import type { CaAnswer } from './transport.ts'

/** During what the CA said no: the same words mean another thing at another time. */
export type Phase = 'account' | 'order' | 'challenge' | 'certificate' | 'renewal'

/** A "no" of the CA, before it is known what it was about. */
export class CaRefusal extends Error {
  readonly answer: CaAnswer
  constructor(answer: CaAnswer) {
    super(`the CA answered ${answer.status}`)
    this.answer = answer
  }
}

const PREFIX = 'urn:ietf:params:acme:error:'

export const isBadNonce = ({ status, data }: CaAnswer) =>
  status === 400 && problemOf(data)?.type === `${PREFIX}badNonce`

/** What the CA says about it in RFC 7807's form; undefined where it says nothing of the kind. */
function problemOf(data: unknown): AcmeProblem | undefined {
  if (typeof data !== 'object' || data === null || !('type' in data)) return undefined
  const { detail, subproblems } = data as { detail?: unknown; subproblems?: unknown }
  const parts = Array.isArray(subproblems) ? subproblems : []
  return {
    type: String(data.type),
    detail: words(detail),
    subproblems: parts.slice(0, 100).map(({ type, detail: said, identifier }) => ({
      host: typeof identifier?.value === 'string' ? identifier.value : null,
      type: String(type),
      detail: words(said),
    })),
  }
}

/** One line, and not the page a broken CA may send. */
const words = (text: unknown) => (typeof text === 'string' ? text.replace(/\s+/g, ' ').trim().slice(0, 1000) : '')

/** Seconds or a date. */
export function retryAfterOf({ headers }: Pick<CaAnswer, 'headers'>, now = Date.now()): Date | undefined {
  const said = headers['retry-after']
  if (!said) return undefined
  const at = /^\d+$/.test(said) ? now + Number(said) * 1000 : Date.parse(said)
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? undefined : date
}

export function failureOf(phase: Phase, error: unknown): unknown {
  if (isFailure<AcmeFailure>(error, 'acme')) return error
  if (!(error instanceof CaRefusal)) {
    const { message } = error as Error
    return acmeFailure('ca_failed', `The CA's answer made no sense: ${message}.`, { cause: error })
  }
  const { status } = error.answer
  const problem = problemOf(error.answer.data)
  const retryAfter = retryAfterOf(error.answer)
  const code = codeOf(phase, status, problem)
  return acmeFailure(code, sentence(code, problem?.detail || `it answered ${status}`), { problem, retryAfter })
}

/** What an order or a proof ended with, long after the request. */
export function failureOfProblem(code: AcmeFailureCode, said: unknown, host?: string): AcmeFailure {
  const problem = problemOf(said)
  const about = host === undefined ? '' : ` for ${host}`
  const meant = isRefused(problem) ? 'order_rejected' : code
  return acmeFailure(meant, sentence(meant, problem?.detail, about), { problem })
}

function codeOf(phase: Phase, status: number, problem: AcmeProblem | undefined): AcmeFailureCode {
  const type = problem?.type.replace(PREFIX, '') ?? ''
  if (status === 429 || type === 'rateLimited') return 'rate_limited'
  if (status >= 500 || status < 400 || type === 'badNonce') return 'ca_failed'
  if (phase === 'account' || ACCOUNT.has(type)) return 'account_refused'
  // A deactivated account is "unauthorized", and so is a name that the CA does not allow.
  if (type === 'unauthorized' && /account/i.test(problem?.detail ?? '')) return 'account_refused'
  return 'order_rejected'
}

const ACCOUNT = new Set(['accountDoesNotExist', 'externalAccountRequired', 'userActionRequired', 'badPublicKey'])
const isRefused = (problem: AcmeProblem | undefined) => /:(caa|rejectedIdentifier)$/.test(problem?.type ?? '')

function sentence(code: AcmeFailureCode, said = 'it did not say why', about = ''): string {
  const end = /[.!?]$/.test(said) ? '' : '.'
  return `${sentences[code]}${about}: ${said}${end}`
}

const sentences: Record<AcmeFailureCode, string> = {
  ca_unreachable: 'The CA cannot be reached',
  ca_timeout: 'The CA did not answer',
  ca_failed: 'The CA failed',
  rate_limited: 'The CA takes no more orders for now',
  challenge_failed: 'The CA did not accept the proof',
  order_rejected: 'The CA refused the order',
  account_refused: 'The CA refused the account',
}

import { isFailure } from '../../errors.ts'
import {
  type AccountRequest,
  type Acme,
  type AcmeAccount,
  type AcmeFailure,
  type AcmeTarget,
  acmeFailure,
} from './acme.ts'
import { issue } from './issue.ts'
import { newKey } from './key.ts'
import { renewalWindow } from './renewal.ts'
import { type Session, withSession } from './session.ts'

export type AcmeClientOptions = { requestMs?: number; deadlineMs?: number }

/** ACME by the npm package acme-client. */
export function acmeClient({ requestMs = 20_000, deadlineMs = 120_000 }: AcmeClientOptions = {}): Acme {
  const on = <T>(
    target: AcmeTarget,
    request: { signal: AbortSignal; deadlineMs?: number },
    work: (session: Session) => Promise<T>,
  ) => withSession(target, { requestMs, signal: request.signal, deadlineMs: request.deadlineMs ?? deadlineMs }, work)
  return {
    account: (target, request) => on(target, request, (session) => account(session, request)),
    issue: (target, request) => on(target, request, (session) => issue(session, target, request)),
    renewalWindow: (target, request) => on(target, request, (session) => renewalWindow(session, target, request)),
  }
}

async function account(session: Session, request: AccountRequest): Promise<AcmeAccount> {
  const { contact = [] } = request
  const keyPem = request.keyPem ?? (await newKey())
  const client = session.client(keyPem)
  const known = request.keyPem !== undefined && (await isKnown(session, client))
  const told = contact.length > 0 ? { contact } : {}
  const made = await session.during('account', () =>
    // An update with nothing in it would be refused.
    known ? client.updateAccount(told) : create(client, told),
  )
  if (made.status !== 'valid') throw acmeFailure('account_refused', `The CA says of the account: ${made.status}.`)
  return { keyPem, url: client.getAccountUrl() }
}

type Client = ReturnType<Session['client']>

/**
 * Someone with the same key may be faster. The library then sends what only a maker says as a change of the account, which
 * CAs refuse as one that changes nothing.
 */
function create(client: Client, told: { contact?: string[] }) {
  return client.createAccount({ termsOfServiceAgreed: true, ...told }).catch((error) => {
    if (!hasUrl(client)) throw error
    return client.updateAccount(told)
  })
}

function hasUrl(client: Client): boolean {
  try {
    return client.getAccountUrl() !== ''
  } catch {
    return false
  }
}

function isKnown(session: Session, client: Client): Promise<boolean> {
  const asked = session.during('account', () => client.createAccount({ onlyReturnExisting: true }))
  return asked.then(
    () => true,
    (error) => {
      if (isFailure<AcmeFailure>(error, 'acme') && error.facts.problem?.type.endsWith(':accountDoesNotExist'))
        return false
      throw error
    },
  )
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Authorization, Order } from 'acme-client'
import { isFailure } from '../../errors.ts'
import { type AcmeFailure, type AcmeTarget, acmeFailure, type Issued, type IssueRequest } from './acme.ts'
import { readIssued } from './certificate.ts'
import { newKey } from './key.ts'
import { failureOfProblem } from './problem.ts'
import { prove } from './prove.ts'
import { directoryOf, renewalId } from './renewal.ts'
import type { Session } from './session.ts'

type Client = ReturnType<Session['client']>
type Course = { session: Session; client: Client }

const FIRST_LOOK_MS = 250
const MOST_PAUSE_MS = 10_000

export async function issue(session: Session, target: AcmeTarget, request: IssueRequest): Promise<Issued> {
  const { account, hosts, challenge } = request
  const client = session.client(account.keyPem, account.url)
  const course = { session, client }
  const order = await newOrder(course, target, request)
  const authorizations = await session.during('order', () => client.getAuthorizations(order))
  const ready = await prove(course, { authorizations, challenge }, () => settled(course, order, ['ready', 'valid']))
  if (ready.status === 'invalid') throw await whyInvalid(course, ready)
  const keyPem = await newKey()
  const [, csr] = await session.library.crypto.createCsr({ altNames: [...hosts] }, keyPem)
  const finished = await session.during('certificate', () => client.finalizeOrder(ready, csr))
  const valid = finished.status === 'valid' ? finished : await settled(course, ready, ['valid'])
  if (valid.status === 'invalid') throw failureOfProblem('order_rejected', valid.error)
  const chainPem = await session.during('certificate', () => client.getCertificate(valid))
  return readIssued({ chainPem, keyPem, hosts })
}

/** CAs that suggest when to renew want to know what an order follows. One that does not like the answer is asked without. */
async function newOrder({ session, client }: Course, target: AcmeTarget, request: IssueRequest): Promise<Order> {
  const identifiers = request.hosts.map((value) => ({ type: 'dns', value }))
  const order = (more: object) => session.during('order', () => client.createOrder({ identifiers, ...more }))
  const directory = request.replaces === undefined ? {} : await directoryOf(session, target)
  if (request.replaces === undefined || typeof directory.renewalInfo !== 'string') return order({})
  return order({ replaces: renewalId(request.replaces) }).catch((error) => {
    // Some know the certificate no more, or fail over the question.
    const disliked = isFailure<AcmeFailure>(error, 'acme') && ['order_rejected', 'ca_failed'].includes(error.code)
    if (disliked && error.facts.problem) return order({})
    throw error
  })
}

/** The order once it is as wanted, or invalid. Each look is one request; the CA says how long to wait in between. */
async function settled({ session, client }: Course, order: Order, wanted: string[]): Promise<Order> {
  for (let pause = FIRST_LOOK_MS; ; pause = Math.min(pause * 2, MOST_PAUSE_MS)) {
    await sleep(pause, undefined, { signal: session.signal }).catch(() => session.signal.throwIfAborted())
    const now = await session.during('order', () => client.getOrder(order))
    if (wanted.includes(now.status) || now.status === 'invalid') return now
    if (!['pending', 'processing', 'ready'].includes(now.status)) {
      throw acmeFailure('ca_failed', `The CA says of the order: ${JSON.stringify(now.status)}.`)
    }
    pause = Math.min(Math.max(pause, session.pauseMs() ?? 0), MOST_PAUSE_MS)
  }
}

/** The order says that it failed, the proof of a name says why. */
async function whyInvalid({ session, client }: Course, order: Order): Promise<AcmeFailure> {
  const authorizations: Authorization[] = await session.during('order', () => client.getAuthorizations(order))
  for (const { challenges, identifier } of authorizations) {
    const failed = challenges.find(({ status, error }) => status === 'invalid' && error)
    if (failed) return failureOfProblem('challenge_failed', failed.error, identifier.value)
  }
  return failureOfProblem('order_rejected', order.error)
}

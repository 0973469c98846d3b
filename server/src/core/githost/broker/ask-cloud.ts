import { type AskToken, type BeginBroker, githostBroker } from '@slipway/contract/githost-broker'
import type { z } from 'zod'
import type { CloudFailure } from '../../../drivers/cloud-forward/passage.ts'
import type { GitHostFailure } from '../../../drivers/githost/githost.ts'
import { isFailure, Refusal } from '../../../errors.ts'
import { failed } from '../refuse.ts'

/** The hosted cloud that an organization is linked to, asked with the credential of its link. `core/cloud` has it, wiring hands it on. */
export type LinkedCloud = {
  find(orgId: string): Promise<LinkFound | null>
  ask(
    orgId: string,
    call: { method: 'GET' | 'POST'; path: string; body?: object },
    signal: AbortSignal,
  ): Promise<Answer>
}
/** `isSet`: it is the one that this instance is to work with; `isAway`: as far as is known without asking; `relays`: it passes pushes on now. */
type LinkFound = { url: string; organization: string; isSet: boolean; isAway: boolean; relays: boolean }
type Answer = { status: number; body: unknown; retryAfter: number | null }
type Asking = { cloud: LinkedCloud; orgId: string; signal: AbortSignal }

/** Where the browser goes to connect: a page of the cloud, whatever it says. */
export async function askAddress(asking: Asking, body: BeginBroker): Promise<{ url: string; host: string }> {
  const { cloud, orgId } = asking
  const answer = await asked(asking, { ...githostBroker.begin, body })
  const origin = URL.parse((await cloud.find(orgId))?.url ?? '')?.origin
  if (origin === undefined || URL.parse(answer.url)?.origin !== origin)
    throw failed('cloud_unreachable', 'The hosted cloud gave no address of its own.')
  return answer
}

export const askInstallations = (asking: Asking) => asked(asking, { ...githostBroker.installations })
export type Seen = Awaited<ReturnType<typeof askInstallations>>

export async function askToken(asking: Asking, body: AskToken): Promise<{ token: string; expiresAt: Date }> {
  const { token, expiresAt } = await asked(asking, { ...githostBroker.token, body })
  return { token, expiresAt: new Date(expiresAt) }
}

type Call<S extends z.ZodType> = { method: 'GET' | 'POST'; path: string; response: S; body?: unknown }

/** Rejects with a failure of the git host, as what is asked with a key of one's own does. */
async function asked<S extends z.ZodType>({ cloud, orgId, signal }: Asking, call: Call<S>): Promise<z.output<S>> {
  const { method, path, response, body } = call
  const answer = await cloud
    .ask(orgId, { method, path, ...(body !== undefined && { body: body as object }) }, signal)
    .catch((error: unknown) => {
      throw asFailure(error)
    })
  if (answer.status >= 400) throw refusedBy(answer)
  const parsed = response.safeParse(answer.body)
  if (!parsed.success) throw failed('cloud_unreachable', 'The hosted cloud answers with something that was not asked.')
  return parsed.data
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000)

function asFailure(error: unknown): unknown {
  if (isFailure<CloudFailure>(error, 'cloud')) {
    const { message, hint, facts } = error
    return failed('cloud_unreachable', message, { hint, retryAt: inSeconds(facts.retryAfter) })
  }
  // There is no link any more, or the cloud has ended it.
  if (error instanceof Refusal && error.code === 'cloud_unreachable')
    return failed('unauthorized', error.message, { hint: ANEW })
  return error
}

const ANEW = 'End the link (DELETE /api/cloud/link), link the organization anew, and connect again.'

/** What the cloud does not want, in our words: its own are for its own callers. */
function refusedBy({ status, body, retryAfter }: Answer): GitHostFailure {
  const code = Object(body).code as unknown
  const later = { hint: 'Try again later.', retryAt: inSeconds(retryAfter ?? 60) }
  if (status === 403)
    return failed('unauthorized', 'The link with the hosted cloud does not, or not any more, include its git host.', {
      hint: ANEW,
    })
  if (status === 429 || code === 'githost_busy')
    return failed('busy', 'Neither the git host nor the cloud takes more requests for now.', later)
  if (code === 'githost_unreachable') return failed('unreachable', 'The hosted cloud cannot reach the git host.', later)
  if (status >= 500) return failed('cloud_unreachable', 'The hosted cloud has a fault of its own.', later)
  if (code === 'not_found') return failed('not_found', 'The organization at the hosted cloud does not hold it.')
  if (status === 400) return failed('invalid', 'The hosted cloud does not take what it was asked.')
  return failed('forbidden', 'The hosted cloud does not do this for its git host.', {
    hint: 'Look at the git host of the organization there; it may have none, or no app of the cloud.',
  })
}

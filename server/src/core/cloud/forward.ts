import type { Answered, CloudFailure, CloudPassage, Passed, PassOptions } from '../../drivers/cloud-forward/passage.ts'
import { isFailure, Refusal } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import type { BaseParts } from '../parts.ts'
import * as store from './deployments-store.ts'
import { openCredential } from './open-credential.ts'
import type { Call } from './parts.ts'
import { refusedLink, unlinked } from './refused-link.ts'
import { notLinkedTo } from './whose.ts'
import { noteGone, noteLost, noteWrite } from './writes/note-write.ts'
import * as writes from './writes/store.ts'

export type ForwardParts = Pick<BaseParts, 'db' | 'pool' | 'keys'> & { cloudPassage: CloudPassage }

/** Says that a call has been passed on already; a cloud that would pass it on again leads back here. */
export const HOPS_HEADER = 'slipway-hops'

/** A deployment of the caller's that is in the cloud; undefined: it is here, or nowhere. */
export const findCloudDeployment = ({ pool }: Pick<ForwardParts, 'pool'>, caller: Caller, id: string) =>
  store.find(pool, caller, id)

/** The same with who asks, in one query: undefined if there is no such token. */
export const findCloudDeploymentWithToken = store.findWithToken

/** Passes a call on as the organization that is linked: nothing of the caller's own credential goes along. */
export async function forward(
  parts: ForwardParts,
  caller: Caller,
  stub: store.Stub,
  call: Call,
  options: AskOptions,
): Promise<Answered> {
  if (stub.url === null) throw await notLinkedTo(parts.db, caller.orgId, stub.cloudOrgId)
  try {
    return call.method === 'GET'
      ? await forwardRead(parts, caller, { stub, call }, options)
      : await forwardWrite(parts, caller, { stub, call }, options)
  } catch (error) {
    throw asRefusal(error)
  }
}

type Forwarded = { stub: store.Stub; call: Call }

async function forwardRead(parts: ForwardParts, caller: Caller, forwarded: Forwarded, options: AskOptions) {
  const answer = await ask(parts, caller, forwarded.stub, forwarded.call, options)
  const refused = refusedLink(answer)
  if (refused !== null) throw refused
  if (answer.status === 404) await noteGone(parts, caller, forwarded, answer)
  return answer
}

/** It is written down before it is sent: what may have been done there is asked about until that is known, whoever dies meanwhile. */
async function forwardWrite(parts: ForwardParts, caller: Caller, { stub, call }: Forwarded, options: AskOptions) {
  const about = { orgId: caller.orgId, projectId: stub.projectId, deploymentId: stub.id }
  const noted = { stub, call, write: await writes.begin(parts.db, about) }
  try {
    const answer = await ask(parts, caller, stub, call, options)
    const refused = refusedLink(answer)
    if (refused !== null) throw refused
    await noteWrite(parts, caller, noted, answer)
    return answer
  } catch (error) {
    if (isFailure<CloudFailure>(error, 'cloud') && error.facts.sent) await noteLost(parts, caller, noted)
    else if (isFailure<CloudFailure>(error, 'cloud') || error instanceof Refusal)
      await writes.end(parts.db, noted.write)
    throw error
  }
}

type AskOptions = Omit<PassOptions, 'whose'>
type Linked = { url: string | null; credential: string | null }

/** Asks the cloud that an organization is linked to. Rejects with a CloudFailure or, where there is no link, with a refusal. */
export async function ask(
  { keys, cloudPassage }: Pick<ForwardParts, 'keys' | 'cloudPassage'>,
  caller: Pick<Caller, 'orgId' | 'requestId'>,
  { url, credential }: Linked,
  { method, path, headers, body }: Omit<Call, 'route' | 'body'> & Pick<Passed, 'body'>,
  options: AskOptions,
): Promise<Answered> {
  if (url === null || credential === null) throw unlinked('The organization is not linked to a hosted cloud any more.')
  const own = {
    authorization: `Bearer ${openCredential(keys, caller.orgId, credential)}`,
    'accept-encoding': 'identity',
    'x-request-id': caller.requestId,
    [HOPS_HEADER]: '1',
  }
  const answer = await cloudPassage.pass(
    url,
    { method, path, headers: { ...headers, ...own }, body },
    { ...options, whose: caller.orgId },
  )
  // It is about our credential, whoever asks for what.
  if (answer.status === 401) throw refusedLink(answer)
  return answer
}

function asRefusal(error: unknown): unknown {
  if (!isFailure<CloudFailure>(error, 'cloud')) return error
  const { hint, facts } = error
  return new Refusal('cloud_unreachable', error.message, { hint, retryAfter: facts.retryAfter, cause: error })
}

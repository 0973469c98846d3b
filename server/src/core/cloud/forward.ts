import { Deployment } from '@slipway/contract/deployment-shape'
import { deployments } from '@slipway/contract/deployments'
import { transaction } from '../../db/database.ts'
import type { Answered, CloudFailure, CloudPassage, Passed, PassOptions } from '../../drivers/cloud-forward/passage.ts'
import { isFailure, Refusal } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import type { BaseParts } from '../parts.ts'
import * as store from './deployments-store.ts'
import { openCredential } from './open-credential.ts'
import { refusedLink, unlinked } from './refused-link.ts'
import { notLinkedTo } from './whose.ts'

export type ForwardParts = Pick<BaseParts, 'db' | 'pool' | 'keys'> & { cloudPassage: CloudPassage }
/** `route`: the path of its endpoint; `headers`: those of the caller's that matter. */
export type Call = { method: string; route: string; path: string; headers: Record<string, string>; body: Buffer | null }

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
  const writes = call.method !== 'GET'
  if (stub.url === null) throw await notLinkedTo(parts.db, caller.orgId, stub.cloudOrgId)
  try {
    const answer = await ask(parts, caller, stub, call, options)
    const refused = refusedLink(answer)
    if (refused !== null) throw refused
    if (writes && answer.status < 400) await noteWrite(parts, caller, stub, call, answer)
    return answer
  } catch (error) {
    // Nobody knows whether it was done: it may have been.
    if (writes && isFailure<CloudFailure>(error, 'cloud') && error.facts.sent)
      await record(parts.db, caller, ACTION, stub.id, { route: routeOf(call), status: null })
    throw asRefusal(error)
  }
}

const ACTION = 'deployment.forward'
const routeOf = ({ method, route }: Call) => `${method} ${route}`

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

/** Who did it, and what it has made or taken away there. */
async function noteWrite(parts: ForwardParts, caller: Caller, stub: store.Stub, call: Call, answer: Answered) {
  const { orgId } = caller
  const shown = 'body' in answer ? deploymentIn(answer.body) : null
  await transaction(parts.db, async (tx) => {
    if (routeOf(call) === routeOf({ ...call, ...REMOVE })) await store.remove(tx, orgId, stub.id)
    else if (shown?.id === stub.id) await store.see(tx, orgId, [shown])
    else if (shown !== null) await store.insert(tx, { orgId, projectId: stub.projectId, shown })
    await record(tx, caller, ACTION, stub.id, {
      route: routeOf(call),
      status: answer.status,
      ...(shown !== null && shown.id !== stub.id && { made: shown.id }),
    })
  })
}

const REMOVE = { method: deployments.remove.method, route: deployments.remove.path }

/** What acts on deployments answers with one: the same, or the one that it has made. */
function deploymentIn(body: Buffer): Deployment | null {
  try {
    return Deployment.safeParse(JSON.parse(body.toString('utf8')).deployment).data ?? null
  } catch {
    return null
  }
}

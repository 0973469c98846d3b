import { ERROR_CODES, type ErrorCode } from '@slipway/contract/errors'
import type { CloudFailure, StreamedBody } from '../../../drivers/cloud-forward/passage.ts'
import { isFailure, Refusal } from '../../../errors.ts'
import { ask, type ForwardParts } from '../forward.ts'
import * as links from '../link-store.ts'
import { isWith, notLinkedTo } from '../whose.ts'

export type CloudCall = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  json?: unknown
  /** Contents, which are read while they are sent. */
  body?: StreamedBody
  /** Repeated with it, the call is done once. */
  key?: string
  /** Of what goes along: whatever the cloud says about it is told without them. */
  secrets?: string[]
  /** Answers that are as good as a yes. */
  expects?: number[]
  /** It may take longer than usual. */
  slowMs?: number
}
export type Told = { status: number; body: unknown }
export type Ask = (call: CloudCall) => Promise<Told>

/** Nothing was decided: to be asked again, after so long where that is said. */
export class NotYet extends Error {
  override name = 'NotYet'
  readonly restMs: number | null

  constructor(message: string, restMs: number | null = null, cause?: unknown) {
    super(message, { cause })
    this.restMs = restMs
  }
}

/** `cloudOrgId`: whose what is asked about is there; null: of whoever is linked. */
type By = { orgId: string; requestId: string; cloudOrgId: string | null }

/** Asks the cloud as the organization that is linked. What it refuses is a refusal in its words; whatever passes by itself is a NotYet. */
export async function askCloud(parts: ForwardParts, by: By, call: CloudCall, signal: AbortSignal): Promise<Told> {
  const link = await links.find(parts.db, by.orgId)
  if (!link || !isWith(link, by.cloudOrgId)) throw await notLinkedTo(parts.db, by.orgId, by.cloudOrgId)
  const { status, headers, ...answer } = await ask(parts, by, link, sentAs(call), {
    signal,
    waits: call.body !== undefined,
    ...(call.slowMs !== undefined && { firstByteMs: call.slowMs }),
  }).catch((error) => {
    signal.throwIfAborted()
    throw isFailure<CloudFailure>(error, 'cloud') ? new NotYet(error.message, null, error) : error
  })
  const body = 'body' in answer ? parsed(answer.body) : undefined
  const code = (body as { code?: unknown } | undefined)?.code
  if (status >= 500 || status === 429 || (status === 409 && code === 'request_running') || body === undefined)
    throw new NotYet('The hosted cloud cannot do it at the moment.')
  if (status < 300 || call.expects?.includes(status)) return { status, body }
  throw refusalOf(body, call.secrets ?? [])
}

function sentAs({ method, path, json, body, key }: CloudCall) {
  const type = body ? 'application/octet-stream' : 'application/json'
  const headers = {
    accept: 'application/json',
    ...((body !== undefined || json !== undefined) && { 'content-type': type }),
    ...(key !== undefined && { 'idempotency-key': key }),
  }
  return { method, path, headers, body: body ?? (json === undefined ? null : Buffer.from(JSON.stringify(json))) }
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

/** In the cloud's words. They are shown and kept here, so no secret that was sent stands in them. */
function refusalOf(body: unknown, secrets: string[]): Refusal {
  const { error, code, hint } = (body ?? {}) as { error?: unknown; code?: unknown; hint?: unknown }
  const known = typeof code === 'string' && Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : 'conflict'
  const said = (text: unknown, otherwise: string) => (typeof text === 'string' ? without(secrets, text) : otherwise)
  return new Refusal(known, `The hosted cloud says: ${said(error, 'it will not do this.')}`.slice(0, 1000), {
    hint: said(hint, 'Mend it, and promote again.').slice(0, 1000),
  })
}

const without = (secrets: string[], text: string) =>
  secrets.filter((secret) => secret !== '').reduce((left, secret) => left.replaceAll(secret, '…'), text)

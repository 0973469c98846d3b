import { Deployment } from '@slipway/contract/deployment-shape'
import { ask, type ForwardParts } from './forward.ts'
import type { find } from './link-store.ts'
import { isOwnWord } from './own-word.ts'

type Link = NonNullable<Awaited<ReturnType<typeof find>>>
type Parts = Pick<ForwardParts, 'keys' | 'cloudPassage'>
type By = { orgId: string; requestId: string }
/** `ids`: of all that it named, also of what has a form that we do not know. */
export type Listed = { found: Deployment[]; ids: ReadonlySet<string> }

/** A list of deployments as the cloud has them now. Null: what answered gave none. Rejects as `ask` does. */
export async function askList(
  parts: Parts,
  by: By,
  link: Link,
  { query, signal }: { query: string; signal: AbortSignal },
): Promise<Listed | null> {
  const headers = { accept: 'application/json' }
  const call = { method: 'GET', path: `/api/deployments?${query}`, headers, body: null }
  const answer = await ask(parts, by, link, call, { signal })
  return answer.status === 200 && isOwnWord(answer) && 'body' in answer ? listIn(answer.body) : null
}

/**
 * Which of what was asked about the cloud does not have any more. An answer that names something else was not to this question: a cloud that
 * does not know it, and then nothing is known to be gone.
 */
export const goneIn = ({ ids }: Listed, asked: string[]): string[] =>
  [...ids].every((id) => asked.includes(id)) ? asked.filter((id) => !ids.has(id)) : []

const ID = /^dep_[0-9a-z]{1,60}$/

function listIn(body: Buffer): Listed | null {
  const { data } = Object(parsed(body)) as { data?: unknown }
  if (!Array.isArray(data)) return null
  const ids = data.map((one) => (Object(one) as { id?: unknown }).id)
  if (!ids.every((id) => typeof id === 'string' && ID.test(id))) return null
  return { found: data.flatMap((one) => Deployment.safeParse(one).data ?? []), ids: new Set(ids as string[]) }
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}

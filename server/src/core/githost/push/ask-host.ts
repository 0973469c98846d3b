import { Refusal } from '../../../errors.ts'
import type { BaseParts } from '../../parts.ts'
import { failed } from '../refuse.ts'
import type { GithostParts } from '../sources.ts'
import { read } from '../use.ts'
import { type HeadKey, named } from './head-store.ts'

export type PushParts = GithostParts & Pick<BaseParts, 'transport'>

/** What is missing to decide: where the branch is, what its commit says, what differs from the release. */
export type Need = { message: string } | { base: string; sha: string }
export type Question = { key: HeadKey; seq: string; head: boolean; needs: Need[] }

export type Heard = {
  /** Where the branch is, as an answer to a question that was asked at this `seq`. */
  head?: { seq: string; sha: string | null }
  /** No source sees the repository, or it is another one by now. */
  unseen?: boolean
  /** The host could not be asked; not before that. */
  later?: Date
  messages?: Map<string, string | null>
  files?: Map<string, string[] | null>
  via?: 'poll' | 'run'
  repository?: string
}

const DEADLINE_MS = 10_000
const AGAIN_MS = 5000

/** Never rejects: what cannot be found out is said so. */
export async function askHost(parts: PushParts, asked: Question, before: Heard, signal: AbortSignal): Promise<Heard> {
  const { messages = new Map(), files = new Map() } = before
  const facts = { ...before, messages, files }
  const found = await named(parts.db, asked.key.orgId, asked.key.repoId)
  if (!found) return { ...facts, unseen: true }
  const at = { owner: found.owner, name: found.name }
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)])
  const how = { orgId: asked.key.orgId, owner: at.owner, signal: deadline, background: true }
  for (const need of asked.needs) {
    // Doubt deploys.
    if ('message' in need)
      messages.set(
        need.message,
        await read(parts, how, (host) => host.commitMessage(at, need.message)).catch(() => null),
      )
    else
      files.set(
        `${need.base} ${need.sha}`,
        await read(parts, how, (host) => host.changedFiles(at, need.base, need.sha)).catch(() => null),
      )
  }
  if (!asked.head) return facts
  const repository = `${at.owner}/${at.name}`
  try {
    const sha = await read(parts, how, async (host) => {
      const [seen] = await host.heads([{ ...at, ref: asked.key.ref }])
      // The name may have been given to another repository since.
      if (seen === undefined || seen.repoId !== Number(asked.key.repoId))
        throw failed('not_found', 'Not this repository.')
      return seen.sha
    })
    return { ...facts, repository, head: { seq: asked.seq, sha } }
  } catch (error) {
    if (error instanceof Refusal && (error.code === 'not_found' || error.code === 'githost_not_connected'))
      return { ...facts, unseen: true }
    const seconds = error instanceof Refusal ? error.details.retryAfter : undefined
    return { ...facts, later: new Date(Date.now() + Math.min(600, seconds ?? AGAIN_MS / 1000) * 1000) }
  }
}

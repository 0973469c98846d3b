import { holds, type Permission } from '@slipway/contract/permissions'
import type { Caller } from '../../access/caller.ts'
import { findSessions, findTokens } from '../../access/store.ts'
import type { BaseParts } from '../../parts.ts'
import { projectsStillThere } from '../../projects/store.ts'
import { mayLinkInstances } from '../../tokens/links/issue.ts'
import { linksStillThere } from '../../tokens/links/store.ts'
import { stillThere } from '../rows/store.ts'

/** Who follows what: a deployment, whatever serves for a project, or what is relayed to a linked instance. */
export type Viewer = { caller: Caller; target: { deployment: string } | { project: string } | { link: string } }

const AT_ONCE = 1000

/**
 * Those who would be let in again: the credential is there and has not expired, its person is still a member whose role
 * allows it, and what they watch is still there. However many watch, it is one question per thousand credentials, deployments,
 * projects and links.
 */
export async function mayGoOn(
  { pool, db }: Pick<BaseParts, 'pool' | 'db'>,
  viewers: readonly Viewer[],
): Promise<Set<Viewer>> {
  const callers = new Map(viewers.map(({ caller }) => [keyOf(caller), caller]))
  const known = new Map<string, Held>()
  for (const some of chunks([...callers.values()])) {
    for (const row of await held(pool, some)) known.set(keyOf({ credentialId: row.id, orgId: row.org_id }), row)
  }
  const there = new Set([
    ...(await found(viewers, 'deployment', (some) => stillThere(db, some))),
    ...(await found(viewers, 'project', (some) => projectsStillThere(db, some))),
    ...(await found(viewers, 'link', (some) => linksStillThere(db, some))),
  ])
  return new Set(viewers.filter((one) => isHeld(known.get(keyOf(one.caller)), one) && there.has(idOf(one.target))))
}

const idOf = (target: Viewer['target']) => Object.values(target)[0] ?? ''
const neededFor = (target: Viewer['target']): Permission => ('link' in target ? 'githost:read' : 'deployment:read')
const isHeld = (row: Held | undefined, { target }: Viewer) =>
  row !== undefined &&
  holds(row.role, row.scopes && new Set(row.scopes), neededFor(target)) &&
  (!('link' in target) || mayLinkInstances(row.role))

type Asked = { id: string; orgId: string }

async function found(
  viewers: readonly Viewer[],
  kind: 'deployment' | 'project' | 'link',
  ask: (some: Asked[]) => Promise<string[]>,
): Promise<string[]> {
  const ofKind = viewers.filter(({ target }) => kind in target)
  const targets = new Map(ofKind.map(({ caller, target }) => [idOf(target), { id: idOf(target), orgId: caller.orgId }]))
  const there: string[] = []
  for (const some of chunks([...targets.values()])) there.push(...(await ask(some)))
  return there
}

/** A session works in the organization that it was in when it opened the stream. */
const keyOf = ({ credentialId, orgId }: Pick<Caller, 'credentialId' | 'orgId'>) => `${credentialId} ${orgId}`

type Held = Awaited<ReturnType<typeof findTokens>>[number] | Awaited<ReturnType<typeof findSessions>>[number]

async function held(pool: BaseParts['pool'], callers: Caller[]): Promise<Held[]> {
  const of = (kind: Caller['kind']) => callers.filter((caller) => caller.kind === kind)
  const [tokens, sessions] = [of('token'), of('session')]
  return [
    ...(tokens.length === 0 ? [] : await findTokens(pool, [tokens.map(({ credentialId }) => credentialId)])),
    ...(sessions.length === 0
      ? []
      : await findSessions(pool, [sessions.map((one) => one.credentialId), sessions.map((one) => one.orgId)])),
  ]
}

function* chunks<T>(all: T[]): Generator<T[]> {
  for (let at = 0; at < all.length; at += AT_ONCE) yield all.slice(at, at + AT_ONCE)
}

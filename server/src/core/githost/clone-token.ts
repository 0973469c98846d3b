import type { ErrorCode } from '@slipway/contract/errors'
import { holds } from '@slipway/contract/permissions'
import type { GitCredential, GitFailureCode } from '../../drivers/git/git.ts'
import { DriverFailure, Refusal } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import type { ProjectRow } from '../projects/store.ts'
import { choose } from './choose-source.ts'
import { type Asked, type Named, requireRepository } from './find.ts'
import * as mirror from './mirror-store.ts'
import { perMinute } from './per-minute.ts'
import { failureIn, refusalFor, refusalOf } from './refuse.ts'
import { nameIn } from './repository-address.ts'
import { type AppSource, factsOf, type GithostParts, mint, type Source, sourcesOf, tokenOf } from './sources.ts'
import { read } from './use.ts'

const limit = perMinute(30, 'clone tokens')
const READ_ONLY = { contents: 'read', metadata: 'read' } as const

/** A token for one repository and for reading alone, made for this call and kept nowhere. */
export async function cloneToken(parts: GithostParts, caller: Caller, asked: Asked) {
  if (!holds(caller.role, null, 'githost:write')) {
    throw new Refusal('permission_denied', 'Viewers get no clone tokens.', {
      requires: 'githost:write',
      hint: `The role ${caller.role} does not include it; ask an owner of the organization.`,
    })
  }
  const sources = await sourcesOf(parts, caller.orgId)
  if (sources.length === 0) throw refusalFor({ refuse: 'no_installation' })
  const { row, keys, at } = await requireRepository(parts, caller, asked)
  const seeing = sources.filter(({ key }) => keys.has(key))
  const choice = choose('clone_token', factsOf(seeing))
  if ('refuse' in choice) throw refusalFor(choice)
  limit(caller.userId)
  const source = seeing.find((one): one is AppSource => one.kind === 'app')
  if (source === undefined) throw refusalFor({ refuse: 'no_installation' })
  const { token, expiresAt } = await narrowed(parts, source, Number(row.repoId), asked.signal).catch(
    (error: unknown) => {
      const failure = failureIn(error)
      if (failure?.code === 'invalid' || failure?.code === 'not_found') throw refusalFor({ refuse: 'no_installation' })
      throw failure ? refusalOf(failure) : error
    },
  )
  await record(parts.db, caller, 'githost.clone_token', `${at.owner}/${at.name}`, {
    expiresAt: expiresAt.toISOString(),
  })
  const { url } = parts.config.githost
  const cloneUrl = `${url}/${at.owner}/${at.name}.git`
  return { token, cloneUrl, command: commandFor(url, cloneUrl), expiresAt: expiresAt.toISOString() }
}

const narrowed = (parts: GithostParts, source: AppSource, repoId: number, signal: AbortSignal) =>
  mint(parts, source, { repositoryIds: [repoId], permissions: READ_ONLY }, signal)

/** Asks for the token on the terminal: it is in no argument, in no file and in no history. */
const commandFor = (url: string, cloneUrl: string) =>
  `read -rs T && GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=http.${url}/.extraHeader ` +
  `GIT_CONFIG_VALUE_0="Authorization: Basic $(printf 'x-access-token:%s' "$T" | base64 -w0)" git clone ${cloneUrl}; unset T`

type Linked = Pick<ProjectRow, 'orgId' | 'githostAllowed' | 'githostRepoId'>

/**
 * How a deployment reads a repository of the connected host; null: as a stranger. Only where whoever named the address
 * may read with the connection, and an installation's token is good for that repository alone.
 */
export async function connectedCredential(
  parts: GithostParts,
  project: Linked,
  repository: string,
  signal: AbortSignal,
): Promise<GitCredential | null> {
  const named = nameIn(parts.config.githost.url, repository)
  if (named === null || !project.githostAllowed) return null
  try {
    const found = await locate(parts, project.orgId, named, signal)
    if (found === null) return null
    // The name may have been given to another repository since.
    if (project.githostRepoId !== null && found.id !== project.githostRepoId) throw otherRepository(named)
    // A former name says nothing about who may see what it leads to.
    if (project.githostRepoId === null && !found.isNamed) return null
    return { kind: 'token', username: 'x-access-token', token: await tokenFor(parts, found.source, found.id, signal) }
  } catch (error) {
    throw asGitFailure(error)
  }
}

/** The first source that sees it; null: none does, so it is public or unknown to them. */
async function locate(parts: GithostParts, orgId: string, { owner, name }: Named, signal: AbortSignal) {
  const sources = await sourcesOf(parts, orgId)
  const viewer = { orgId, role: 'owner' as const, keys: sources.map(({ key }) => key) }
  const [row] = await mirror.find(parts.db, viewer, owner, name)
  const source = sources.find(({ key }) => key === row?.sourceKey)
  if (row && source) return { source, id: row.repoId, isNamed: true }
  if (sources.length === 0) return null
  return read(parts, { orgId, owner, signal }, async (host, source) => {
    const seen = await host.repository({ owner, name })
    return { source, id: String(seen.id), isNamed: mirror.keyOf(seen.owner, seen.name) === mirror.keyOf(owner, name) }
  }).catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 'not_found') return null
    throw error
  })
}

async function tokenFor(parts: GithostParts, source: Source, id: string, signal: AbortSignal) {
  if (source.kind !== 'app') return tokenOf(parts, source, signal)
  return (await narrowed(parts, source, Number(id), signal)).token
}

const otherRepository = ({ owner, name }: Named) =>
  new Refusal('not_found', `${owner}/${name} is another repository than the one that was linked.`, {
    hint: 'It was deleted, renamed or transferred: set the repository of the project again.',
  })

const GIT_CODES: Partial<Record<ErrorCode, GitFailureCode>> = {
  not_found: 'git_repository_not_found',
  githost_busy: 'git_unreachable',
  githost_unreachable: 'git_unreachable',
  cloud_unreachable: 'git_unreachable',
}

/** A deployment knows what git could not do, and says it in its own words. */
function asGitFailure(error: unknown): unknown {
  const failure = failureIn(error)
  const refusal = failure ? refusalOf(failure) : error
  if (!(refusal instanceof Refusal)) return error
  const code = GIT_CODES[refusal.code] ?? 'git_auth_failed'
  const hint = refusal.details.hint ?? 'Look at the connection to the git host.'
  return new DriverFailure('git', code, refusal.message, { hint })
}

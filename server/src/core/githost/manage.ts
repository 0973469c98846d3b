import type { NewRepository } from '@slipway/contract/githost'
import { transaction } from '../../db/database.ts'
import { Refusal } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import { type Asked, requireRepository } from './find.ts'
import { rankOf, shown } from './mirror.ts'
import * as mirror from './mirror-store.ts'
import { failureIn, refusalFor } from './refuse.ts'
import { type GithostParts, type Source, sourcesOf } from './sources.ts'
import { write } from './use.ts'

export async function createRepository(parts: GithostParts, caller: Caller, input: NewRepository, signal: AbortSignal) {
  const sources = await sourcesOf(parts, caller.orgId)
  if (sources.length === 0) throw refusalFor({ refuse: 'githost_not_connected' })
  const owner = input.owner ?? onlyAccount(sources)
  const isPerson = sources.some((source) => same(source.login, owner) && isOfPerson(source))
  const operation = isPerson ? 'create_for_person' : 'create_in_organization'
  const { made, source } = await write(
    parts,
    operation,
    { orgId: caller.orgId, owner, signal },
    async (host, source) => {
      if (isPerson && !same(source.login, owner)) throw refusalFor({ refuse: 'githost_forbids' })
      const made = await host
        .create({ organization: isPerson ? null : owner }, input.name, input.private)
        .catch((error: unknown) => {
          const failure = failureIn(error)
          if (failure?.code === 'invalid' && /already exists/i.test(failure.message)) throw nameTaken(owner, input.name)
          throw error
        })
      return { made, source }
    },
  )
  await transaction(parts.db, async (tx) => {
    await mirror.keep(tx, { orgId: caller.orgId, key: source.key, rank: rankOf(source) }, [made])
    const detail = { private: made.private, source: source.kind }
    await record(tx, caller, 'githost.repository.create', `${made.owner}/${made.name}`, detail)
  })
  const rows = await mirror.find(
    parts.db,
    { orgId: caller.orgId, role: 'owner', keys: [source.key] },
    made.owner,
    made.name,
  )
  const [row] = rows
  if (row === undefined) throw new Error('a repository that was just kept is not there')
  return { data: shown(parts, row) }
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
const isOfPerson = (source: Source) => source.kind !== 'app' || source.link.accountType !== 'Organization'

function onlyAccount(sources: Source[]): string {
  const [only, second] = new Set(sources.map(({ login }) => login))
  if (only !== undefined && second === undefined) return only
  throw new Refusal('invalid_request', 'owner: several accounts are connected.', {
    field: 'owner',
    hint: 'Say which of them is to own the repository; GET /api/githost/status lists them.',
  })
}

const nameTaken = (owner: string, name: string) =>
  new Refusal('name_taken', `${owner} has a repository named ${name} already.`, {
    field: 'name',
    hint: 'Choose another name.',
  })

/** The projects stay: what they run is not at the host. */
export async function removeRepository(parts: GithostParts, caller: Caller, asked: Asked) {
  const { row, at, keys } = await requireRepository(parts, caller, asked)
  const { orgId } = caller
  await write(parts, 'delete', { orgId, keys, owner: at.owner, signal: asked.signal }, (host) => host.remove(at))
  return transaction(parts.db, async (tx) => {
    const projects = (await mirror.projectsOf(tx, caller.orgId, row.repoId)).map(({ name }) => name)
    await mirror.forget(tx, caller.orgId, row.repoId)
    await record(tx, caller, 'githost.repository.delete', `${at.owner}/${at.name}`, { projects })
    return { success: true as const, projects }
  })
}

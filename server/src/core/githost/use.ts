import type { GitHostFailure, HostSession } from '../../drivers/githost/githost.ts'
import { notFound } from '../../errors.ts'
import { choose, type Operation } from './choose-source.ts'
import { failureIn, refusalFor, refusalOf } from './refuse.ts'
import { covers, factsOf, type GithostParts, open, type Source, sourcesOf } from './sources.ts'
import { markBroken } from './store.ts'

/** `keys`: the sources that see the repository; an installation on its owner may leave it out. */
type Asked = { orgId: string; owner: string; signal: AbortSignal; background?: boolean; keys?: Set<string> }
type Work<T> = (host: HostSession, source: Source) => Promise<T>

/** Asks one source after the other. Only when all of them say so, there is no such thing. */
export async function read<T>(parts: GithostParts, asked: Asked, work: Work<T>): Promise<T> {
  const all = await sourcesOf(parts, asked.orgId)
  const choice = choose('read', factsOf(all))
  if ('refuse' in choice) throw refusalFor(choice)
  const asking = all.filter(covers(asked.owner))
  const broken: GitHostFailure[] = []
  let hidden: GitHostFailure | undefined
  let away: GitHostFailure | undefined
  for (const source of asking) {
    try {
      return await work(open(parts, source, asked), source)
    } catch (error) {
      const failure = failureIn(error)
      if (failure === null) throw error
      if (failure.code === 'busy' || failure.code === 'unreachable') throw refusalOf(failure)
      if (failure.code === 'unauthorized') {
        broken.push(failure)
        await markBroken(parts.db, source, failure.message)
      } else if (failure.code === 'cloud_unreachable') away ??= failure
      else if (failure.code !== 'not_found') hidden ??= failure
    }
  }
  // Nobody was there to say that it does not exist.
  if (away) throw refusalOf(away)
  if (broken[0] && broken.length === asking.length) throw refusalOf(broken[0])
  throw hidden ? refusalOf(hidden) : notFound('repository')
}

/** Exactly one source changes something; what it cannot, no other does in its place. */
export async function write<T>(parts: GithostParts, operation: Operation, asked: Asked, work: Work<T>): Promise<T> {
  const { orgId, owner, keys } = asked
  const all = (await sourcesOf(parts, orgId))
    .filter(covers(owner))
    .filter(({ kind, key }) => kind !== 'app' || keys === undefined || keys.has(key))
  const choice = choose(operation, factsOf(all))
  if ('refuse' in choice) throw refusalFor(choice)
  const source = 'use' in choice ? all.find(({ kind }) => kind === choice.use[0]) : undefined
  if (source === undefined) throw new Error(`no source for ${operation}`)
  try {
    return await work(open(parts, source, asked), source)
  } catch (error) {
    const failure = failureIn(error)
    if (failure?.code === 'unauthorized') await markBroken(parts.db, source, failure.message)
    throw failure ? refusalOf(failure) : error
  }
}

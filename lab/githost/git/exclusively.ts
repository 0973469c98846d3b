import type { Repository } from '../model.ts'

const last = new WeakMap<Repository, Promise<unknown>>()

/** A mutex for each repository: whoever moves refs sees what the one before has left, and is alone until it is done. */
export function exclusively<T>(repository: Repository, work: () => Promise<T>): Promise<T> {
  const done = (last.get(repository) ?? Promise.resolve()).then(work)
  last.set(
    repository,
    done.catch(() => {}),
  )
  return done
}

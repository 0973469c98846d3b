import { join } from 'node:path'
import { type Content, looked, statsOf } from './walk.ts'

/** What nobody has touched for so long was whole when it was read. */
const AT_REST_MS = 60_000

/**
 * Files that somebody is still writing: empty or half there when they were read, they would be deployed so. Only what was touched
 * shortly before this program began or since is looked at again; of a folder that rests that is nothing.
 */
export function stillChanging(root: string, contents: Content[]): Content[] {
  const since = Date.now() - performance.now() - AT_REST_MS
  return contents.filter(({ path, stamp, changedMs }) => {
    if (changedMs <= since) return false
    const now = statsOf(join(root, path))
    return now === null || looked(now).stamp !== stamp
  })
}

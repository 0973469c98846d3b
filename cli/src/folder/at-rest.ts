import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { inLanes } from './lanes.ts'
import { type Content, looked } from './walk.ts'

const LANES = 8
/** What nobody has touched for so long was whole when it was read. */
const AT_REST_MS = 60_000

/**
 * Files that somebody is still writing: empty or half there when they were read, they would be deployed so. Only what was touched
 * shortly before this program began or since is looked at again; of a folder that rests that is nothing.
 */
export async function stillChanging(root: string, contents: Content[]): Promise<Content[]> {
  const since = Date.now() - performance.now() - AT_REST_MS
  const changing: Content[] = []
  const touched = contents.filter(({ changedMs }) => changedMs > since)
  await inLanes(LANES, touched, async (file) => {
    const now = await lstat(join(root, file.path)).catch(() => null)
    if (now === null || looked(now).stamp !== file.stamp) changing.push(file)
  })
  return changing
}

import type { FolderFile, FolderSession } from '@slipway/contract/folder-sessions'
import { openTree, type Tree } from '../../uploads/tree.ts'
import type { Ask } from './ask-cloud.ts'
import { type Promoting, perform } from './perform.ts'

const AT_ONCE = 4
/** Thousands of names are looked at, and what is large is brought to a disk. */
const SLOW_MS = 60_000
const SESSIONS = '/api/projects/folder-sessions'

/** An uploaded folder goes along, as far as the cloud lacks it. Repositories and images the cloud fetches itself. */
export async function sendSource(promoting: Promoting): Promise<string | null> {
  const { parts, run, promotion } = promoting
  const { uploadSessionId } = promotion.asked.source
  return perform(promoting, 'source', async (ask) => {
    if (uploadSessionId === undefined) return null
    const tree = await openTree(parts, run.orgId, uploadSessionId)
    const json = { mode: 'cloud', files: tree.entries.map(announced) }
    const announce = { method: 'POST', path: SESSIONS, json, key: `promote-${run.id}`, slowMs: SLOW_MS } as const
    const begun = (await ask(announce)).body as FolderSession
    const path = `${SESSIONS}/${encodeURIComponent(begun.uploadSessionId)}`
    // What the first answer said is old where it is repeated.
    const { state, missing } = (await ask({ method: 'GET', path })).body as FolderSession
    if (state === 'open') {
      await sendContents(tree, missing, `${path}/blobs`, ask)
      await ask({ method: 'POST', path: `${path}/seal`, slowMs: SLOW_MS })
    }
    return begun.uploadSessionId
  })
}

type Entry = Tree['entries'][number]
const announced = (entry: Entry): FolderFile =>
  entry.kind === 'link'
    ? { path: entry.path, link: entry.target }
    : { path: entry.path, sha256: entry.sha256, size: entry.size, mode: entry.mode }

/** Some at a time, each read as it is sent: what is held of them at once does not grow with the folder. */
async function sendContents(tree: Tree, missing: string[], path: string, ask: Ask): Promise<void> {
  const files = new Map(tree.entries.flatMap((one) => (one.kind === 'file' ? [[one.sha256, one] as const] : [])))
  const left = missing.values()
  let failed = false
  const send = async () => {
    for (const sha of left) {
      const file = files.get(sha)
      if (failed || !file) continue
      const body = { chunks: contentOf(tree, file), bytes: file.size }
      await ask({ method: 'PUT', path: `${path}/${sha}`, body, slowMs: SLOW_MS }).catch((error) => {
        failed = true
        throw error
      })
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, send))
  const broken = ends.find((one) => one.status === 'rejected')
  if (broken) throw broken.reason
}

/** Opened when somebody begins to read. */
async function* contentOf(tree: Tree, file: { path: string; sha256: string }): AsyncGenerator<Buffer> {
  yield* (await tree.read(file)) as AsyncIterable<Buffer>
}

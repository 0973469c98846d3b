import { ApiError } from '@slipway/contract/client'
import type { Preparation } from '@slipway/contract/prepare'
import type { Instance } from '../instance/instance.ts'
import { checksum } from './checksum.ts'
import { sendBatch } from './send-batch.ts'
import { announce } from './upload.ts'
import { type Content, walk } from './walk.ts'

/** What says of a folder what it is; whatever else is looked at is sent when it is asked for. */
const TELLING =
  /^(package\.json|.*lock.*|[Dd]ockerfile|(docker-)?compose\.ya?ml|next\.config\..*|vite\.config\..*|requirements.*\.txt|pyproject\.toml|go\.mod|Cargo\.toml|Gemfile|composer\.json|index\.html|Procfile)$/
/** A lock file of some size is told by its name. */
const MOST_BYTES = 256 * 1024
const MOST_ROUNDS = 20

/** What an instance sees in a folder, of which it gets only the files that tell it. Null where it cannot say. */
export async function recognise(instance: Instance, root: string, signal: AbortSignal): Promise<Preparation | null> {
  const { contents: found, links } = await walk(root)
  if (found.length === 0) return null
  const { contents } = await checksum(root, found, null, signal)
  const uploads = await instance.uploads(2)
  try {
    const { uploadSessionId: id, missing } = await announce({ uploads, contents, links, mode: 'local', signal })
    const bySum = new Map(contents.map((file) => [file.sha256, file]))
    const send = async (files: Content[]) => {
      if (files.length > 0) await sendBatch(uploads, { id, root, files, signal, onBytes: () => {} })
    }
    const isTelling = ({ path, size }: Content) => size <= MOST_BYTES && TELLING.test(path)
    await send(missing.flatMap((sum) => bySum.get(sum) ?? []).filter(isTelling))
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const answer = await look(instance, id)
      if (!('needs' in answer)) return answer.found
      await send(answer.needs.flatMap((sum) => bySum.get(sum) ?? []))
    }
    return null
  } finally {
    uploads.close()
  }
}

async function look(
  { api }: Instance,
  uploadSessionId: string,
): Promise<{ found: Preparation | null } | { needs: string[] }> {
  try {
    return { found: await api.deployments.prepare({ body: { source: 'local', uploadSessionId } }) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code, missing } = error.body as { code: string; missing?: string[] }
    if (code === 'blobs_missing' && missing !== undefined) return { needs: missing }
    // It says nothing about a folder that it would not deploy, and one may begin with an empty one.
    if (error.status === 400 || error.status === 403) return { found: null }
    throw error
  }
}

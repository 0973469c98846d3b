import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const OLD_MS = 24 * 3600 * 1000

/** The one DOCKER_CONFIG of all builds. buildx keeps its node id there, and adds a file per build that nothing of ours reads. */
export async function configFolder(scratch: string): Promise<string> {
  const folder = join(scratch, 'docker')
  const references = join(folder, 'buildx/refs/default/default')
  await mkdir(references, { recursive: true, mode: 0o700 })
  for (const name of await readdir(references)) await removeOld(join(references, name))
  return folder
}

async function removeOld(file: string): Promise<void> {
  // Another build may have removed it meanwhile.
  const mtimeMs = await stat(file).then(
    (found) => found.mtimeMs,
    () => Date.now(),
  )
  if (Date.now() - mtimeMs > OLD_MS) await rm(file, { force: true })
}

import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { addressOf, type RegistryLogin } from '../engine/registry-login.ts'

const OLD_MS = 24 * 3600 * 1000

/**
 * The DOCKER_CONFIG of one build, in its own folder, which is gone with it: a program's arguments and its environment can be read by
 * others, and BuildKit asks buildx for a password only when a registry wants one.
 */
export async function loginFolder(work: string, logins: RegistryLogin[]): Promise<string> {
  const folder = join(work, 'docker')
  await mkdir(folder, { mode: 0o700 })
  const auths = Object.fromEntries(
    logins.map(({ host, username, password }) => [
      addressOf(host),
      { auth: Buffer.from(`${username}:${password}`).toString('base64') },
    ]),
  )
  await writeFile(join(folder, 'config.json'), JSON.stringify({ auths }), { flag: 'wx', mode: 0o600 })
  return folder
}

/** Where buildx keeps its node id, for all builds; it adds a file per build that nothing of ours reads. */
export async function stateFolder(scratch: string): Promise<string> {
  const folder = join(scratch, 'docker/buildx')
  const references = join(folder, 'refs/default/default')
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

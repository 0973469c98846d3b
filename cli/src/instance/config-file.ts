import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { EXIT, Failure } from '../failure.ts'

/** An instance that somebody is signed in to. */
type Context = { url: string; token: string; tokenId: string | null; expiresAt: string | null }
export type Config = { current: string | null; contexts: Record<string, Context> }

type Env = NodeJS.ProcessEnv

export const configFile = (env: Env): string =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'slipway', 'config.json')

/** What is remembered; nothing, before the first login. Tokens lie in it, so a file that others may read is refused. */
export async function readConfig(env: Env): Promise<Config> {
  const file = configFile(env)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw new Failure(EXIT.unexpected, 'config_unreadable', `${file} cannot be read: ${error.message}`)
  })
  if (text === null) return { current: null, contexts: {} }
  await requireOwn(dirname(file), 0o700)
  await requireOwn(file, 0o600)
  return parsed(text, file)
}

async function requireOwn(path: string, mode: number): Promise<void> {
  if (process.platform === 'win32') return
  const found = (await stat(path)).mode & 0o777
  if ((found & ~mode) === 0) return
  const right = mode.toString(8)
  throw new Failure(
    EXIT.unexpected,
    'config_open_to_others',
    `${path} may be read by others (mode ${found.toString(8)}), and access tokens lie there.`,
    `Mend it: chmod ${right} ${path}`,
  )
}

function parsed(text: string, file: string): Config {
  try {
    const { current = null, contexts } = JSON.parse(text) as Partial<Config>
    if (typeof contexts === 'object' && contexts !== null) return { current, contexts }
  } catch {}
  throw new Failure(
    EXIT.unexpected,
    'config_broken',
    `${file} is not as slipway wrote it.`,
    `Remove it and sign in again: rm ${file}`,
  )
}

/** Whole or not at all: somebody may read it at this moment, or the machine stop. */
export async function writeConfig(env: Env, config: Config): Promise<void> {
  const file = configFile(env)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const beside = `${file}.${process.pid}.new`
  try {
    const handle = await open(beside, 'w', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify(config, null, 2)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(beside, file)
  } catch (error) {
    await rm(beside, { force: true })
    throw new Failure(EXIT.unexpected, 'config_unwritable', `${file} cannot be written: ${(error as Error).message}`)
  }
}

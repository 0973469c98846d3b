import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { EXIT, Failure } from '../failure.ts'
import { fileText } from '../file-text.ts'

/** An instance that somebody is signed in to. */
type Context = { url: string; token: string; tokenId: string | null; expiresAt: string | null }
export type Config = { current: string | null; contexts: Record<string, Context> }

type Env = NodeJS.ProcessEnv

export const configFile = (env: Env): string =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'slipway', 'config.json')

/** What is remembered; nothing, before the first login. Tokens lie in it, so a file that others may read is refused. */
export function readConfig(env: Env): Config {
  const file = configFile(env)
  const text = fileText(file, 'config_unreadable')
  if (text === null) return { current: null, contexts: {} }
  requireOwn(dirname(file), 0o700)
  requireOwn(file, 0o600)
  return parsed(text, file)
}

function requireOwn(path: string, mode: number): void {
  if (process.platform === 'win32') return
  const found = statSync(path).mode & 0o777
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
export function writeConfig(env: Env, config: Config): void {
  const file = configFile(env)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const beside = `${file}.${process.pid}.new`
  try {
    const handle = openSync(beside, 'w', 0o600)
    try {
      writeFileSync(handle, `${JSON.stringify(config, null, 2)}\n`)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(beside, file)
  } catch (error) {
    rmSync(beside, { force: true })
    throw new Failure(EXIT.unexpected, 'config_unwritable', `${file} cannot be written: ${(error as Error).message}`)
  }
}

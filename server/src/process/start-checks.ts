import { chmod, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'

type Log = { warn(facts: object, words: string): void }

/** Folders of the data directory. What is kept in them is nobody's business on this machine but ours. */
const FOLDERS = ['blobs', 'builds', 'contexts', 'logs', 'repositories']

/**
 * What an operator should hear before anything runs; only what cannot be mended is told. Comes after the data directory
 * is known to be ours: another one's is left as it is.
 */
export async function checkStart(config: Config, log: Log): Promise<void> {
  await closeFolders(config.dataDir, log)
  const host = new URL(config.publicUrl).hostname
  if (areRelated(config.baseDomain, host)) {
    log.warn(
      { baseDomain: config.baseDomain, publicUrl: config.publicUrl },
      'applications get names that are related to the address of this instance: browsers take both for one site. Use a domain of its own as SLIPWAY_BASE_DOMAIN',
    )
  }
}

/** Sources and logs below them have the modes of their own: the first level is what keeps other users out. */
async function closeFolders(dataDir: string, log: Log): Promise<void> {
  for (const folder of FOLDERS.map((name) => join(dataDir, name))) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const isOpen = async () => ((await stat(folder)).mode & 0o077) !== 0
    if (await isOpen()) await chmod(folder, 0o700).catch(() => {})
    if (await isOpen()) {
      log.warn({ folder }, 'other users of this machine can read this folder: give it the mode 0700, and to our user')
    }
  }
}

/** Whether browsers take two names for one site: one is below the other, or both are below the same registered name. */
export function areRelated(baseDomain: string, host: string): boolean {
  const isBelow = (name: string, parent: string) => name === parent || name.endsWith(`.${parent}`)
  if (isBelow(host, baseDomain) || isBelow(baseDomain, host)) return true
  const site = (name: string) => name.split('.').slice(-2).join('.')
  return baseDomain.includes('.') && /[a-z]/i.test(host) && site(baseDomain) === site(host)
}

import { realpath } from 'node:fs/promises'
import { dirname, relative, resolve, sep } from 'node:path'
import type { BaseParts } from '../parts.ts'

type Parts = Pick<BaseParts, 'config'>
/** Why something cannot be, and what to do about it. */
export type Why = { message: string; hint: string }

/** null: backups may stay on this machine. */
export function whyNotLocal({ config }: Parts): Why | null {
  if (config.mode === 'cloud') {
    return { message: 'A hosted instance keeps no backups on its own machine.', hint: 'Use another kind.' }
  }
  const hint = 'Its operator sets BACKUP_ALLOW_LOCAL_DESTINATION=true and BACKUP_LOCAL_ROOT to the path of a folder.'
  if (!config.backups.allowLocal) return { message: 'Local destinations are disabled on this instance.', hint }
  if (config.backups.localRoot === null) return { message: 'No folder for local destinations is configured.', hint }
  return null
}

/** null: a server that is this very machine may keep backups, too, in the folder that all servers have for them. */
export function whyNotHere({ config }: Parts): Why | null {
  const why = whyNotLocal({ config: { ...config, backups: { ...config.backups, localRoot: '/' } } })
  return why && { ...why, message: `This server is the machine of the instance. ${why.message}` }
}

/** null: the path lies inside the root, whatever links are on the way. The driver looks again when it opens it. */
export async function whyOutside({ config }: Parts, path: string): Promise<Why | null> {
  const root = config.backups.localRoot ?? ''
  const inside = isInside(root, resolve(path)) && isInside(await real(root), await real(resolve(path)))
  if (inside) return null
  return { message: `${path} is not inside ${root}.`, hint: 'Choose an absolute path inside BACKUP_LOCAL_ROOT.' }
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`))
}

/** Where a path leads, as far as it exists. */
async function real(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : resolve(await real(above), relative(above, path))
  }
}

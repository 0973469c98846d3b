import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Files that probes left where they could have been deleted. */
export const leftovers = (...folders: string[]): string[] =>
  folders.filter(existsSync).flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.startsWith('probe-'))
      .map(({ parentPath, name }) => join(parentPath, name)),
  )

/** Folders that this proof has made in the home of the lab's user. */
export function clearHome(home: string): void {
  for (const name of readdirSync(home)) {
    const ours = name === '.slipway-probes' || name.endsWith(`-${process.pid}`)
    if (ours) rmSync(join(home, name), { recursive: true, force: true })
  }
}

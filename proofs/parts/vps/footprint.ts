import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Every file below the folders of a machine: what it is, whose, and the hash of what is in it. */
export function footprint(root: string, folders: string[], leaving: RegExp[] = []): Map<string, string> {
  const found = new Map<string, string>()
  const visit = (path: string) => {
    const name = `/${relative(root, path)}`
    if (leaving.some((one) => one.test(name))) return
    const { mode, uid, gid, size } = lstatSync(path)
    const kind = lstatSync(path)
    const rights = `${mode.toString(8)} ${uid}:${gid}`
    if (kind.isSymbolicLink()) found.set(name, `link ${readlinkSync(path)}`)
    else if (kind.isFile())
      found.set(name, `${rights} ${size} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`)
    else if (kind.isDirectory()) {
      found.set(name, rights)
      for (const child of readdirSync(path)) visit(join(path, child))
    }
  }
  for (const folder of folders) visit(join(root, folder))
  return found
}

/** What differs, as lines that can be read. */
export function differences(before: Map<string, string>, after: Map<string, string>): string[] {
  const gone = [...before.keys()].filter((name) => !after.has(name)).map((name) => `gone: ${name}`)
  const changed = [...after].flatMap(([name, is]) => {
    const was = before.get(name)
    return was === is ? [] : [`${was === undefined ? 'new' : 'changed'}: ${name}`]
  })
  return [...gone, ...changed]
}

import { type FolderRules, folderRules, nameFault, RULE_FILES } from '@slipway/contract/folder-rules'
import ignore from 'ignore'
import { namesIn } from '../variables/read-env.ts'
import type { Entry } from './entry.ts'
import { type FolderFile, readFolderFile } from './folder-file.ts'

export type Listed = { path: string; file: File }

/** A folder as it is to be sent. */
export type ReadFolder = {
  name: string
  files: Listed[]
  bytes: number
  /** What the rules leave out; a folder ends with a slash, and nobody has looked into it. */
  leftOut: string[]
  /** What cannot be sent, and why. */
  unsendable: { path: string; because: string }[]
  /** Names of variables in its `.env` files. The files themselves stay where they are, and so do the values. */
  variables: string[]
  /** What slipway.json says. */
  said: FolderFile
}

/** More is no file of variables. */
const MOST_ENV_BYTES = 256 * 1024

/**
 * Lists what is to be sent, by the same rules as the command line. Folders that are left out are not even opened: node_modules may
 * hold fifty thousand files.
 */
export async function readFolder(roots: Entry[], onFound: (files: number) => void = () => {}): Promise<ReadFolder> {
  const [only] = roots
  const isOne = only?.kind === 'folder' && roots.length === 1
  const top = isOne ? await only.entries() : roots
  const said = await readFolderFile(top)
  const read: Reading = {
    folder: { name: isOne ? only.name : '', files: [], bytes: 0, leftOut: [], unsendable: [], variables: [], said },
    names: new Set(),
    onFound,
  }
  await walk(read, top, '', folderRules(ignore, said))
  read.folder.files.sort((a, b) => (a.path < b.path ? -1 : 1))
  read.folder.leftOut.sort()
  return { ...read.folder, variables: [...read.names].sort() }
}

type Reading = { folder: ReadFolder; names: Set<string>; onFound(files: number): void }

async function walk(read: Reading, entries: Entry[], folder: string, above: FolderRules): Promise<void> {
  const rules = above.below(folder, await ruleTexts(entries))
  for (const entry of entries) {
    const name = sentName(entry.name)
    const path = folder === '' ? name : `${folder}/${name}`
    const shown = entry.kind === 'folder' ? `${path}/` : path
    const because = nameFault(name)
    if (entry.kind === 'file' && name.startsWith('.env')) await noteVariables(read, await entry.file())
    if (because !== null) read.folder.unsendable.push({ path: shown, because })
    else if (rules.leavesOut(shown)) read.folder.leftOut.push(shown)
    else if (entry.kind === 'folder') await walk(read, await entry.entries(), path, rules)
    else take(read, path, await entry.file())
  }
}

function take({ folder, onFound }: Reading, path: string, file: File): void {
  folder.files.push({ path, file })
  folder.bytes += file.size
  onFound(folder.files.length)
}

async function noteVariables({ names }: Reading, file: File): Promise<void> {
  if (file.size > MOST_ENV_BYTES) return
  for (const name of namesIn(await file.text())) names.add(name)
}

const ruleTexts = (entries: Entry[]): Promise<string[]> =>
  Promise.all(
    RULE_FILES.map(async (name) => {
      const found = entries.find((entry) => entry.kind === 'file' && entry.name === name)
      return found?.kind === 'file' ? (await found.file()).text() : ''
    }),
  )

/** macOS hands out names in pieces (NFD) that everybody else writes whole (NFC). */
const sentName = (name: string) =>
  typeof navigator !== 'undefined' && /Mac/.test(navigator.userAgent) ? name.normalize('NFC') : name

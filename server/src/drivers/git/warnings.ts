import { leavingLinks } from './links.ts'
import { type Listed, listCommit } from './listing.ts'
import type { Settings } from './settings.ts'
import { targetsOf, textsOf } from './tree.ts'

/** A list of names in a sentence stays readable up to here. */
const MOST_NAMED = 5

/** What is in the repository and will not be in the build, one sentence each. */
export async function warningsOf(
  settings: Settings,
  directory: string,
  commitSha: string,
  signal: AbortSignal,
): Promise<string[]> {
  const { entries, odd } = await listCommit(settings, directory, commitSha, signal)
  const submodules = entries.filter(({ kind }) => kind === 'submodule').map(({ path }) => path)
  const pointers = await lfsPointers(settings, directory, entries, signal)
  const leaving = [...leavingLinks(await targetsOf(settings, directory, entries, signal))]
  return [
    ...about(submodules, (names) => `Submodules are not fetched; their folders are missing: ${names}.`),
    ...about(pointers, (names) => `Files in Git LFS are not fetched; only their pointers are there: ${names}.`),
    ...about(leaving, (names) => `Links that lead out of the repository are left out: ${names}.`),
    ...odd.slice(0, MOST_NAMED).map(({ path, fault }) => `The path ${quoted(path)} ${fault} and is left out.`),
  ]
}

function about(paths: string[], sentence: (names: string) => string): string[] {
  if (paths.length === 0) return []
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : ''
  return [sentence(`${paths.slice(0, MOST_NAMED).map(quoted).join(', ')}${more}`)]
}

/** Escaped and cut: sentences go to terminals and logs. */
const quoted = (text: string) => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)

const MOST_ATTRIBUTES = 1_000_000
/** A pointer has about 130 bytes; the format allows 1,024. */
const POINTER_BYTES = { least: 100, most: 1024 }

async function lfsPointers(
  settings: Settings,
  directory: string,
  entries: Listed[],
  signal: AbortSignal,
): Promise<string[]> {
  const read = (files: Listed[]) => textsOf(settings, directory, [...new Set(files.map(({ id }) => id))], signal)
  const files = entries.filter(({ kind }) => kind === 'file')
  const attributes = files.filter(({ path, size }) => /(^|\/)\.gitattributes$/.test(path) && size < MOST_ATTRIBUTES)
  const used = [...(await read(attributes)).values()].some((text) => /\bfilter=lfs\b/.test(text))
  if (!used) return []
  const small = files.filter(({ size }) => size >= POINTER_BYTES.least && size <= POINTER_BYTES.most)
  const texts = await read(small)
  return small
    .filter(({ id }) => texts.get(id)?.startsWith('version https://git-lfs.github.com/spec/'))
    .map(({ path }) => path)
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One thing in a folder, an archive or a repository; names and contents are bytes, as an attacker sends them. */
export type Entry = {
  path: string
  kind: 'file' | 'link' | 'hard link' | 'fifo' | 'block' | 'submodule'
  /** Of a file. */
  text: string
  /** Of a link or a submodule. */
  target: string
  mode: number
}

/**
 * refused: the platform says no, with a reason. harmless: it may say yes, and nothing comes of it. `door` is the file of the
 * corpus that it is from.
 */
export type Case = { name: string; want: 'refused' | 'harmless'; door: string; entries: Entry[] }

/** What the words of the corpus in @…@ stand for. */
export type Words = Record<string, string>

const folder = join(import.meta.dirname, 'corpus')

/**
 * Every case of the corpus. A file of it reads like this; each character of what is quoted is one byte:
 *
 *     === refused the-name-of-the-case
 *     --- compose.yaml
 *     services: …
 *     --- Dockerfile (bytes)
 *     "FROM busybox:1\u0085"
 *     --- a/link -> ../target
 *     --- a/hard-link = the/other
 *     --- a/submodule @ 1111111111111111111111111111111111111111
 *     --- "odd\u00ff" (mode 4755)
 *     --- pipe (fifo)
 */
export function readCorpus(words: Words, hostFolder: string): Case[] {
  const cases = readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const blocks = readFileSync(join(folder, file), 'utf8').split(/^=== /m)
      return blocks.slice(1).map((block) => parseCase(file.replace('.cases', ''), block, { words, hostFolder }))
    })
  const names = cases.map(({ name }) => name)
  const twice = names.find((name, n) => names.indexOf(name) !== n)
  if (twice !== undefined) throw new Error(`Two cases are called "${twice}".`)
  return cases
}

/** A word that nobody knows would make a case harmless that is not. */
function fill(text: string, words: Words): string {
  return text.replace(/@([A-Z][A-Z0-9_]*)@/g, (whole, word) => {
    const found = words[word]
    if (found === undefined || found === '') throw new Error(`The corpus asks for ${whole}, which has no value.`)
    return found
  })
}

function parseCase(door: string, block: string, given: { words: Words; hostFolder: string }): Case {
  const [title = '', ...lines] = block.replace(/\n$/, '').split('\n')
  const [, want, name] = /^(refused|harmless) (\S+)$/.exec(title) ?? []
  if (!want || !name) throw new Error(`A case must begin with what it wants and its name: "${title}".`)
  // A folder of its own, so that a change tells who made it.
  const words = { ...given.words, HOSTDIR: join(given.hostFolder, name) }
  return { name, want: want as Case['want'], door, entries: parseEntries(fill(lines.join('\n'), words).split('\n')) }
}

const HEAD = /^--- ("(?:[^"\\]|\\.)*"|\S+)(?: (->|=|@) (.*))?(?: \((bytes|fifo|block|mode \d+)\))?$/
const KINDS: Record<string, Entry['kind']> = {
  '->': 'link',
  '=': 'hard link',
  '@': 'submodule',
  fifo: 'fifo',
  block: 'block',
}

function parseEntries(lines: string[]): Entry[] {
  const entries: (Entry & { bytes: boolean })[] = []
  for (const line of lines) {
    const [, name, sign, target = '', note = ''] = HEAD.exec(line) ?? []
    const last = entries.at(-1)
    if (name !== undefined) {
      const path = name.startsWith('"') ? JSON.parse(name) : latin(name)
      const mode = note.startsWith('mode ') ? Number.parseInt(note.slice(5), 8) : 0o644
      const kind = KINDS[sign ?? note] ?? 'file'
      entries.push({ path, kind, text: '', target: latin(target), mode, bytes: note === 'bytes' })
    } else if (last) last.text += last.bytes ? JSON.parse(line) : latin(`${line}\n`)
  }
  return entries.map(({ bytes: _, ...entry }) => entry)
}

/** As bytes, one character each. */
const latin = (text: string) => Buffer.from(text).toString('latin1')

export const textOf = ({ entries }: Case, path: string): string | undefined => {
  const found = entries.find((entry) => entry.path === path && entry.kind === 'file')
  return found && Buffer.from(found.text, 'latin1').toString()
}

export const file = (path: string, text: string): Entry => ({
  path,
  kind: 'file',
  text: latin(text),
  target: '',
  mode: 0o644,
})

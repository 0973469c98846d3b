import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file's text, or where a link points. */
type CaseFile = string | { link: string }

/**
 * equal: the same as the reference. refused: both refuse. confined: leaves the tree, and ours refuses. bounded: made to
 * exhaust whoever reads it, and ours refuses at once. The reference is not asked about the last two: it reads what lies
 * outside, and takes all the memory it can get.
 */
type Kind = 'equal' | 'refused' | 'confined' | 'bounded'

export type Case = {
  name: string
  kind: Kind
  files: Map<string, CaseFile>
  environment: Record<string, string>
  /** Given by name instead of found. */
  compose?: string[]
  profiles?: string[]
}

const folder = join(import.meta.dirname, 'corpus')

/**
 * Every case of the corpus. A file of it reads like this:
 *
 *     === equal the name of the case
 *     $ env TAG=1 EMPTY=
 *     $ files base.yaml more.yaml
 *     $ profiles debug
 *     --- compose.yaml
 *     services: …
 *     --- a/link -> ../target
 */
export function readCorpus(): Case[] {
  const cases = readdirSync(folder)
    .sort()
    .flatMap((file) => parseCases(readFileSync(join(folder, file), 'utf8')))
  const names = cases.map(({ name }) => name)
  const twice = names.find((name, n) => names.indexOf(name) !== n)
  if (twice !== undefined) throw new Error(`Two cases are called "${twice}".`)
  return cases
}

function parseCases(text: string): Case[] {
  return text
    .split(/^=== /m)
    .slice(1)
    .map((block) => {
      const [title = '', ...lines] = block.split('\n')
      const [, kind, name] = /^(equal|refused|confined|bounded) (.+)$/.exec(title) ?? []
      if (!kind || !name) throw new Error(`A case must begin with its kind and its name: "${title}".`)
      return { name, kind: kind as Kind, ...parseBody(lines) }
    })
}

function parseBody(lines: string[]): Omit<Case, 'name' | 'kind'> {
  const body: Omit<Case, 'name' | 'kind'> = { files: new Map(), environment: {} }
  let path: string | undefined
  for (const line of lines) {
    const [, file, link] = /^--- (\S+)(?: -> (.*))?$/.exec(line) ?? []
    if (file !== undefined) {
      path = link === undefined ? file : undefined
      body.files.set(file, link === undefined ? '' : { link })
    } else if (path !== undefined) body.files.set(path, `${body.files.get(path)}${line}\n`)
    else setting(line, body)
  }
  return body
}

function setting(line: string, body: Omit<Case, 'name' | 'kind'>): void {
  const [, key, rest = ''] = /^\$ (\w+) (.*)$/.exec(line) ?? []
  const words = rest.match(/(?:[^\s"]|"[^"]*")+/g)?.map((word) => word.replaceAll('"', '')) ?? []
  if (key === 'files') body.compose = words
  if (key === 'profiles') body.profiles = words
  if (key !== 'env') return
  for (const word of words) body.environment[word.slice(0, word.indexOf('='))] = word.slice(word.indexOf('=') + 1)
}

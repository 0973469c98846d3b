import { type Instruction, instructionsOf } from './instructions.ts'
import { remoteSources } from './remote-sources.ts'
import { type Expansion, expander, type Variables } from './variables.ts'

type Objection = { line: number; message: string }

/** Images that this platform built are named below it; no such host exists. */
const OURS = 'slipway.invalid/'
/** The engine leaves the public registry's name away before it looks among its own images. */
const SPELLINGS = [OURS, `docker.io/${OURS}`, `index.docker.io/${OURS}`]

/** `images`: those of others that it may name, written out; what a variable leaves open is not among them. */
export type Judged = { objection: Objection } | { addresses: string[]; images: string[] }

/**
 * Why a Dockerfile may not be built here, or which addresses it may fetch from. Any Dockerfile could use any image of the
 * engine by its name, another project's included.
 */
export function judge(dockerfile: string, args: Record<string, string>, remote: 'names' | 'none'): Judged {
  const lines = dockerfile.replace(/^\uFEFF/, '').split('\n')
  const frontend = foreignFrontend(lines)
  if (frontend) return { objection: frontend }
  const instructions = instructionsOf(lines)
  if (instructions === null)
    return { objection: { line: 1, message: 'The instructions of this Dockerfile are too long to be checked.' } }
  const variables = variablesOf(instructions)
  for (const [name, value] of Object.entries(args)) add(variables, name, value)
  const expand = expander(variables)
  const image = foreignImage(instructions, expand)
  if (image) return { objection: image }
  const sources = remoteSources(instructions, expand, remote)
  if (!('allowed' in sources)) return { objection: sources }
  return { addresses: sources.allowed, images: namedImages(instructions, expand) }
}

const OFFICIAL = /^(?:docker\.io\/)?docker\/dockerfile(?::[\w.-]+)?(?:@sha256:[0-9a-f]{64})?$/

/** It would not run in any case (`leading-lines.ts`), but whoever asks for one should hear of it. */
function foreignFrontend(lines: string[]): Objection | null {
  for (const [n, text] of lines.entries()) {
    const line = text.trim()
    if (line === '') continue
    if (line.startsWith('{')) return { line: n + 1, message: 'A Dockerfile cannot begin with a brace.' }
    if (!/^(?:#|\/\/)/.test(line)) return null
    const named = /^(?:#|\/\/)\s*syntax\s*=\s*(.*)$/i.exec(line)?.[1]
    if (named !== undefined && !OFFICIAL.test(named.trim().split(/\s/)[0] ?? '')) {
      return { line: n + 1, message: `The syntax ${named.trim()} is not allowed; only docker/dockerfile is.` }
    }
  }
  return null
}

/**
 * Reads every line as the possible beginning of an instruction, with either escape character: so nothing can be hidden in
 * a here-document or behind a directive that we read otherwise than BuildKit does. Only names of ours are ever refused.
 */
function foreignImage(instructions: Instruction[], expand: (word: string) => Expansion[]): Objection | null {
  for (const instruction of instructions) {
    const word = imagesIn(instruction).find((image) => expand(image).some(couldBeOurs))
    if (word === undefined) continue
    const shown = word.slice(0, 100)
    const message = word.includes('$')
      ? `${shown} may name an image of another project; write the name of the image without variables.`
      : `${shown} cannot be used: images below ${OURS} belong to the platform.`
    return { line: instruction.line, message }
  }
  return null
}

/** Without stages of the same file, which go by a name or a number. */
function namedImages(instructions: Instruction[], expand: (word: string) => Expansion[]): string[] {
  const froms = instructions.filter(({ name }) => name === 'FROM')
  const stages = new Set(froms.flatMap(({ rest }) => /\sAS\s+(\S+)/i.exec(rest)?.[1]?.toLowerCase() ?? []))
  const words = instructions.flatMap((one) => (one.name === 'FROM' ? imagesIn(one).slice(0, 1) : imagesIn(one)))
  const names = words.flatMap(expand).flatMap(({ text, open }) => (open || text === '' ? [] : [text]))
  return [...new Set(names)].filter((name) => !stages.has(name.toLowerCase()) && !/^(?:\d+|scratch)$/.test(name))
}

/** The words of an instruction that may name an image. */
function imagesIn({ name, rest }: Instruction): string[] {
  if (name === 'ARG' || name === 'ENV') return []
  if (name === 'FROM') return rest.split(/\s+/).filter((word) => !word.startsWith('--'))
  return [...rest.matchAll(/\Wfrom=([^,\s]*)/gi)].map(([, value = '']) => value)
}

/** What ARG and ENV say anywhere in the file, whether or not it counts at a certain line. */
function variablesOf(instructions: Instruction[]): Variables {
  const variables: Variables = new Map()
  for (const { name, rest } of instructions) {
    if (name !== 'ARG' && name !== 'ENV') continue
    const [first = '', second = '', ...others] = rest.split(/\s+/)
    if (!first.includes('=')) add(variables, first, second)
    for (const word of [first, second, ...others]) {
      const at = word.indexOf('=')
      if (at > 0) add(variables, word.slice(0, at), word.slice(at + 1))
    }
  }
  return variables
}

function add(variables: Variables, name: string, value: string): void {
  variables.set(name, (variables.get(name) ?? new Set()).add(value))
}

function couldBeOurs({ text, open }: Expansion): boolean {
  const name = text.toLowerCase()
  return SPELLINGS.some((ours) => name.startsWith(ours) || (open && ours.startsWith(name)))
}

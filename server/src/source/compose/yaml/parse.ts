import {
  type Alias,
  Composer,
  type CST,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { at, fault, quoted } from '../faults.ts'
import { type Budget, MOST_DEPTH } from '../limits.ts'
import { type Dict, emptyDict, Float, isDict, Moment, type Scalar, type Value } from '../values.ts'
import { plainScalar } from './scalars.ts'

/** One document of a file, and the places where `!reset` or `!override` throws away what earlier files said. */
export type Parsed = { root: Value; cleared: string[][] }

/** Every document of a YAML file, in plain values: anchors, aliases and merge keys are written out. */
export function parseYaml(text: string, file: string, budget: Budget): Parsed[] {
  const lineCounter = new LineCounter()
  // Unique keys are checked below: the library compares each key with all others.
  const settings = { schema: 'failsafe', uniqueKeys: false, prettyErrors: false, logLevel: 'silent' } as const
  const composer = new Composer({ ...settings, lineCounter })
  const documents = guarded(file, () => [...composer.compose(tokens(text, file, { lineCounter, budget }))])
  return documents.map((document) => {
    const [error] = document.errors
    if (error) throw badYaml(file, error.message, lineCounter.linePos(error.pos[0]).line)
    const reader = new Reader(file, budget, (offset) => lineCounter.linePos(offset).line)
    return guarded(file, () => reader.read(document.contents))
  })
}

/** The library's own parser, stopped as soon as the text turns out to be too much or too deep for it. */
function* tokens(
  text: string,
  file: string,
  { lineCounter, budget }: { lineCounter: LineCounter; budget: Budget },
): Generator<CST.Token> {
  const parser = new Parser(lineCounter.addNewLine)
  if (!text.startsWith('\n')) lineCounter.addNewLine(0)
  let depth = 0
  for (const lexeme of new Lexer().lex(text)) {
    budget.spend('tokens')
    depth += lexeme === '[' || lexeme === '{' ? 1 : lexeme === ']' || lexeme === '}' ? -1 : 0
    if (depth > MOST_DEPTH || parser.stack.length > 2 * MOST_DEPTH) throw tooDeep(file)
    yield* parser.next(lexeme)
  }
  yield* parser.end()
}

/** Nesting deep enough to exhaust the stack is refused like any other. */
function guarded<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(file)
    throw error
  }
}

const tooDeep = (file: string) => badYaml(file, `it is nested deeper than ${MOST_DEPTH} levels`)

const badYaml = (file: string, what: string, line?: number) =>
  fault(
    { file, path: [] },
    `${line === undefined ? '' : `line ${line}: `}${what.split('\n')[0]?.replace(/[.:]$/, '')}`,
    'Correct the YAML; an editor with YAML support shows the place.',
  )

class Reader {
  private readonly anchors = new Map<string, Node>()
  private readonly targets = new Map<Alias, Node>()
  private readonly open = new Set<Node>()
  private readonly cleared: string[][] = []
  private readonly file: string
  private readonly budget: Budget
  private readonly lineOf: (offset: number) => number

  constructor(file: string, budget: Budget, lineOf: (offset: number) => number) {
    this.file = file
    this.budget = budget
    this.lineOf = lineOf
  }

  read(contents: Node | null): Parsed {
    return { root: this.value(contents, []) ?? null, cleared: this.cleared }
  }

  /** Undefined where a `!reset` takes the value away. */
  private value(node: Node | null, path: string[]): Value | undefined {
    this.budget.spend('values')
    if (path.length > MOST_DEPTH) throw tooDeep(this.file)
    if (node === null) return null
    if (isAlias(node)) return this.aliased(node, path)
    if (node.anchor !== undefined) this.anchors.set(node.anchor, node)
    if (node.tag === '!reset' || node.tag === '!override') this.cleared.push(path)
    if (node.tag === '!reset') return undefined
    if (isSeq(node)) return this.list(node, path)
    return isMap(node) ? this.dict(node, path) : this.scalar(node as Node & Written)
  }

  private aliased(alias: Alias, path: string[]): Value | undefined {
    // An anchor may be given twice: an alias means the one before it, also when its own surroundings are aliased later.
    const node = this.targets.get(alias) ?? this.anchors.get(alias.source)
    if (node === undefined) throw this.bad(alias, `there is no anchor ${quoted(alias.source)} before its alias`)
    this.targets.set(alias, node)
    if (this.open.has(node)) throw this.bad(alias, `the anchor ${quoted(alias.source)} contains itself`)
    this.open.add(node)
    const value = this.value(node, path)
    this.open.delete(node)
    return value
  }

  private list(node: YAMLSeq, path: string[]): Value[] {
    this.open.add(node)
    const items = node.items.map((item, n) => this.value(item as Node | null, [...path, String(n)]))
    this.open.delete(node)
    return items.filter((item) => item !== undefined)
  }

  private dict(node: YAMLMap, path: string[]): Dict {
    this.open.add(node)
    const own = emptyDict()
    const seen = new Set<string>()
    let merged: Dict[] = []
    for (const pair of node.items as Pair<Node | null, Node | null>[]) {
      const key = this.key(pair.key, path)
      if (seen.has(key.text)) throw this.bad(pair.key ?? node, `the key ${quoted(key.text)} is there twice`)
      seen.add(key.text)
      if (key.merges) merged = this.merged(pair, path)
      else {
        const value = this.value(pair.value, [...path, key.text])
        if (value !== undefined) own[key.text] = value
      }
    }
    this.open.delete(node)
    return Object.assign(emptyDict(), ...merged.reverse(), own) as Dict
  }

  private merged({ key, value }: Pair<Node | null, Node | null>, path: string[]): Dict[] {
    const said = this.value(value, path)
    const dicts = Array.isArray(said) ? said : [said]
    if (dicts.every(isDict)) return [...dicts]
    throw this.bad(key, '<< takes a mapping or a list of mappings')
  }

  private key(node: Node | null, path: string[]): { text: string; merges: boolean } {
    const target = node !== null && isAlias(node) ? this.anchors.get(node.source) : node
    if (!isScalar(target)) throw this.bad(node, 'a key must be text')
    if (target.anchor !== undefined) this.anchors.set(target.anchor, target)
    const written = target as Node & Written
    if (written.value === '<<' && written.type === 'PLAIN' && !written.tag) return { text: '<<', merges: true }
    const text = this.scalar(written)
    if (typeof text === 'string') return { text, merges: false }
    throw fault(
      at({ file: this.file, path }, written.value),
      'the key is read as a number, a date, true, false or null, but keys must be text',
      'Put the key in quotes.',
    )
  }

  private scalar(node: Node & Written): Scalar {
    const { value: text, tag = '' } = node
    const standard = tag.replace('tag:yaml.org,2002:', '')
    // A tag of one's own makes it text.
    if (standard === 'str' || standard.startsWith('!') || (standard === '' && node.type !== 'PLAIN')) return text
    if (standard === 'binary') return Buffer.from(text, 'base64').toString('utf8')
    const value = plainScalar(text)
    if (value instanceof Float && !Number.isFinite(value.value)) {
      throw this.bad(node, `${text} is not a number compose can use`)
    }
    const fits = FITS[standard]
    if (fits === undefined || fits(value)) return standard === 'float' ? floating(value) : value
    throw this.bad(node, `${quoted(text)} is not of the kind that !!${standard} asks for`)
  }

  private bad(node: Node | null, what: string) {
    return badYaml(this.file, what, node?.range ? this.lineOf(node.range[0]) : undefined)
  }
}

type Written = { value: string; type?: string; tag?: string }

const floating = (value: Scalar) => (typeof value === 'number' ? new Float(value) : value)

const FITS: Record<string, (value: Scalar) => boolean> = {
  int: (value) => typeof value === 'number' || typeof value === 'bigint',
  float: (value) => typeof value === 'number' || value instanceof Float,
  bool: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  timestamp: (value) => value instanceof Moment,
}

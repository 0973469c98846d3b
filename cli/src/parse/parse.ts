import type { ParseArgsOptionsConfig } from 'node:util'
import { usage } from '../failure.ts'
import type { Entry, Flag } from '../table/entry.ts'
import { GLOBAL } from '../table/global.ts'
import { type CommandName, table } from '../table/table.ts'
import { nearest } from './nearest.ts'

// Not by `import`: that reads whatever the module offers, and loads threads and more for it.
const { parseArgs } = process.getBuiltinModule('node:util')

type Values = Record<string, boolean | string | number | string[] | undefined>
type Parsed =
  | { kind: 'command'; name: CommandName; words: string[]; flags: Values }
  /** With a name, of one command or of those that begin with it. */
  | { kind: 'help'; name: string | null }
  | { kind: 'describe' }

/** Flags without a value that every command has. */
const PLAIN = ['--json', '--yes', '--quiet', '--no-input', '--no-color']
const names = Object.keys(table) as CommandName[]
const flagsOf = (name: CommandName): Readonly<Record<string, Flag>> => ({ ...GLOBAL, ...(table[name] as Entry).flags })

/** What a command line means. Throws a usage failure that says what is wrong with it. */
export function parse(argv: string[]): Parsed {
  const [first] = argv
  if (first !== undefined && isCommand(first) && (table[first] as Entry).raw)
    return { kind: 'command', name: first, words: argv.slice(1), flags: {} }
  const { words, asked } = plainly(argv) ?? skim(argv)
  if (asked.describe) return { kind: 'describe' }
  if (words.length === 0 || words[0] === 'help') return { kind: 'help', name: words.slice(1).join(' ') || null }
  const { name, rest } = commandOf(words)
  if (asked.help) return { kind: 'help', name: name ?? words[0] ?? null }
  if (name === undefined) throw unknownCommand(words)
  const flags = strictly(name, argv)
  checkWords(name, rest)
  return { kind: 'command', name, words: rest, flags }
}

const isCommand = (word: string): word is CommandName => Object.hasOwn(table, word)

/** As most are: words, then at most flags that have no value. No command has to be looked through for those. */
function plainly(argv: string[]) {
  const at = argv.findIndex((word) => word.startsWith('-'))
  const [words, flags] = at < 0 ? [argv, []] : [argv.slice(0, at), argv.slice(at)]
  return flags.every((flag) => PLAIN.includes(flag)) ? { words, asked: { help: false, describe: false } } : null
}

/** The words, wherever flags stand between them: which flags take a value is the same for all commands. */
function skim(argv: string[]) {
  const all = Object.assign({}, GLOBAL, ...names.map((name) => (table[name] as Entry).flags)) as Record<string, Flag>
  const options = { ...optionsOf(all), describe: { type: 'boolean' } } satisfies ParseArgsOptionsConfig
  const { values, positionals } = parseArgs({ args: argv, options, strict: false, allowPositionals: true })
  return { words: positionals, asked: { help: values.help === true, describe: values.describe === true } }
}

function commandOf(words: string[]): { name?: CommandName; rest: string[] } {
  const [first = '', second = ''] = words
  // A folder is what one deploys.
  if (first === '.' || /^\.{0,2}\//.test(first)) return { name: 'deploy', rest: words }
  if (isCommand(`${first} ${second}`)) return { name: `${first} ${second}` as CommandName, rest: words.slice(2) }
  if (isCommand(first)) return { name: first, rest: words.slice(1) }
  return { rest: words }
}

function unknownCommand([first = '', second]: string[]): Error {
  const below = names.filter((name) => name.startsWith(`${first} `))
  if (below.length > 0) {
    const verbs = below.map((name) => name.slice(first.length + 1))
    const meant = second && nearest(second, verbs)
    const hint = `There ${verbs.length === 1 ? 'is' : 'are'}: ${below.map((name) => `slipway ${name}`).join(', ')}.`
    if (second === undefined) return usage(`slipway ${first} what?`, hint)
    return usage(`Unknown command ${first} ${second}.`, meant ? `Did you mean: slipway ${first} ${meant}` : hint)
  }
  const meant = nearest(first, [...new Set(names.map((name) => name.split(' ')[0] ?? ''))])
  return usage(`Unknown command ${first}.`, meant ? `Did you mean: slipway ${meant}` : 'slipway help lists them all.')
}

function strictly(name: CommandName, argv: string[]): Values {
  const flags = flagsOf(name)
  const options = optionsOf(flags)
  try {
    const { values } = parseArgs({ args: argv, options, allowPositionals: true })
    return Object.fromEntries(Object.entries(flags).map(([key, flag]) => [key, typedValue(key, flag, values[key])]))
  } catch (error) {
    throw wrongFlag(name, error, Object.keys(flags))
  }
}

function optionsOf(flags: Readonly<Record<string, Flag>>): ParseArgsOptionsConfig {
  const option = ({ type, short }: Flag) => ({
    type: type === 'boolean' ? ('boolean' as const) : ('string' as const),
    ...(type === 'list' && { multiple: true }),
    ...(short !== undefined && { short }),
  })
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, option(flag)]))
}

function typedValue(name: string, { type }: Flag, value: unknown): Values[string] {
  if (type === 'boolean') return value === true
  if (type === 'list') return (value as string[] | undefined) ?? []
  if (type === 'text' || value === undefined) return value as string | undefined
  const number = Number(value)
  if (!Number.isFinite(number) || number <= 0) throw usage(`--${name} takes a number above 0, not ${value}.`)
  return number
}

function wrongFlag(name: CommandName, error: unknown, known: string[]): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  const help = `slipway ${name} --help lists its flags.`
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const given = /'(-[^']*)'/.exec(message)?.[1] ?? 'that flag'
    const meant = nearest(given.replace(/^-+/, ''), known)
    return usage(`slipway ${name} has no ${given}.`, meant ? `Did you mean: --${meant}` : help)
  }
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') return usage(message.split('\n')[0] ?? message, help)
  return error
}

function checkWords(name: CommandName, given: string[]): void {
  const words = (table[name] as Entry).words ?? []
  const many = /\.\.\.\]?$/.test(words.at(-1) ?? '')
  const least = words.filter((word) => !word.startsWith('[')).length
  const wanted = `slipway ${[name, ...words.map(shownWord)].join(' ')}`
  if (given.length < least) throw usage(`slipway ${name} needs ${shownWord(words[given.length] ?? '')}.`, wanted)
  if (!many && given.length > words.length)
    throw usage(`slipway ${name} does not know what to do with ${given[words.length]}.`, wanted)
  for (const [n, word] of words.entries()) {
    const choices = word.startsWith('[') ? [] : word.split('|')
    const one = given[n]
    if (choices.length > 1 && one !== undefined && !choices.includes(one))
      throw usage(`slipway ${name} takes ${choices.join(' or ')}, not ${one}.`, wanted)
  }
}

/** As it stands in the help: `<host>`, `[dir]`, `approve|reject`. */
export const shownWord = (word: string): string => (word.startsWith('[') || word.includes('|') ? word : `<${word}>`)

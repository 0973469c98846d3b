import { usage } from '../failure.ts'
import { type Entry, type Flag, GROUPS } from '../table/entry.ts'
import { GLOBAL } from '../table/global.ts'
import { table } from '../table/table.ts'
import { nearest } from './nearest.ts'
import { shownWord } from './parse.ts'

const all: [string, Entry][] = Object.entries(table)

/** Of everything, of one command, or of those that begin with a word. */
export function helpLines(name: string | null): string[] {
  if (name === null) return overview()
  const entry = all.find(([known]) => known === name)?.[1]
  if (entry) return ofCommand(name, entry)
  const below = all.filter(([known]) => known.startsWith(`${name} `))
  if (below.length > 0) return listed(below)
  const meant = nearest(
    name,
    all.map(([known]) => known),
  )
  throw usage(`There is no command ${name}.`, meant ? `Did you mean: slipway ${meant}` : 'slipway help lists them all.')
}

function overview(): string[] {
  const groups = Object.entries(GROUPS).flatMap(([group, title]) => [
    '',
    title,
    ...listed(all.filter(([, entry]) => entry.group === group)),
  ])
  return [
    'slipway <command> [words] [flags]',
    ...groups,
    '',
    'Everywhere',
    ...flagLines(GLOBAL),
    '',
    'slipway help <command> says more. slipway --describe is all of this as JSON.',
  ]
}

export const commandLine = (name: string, { words = [] }: Entry): string =>
  ['slipway', name, ...words.map(shownWord)].join(' ')

const listed = (entries: [string, Entry][]): string[] =>
  inColumns(entries.map(([name, entry]) => [commandLine(name, entry).replace('slipway ', ''), entry.summary]))

function ofCommand(name: string, entry: Entry): string[] {
  return [
    commandLine(name, entry),
    '',
    `${entry.summary}.`,
    ...(entry.flags ? ['', 'Flags', ...flagLines(entry.flags)] : []),
    ...(entry.raw ? [] : ['', 'Everywhere', ...flagLines(GLOBAL)]),
    ...(entry.example ? ['', 'Example', `  ${entry.example}`] : []),
  ]
}

const flagLines = (flags: Readonly<Record<string, Flag>>): string[] =>
  inColumns(Object.entries(flags).map(([name, flag]) => [shownFlag(name, flag), flag.about]))

export const shownFlag = (name: string, { short, value }: Flag): string =>
  `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`

/** What does not fit into its column stands on a line of its own. */
const WIDTH = 28
const inColumns = (rows: [string, string][]): string[] =>
  rows.flatMap(([left, right]) =>
    left.length > WIDTH ? [`  ${left}`, `  ${' '.repeat(WIDTH)}  ${right}`] : [`  ${left.padEnd(WIDTH)}  ${right}`],
  )

import { expect, test } from 'vitest'
import { choose, type Operation } from './choose-source.ts'

/** The table of the design, cell by cell. A, O, C: that source; 400, 409: the refusal; hook: the app's own; -: nothing. */
const COLUMNS: Operation[] = [
  'read',
  'clone_token',
  'hooks',
  'create_in_organization',
  'create_for_person',
  'delete',
  'report',
]
const TABLE: [sources: string, ...cells: string[]][] = [
  ['', '400', '409', '400', '400', '400', '400', '-'],
  ['C', 'C', '409', 'C', 'C', 'C', 'C', 'C'],
  ['O', 'O', '409', 'O', 'O', 'O', 'O', 'O'],
  ['OC', 'O C', '409', 'O', 'O', 'O', 'O', 'O'],
  ['A', 'A', 'A', 'hook', '409', '409', '409', 'A'],
  ['AC', 'A C', 'A', 'hook', 'C', 'C', 'C', 'A'],
  ['AO', 'A O', 'A', 'hook', 'O', 'O', 'O', 'A'],
  ['AOC', 'A O C', 'A', 'hook', 'O', 'O', 'O', 'A'],
]
const LETTER = { app: 'A', oauth: 'O', cli: 'C' }

function cell(operation: Operation, sources: string, administration = false): string {
  const app = sources.includes('A') ? { administration } : null
  const choice = choose(operation, { app, oauth: sources.includes('O'), cli: sources.includes('C') })
  if ('use' in choice) return choice.use.map((one) => LETTER[one]).join(' ')
  if ('via' in choice) return 'hook'
  if ('nothing' in choice) return '-'
  return choice.refuse === 'githost_not_connected' ? '400' : '409'
}

const cells = TABLE.flatMap(([sources, ...row]) =>
  COLUMNS.map((operation, at) => [sources || 'nothing', operation, row[at] ?? '', sources] as const),
)

test('the table has a cell for every combination of sources and operations', () => {
  expect(cells).toHaveLength(56)
})

test.each(cells)('with %s, %s is done by %s', (_, operation, wanted, sources) => {
  expect(cell(operation, sources)).toBe(wanted)
})

test.each(['A', 'AO', 'AC', 'AOC'])('an app that may administer creates and deletes by itself (%s)', (sources) => {
  expect(cell('create_in_organization', sources, true)).toBe('A')
  expect(cell('delete', sources, true)).toBe('A')
})

test('no app creates repositories for a person: the host has no route for it', () => {
  expect(choose('create_for_person', { app: { administration: true }, oauth: false, cli: false })).toEqual({
    refuse: 'githost_forbids',
  })
})

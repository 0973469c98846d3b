import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { testKinds } from './kinds.ts'

const root = mkdtempSync(join(tmpdir(), 'slipway-kinds-'))
afterAll(() => rmSync(root, { recursive: true }))

function lay(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

lay({
  'lab/ask.ts': '',
  'test-kit/database.ts': `import { labPart } from '../lab/ask.ts'`,
  'server/test/world.ts': `import { createDatabase } from '../../test-kit/database.ts'`,
  'server/src/pure.ts': `export const text = "import { labPart } from '../lab/ask.ts'"\nexport const lab = '../../lab/ask.ts'`,
  'server/src/round.ts': `import { other } from './about.ts'`,
  'server/src/about.ts': `import { round } from './round.ts'`,
  'proofs/parts/site.ts': `export {\n  labPart,\n} from '../../lab/ask.ts'`,
})

const kindOf = (text: string): string | undefined => {
  lay({ 'server/src/one.test.ts': text })
  return Object.entries(testKinds(root)).find(([, files]) => files.includes('server/src/one.test.ts'))?.[0]
}

test.each([
  [`import { x } from './pure.ts'`],
  [`import type { Lab } from '../../lab/ask.ts'`],
  [`import { round } from './round.ts'`],
  [`import { gone } from '../../lab/gone.ts'`],
])('a test that needs no part is a unit test: %s', (text) => expect(kindOf(text)).toBe('unit'))

test.each([
  [`import { createDatabase } from '../../test-kit/database.ts'`],
  [`import {\n  type World,\n  startWorld,\n} from '../test/world.ts'`],
])('a test that reaches the test database, and no other part, needs a PostgreSQL: %s', (text) =>
  expect(kindOf(text)).toBe('database'),
)

test.each([
  [`import { labPart } from '../../lab/ask.ts'`],
  [`import '../../lab/ask.ts'`],
  [`import { type Lab, labPart } from "../../lab/ask.ts"`],
  [`import { startWorld } from '../test/world.ts'\nimport { labPart } from '../../proofs/parts/site.ts'`],
  [`const { labPart } = await import('../../lab/ask.ts')`],
])('a test that reaches the lab, through whichever file, needs the lab: %s', (text) => expect(kindOf(text)).toBe('lab'))

test('a unit test that reaches for the lab or a database behind the back of its imports fails', async () => {
  const { labPart } = await import(join('..', 'lab', 'ask.ts'))
  const { databaseUrl } = await import(join('..', 'test-kit', 'database.ts'))
  expect(() => labPart('engine')).toThrow('A unit test reached for engine')
  expect(() => databaseUrl('postgres')).toThrow('A unit test reached for postgres')
})

test('what only Linux can answer is left to the lab elsewhere', () => {
  const processes = 'server/src/drivers/git/http.test.ts'
  expect(testKinds(undefined, 'linux').unit).toContain(processes)
  expect(testKinds(undefined, 'darwin').unit).not.toContain(processes)
  expect(testKinds(undefined, 'darwin').unit.length).toBeGreaterThan(60)
})

test('every kind has tests, and no test has two', () => {
  const kinds = testKinds()
  const all = Object.values(kinds).flat()
  expect(new Set(all).size).toBe(all.length)
  const { quiet, ...most } = kinds
  for (const files of Object.values(most)) expect(files.length).toBeGreaterThan(10)
  expect(quiet).toHaveLength(3)
  expect(kinds.unit).toContain('test-kit/kinds.test.ts')
  expect(kinds.lab).toContain('lab/lab.test.ts')
})

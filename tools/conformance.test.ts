import { expect, test } from 'vitest'
import { type Conformance, conformanceFindings, conformancePage, testsIn } from './conformance.ts'

const FILE = 'server/test/pets.test.ts'
const TEXT = `
import { describe, it, test } from 'vitest'
test('a pet has a name', async () => { expect(other('is no test')).toBe(1) })
test('with options', { timeout: 1 }, () => {})
describe('a cat', () => {
  it(\`purrs\`, () => {})
  test.each([['once'], ['twice']])('is fed %s', (_) => {})
  describe.each(rows)('that is %s', () => {
    test.concurrent.for<[string]>([['a']])('says %j', () => {})
  })
})
test.skip('is left out', () => {})
describe.skip('a dog', () => { test('barks', () => {}) })
test.todo('flies')
`
const pets = (...name: string[]) => ({ file: FILE, name })
const table = (more: Partial<Conformance> = {}): Conformance => ({
  built: [
    {
      title: 'Pets',
      paths: ['/api/pets'],
      statements: [{ id: 'pet.name', route: 'GET /api/pets', says: 'has names', tests: [pets('a pet has a name')] }],
    },
  ],
  open: [{ title: 'Birds', open: [{ id: 'bird.sings', route: 'GET /api/birds', says: 'sings' }] }],
  served: new Set(['GET /api/pets', 'GET /api/petshops']),
  read: (file) => (file === FILE ? TEXT : null),
  ...more,
})
const naming = (...tests: { file: string; name: string[] }[]) =>
  conformanceFindings(
    table({ built: [{ title: 'Pets', statements: [{ id: 'pet.name', says: 'has a name', tests }] }] }),
  )

test('tests are found by what they and the blocks around them say; those that do not run are none', () => {
  expect(testsIn(TEXT)).toEqual([
    ['a pet has a name'],
    ['with options'],
    ['a cat', 'purrs'],
    ['a cat', 'is fed %s'],
    ['a cat', 'that is %s', 'says %j'],
  ])
})

test('a table in which every statement has its test is fine', () => {
  expect(conformanceFindings(table())).toEqual([])
  expect(naming(pets('a cat', 'is fed %s'), pets('purrs'), pets('that is %s', 'says %j'))).toEqual([])
})

test('a statement without a test is told', () => {
  expect(naming()).toEqual(['pet.name: no test shows it; write one and name it here'])
})

test('a test that is not there, not any more, or does not run is told', () => {
  expect(naming(pets('a pet has a nam'))).toEqual([expect.stringContaining(`${FILE} has no test a pet has a nam;`)])
  expect(naming(pets('a dog', 'purrs'))).toEqual([expect.stringContaining('has no test a dog › purrs')])
  expect(naming(pets('is left out'), pets('barks'), pets('flies'), pets())).toHaveLength(4)
  expect(naming({ file: 'gone.test.ts', name: ['x'] })).toEqual(['pet.name: there is no file gone.test.ts'])
})

test('two statements of one id are told, wherever they are', () => {
  const open = [{ title: 'Birds', open: [{ id: 'pet.name', says: 'again' }] }]
  expect(conformanceFindings(table({ open }))).toEqual(['pet.name: two statements have this id'])
})

test('what is served and not said, said and not served, and open though it is served, is told', () => {
  const served = new Set(['POST /api/pets', 'GET /api/birds'])
  expect(conformanceFindings(table({ served }))).toEqual([
    'pet.name: GET /api/pets is not served',
    expect.stringMatching(/^bird\.sings: GET \/api\/birds is served by now/),
    expect.stringMatching(/^Pets: no statement is about POST \/api\/pets/),
  ])
})

test('the page counts what is shown and what is open, and a bar breaks no table', () => {
  const { built, open } = table()
  const page = conformancePage({ built: [...built, { title: 'More', statements: [unshown] }], open })
  expect(page).toContain('**1 of 2 statements about what is built have a test')
  expect(page).toContain('1 more are open: not built yet')
  expect(page).toContain('| Pets | 1 | 1 | 0 |')
  expect(page).toContain('| Birds | 1 | 0 | 1 |')
  expect(page).toContain('| a.b | this \\| that |  |')
  expect(page).toContain(`[pets.test.ts](../../${FILE}) › a pet has a name`)
})

const unshown = { id: 'a.b', says: 'this | that', tests: [] }

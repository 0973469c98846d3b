import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SEALED_COLUMNS } from './columns.ts'

const core = join(import.meta.dirname, '..')
const files = globSync('**/*.ts', { cwd: core })
  .filter((file) => !file.endsWith('.test.ts') && !file.startsWith('sealing/'))
  .map((file) => ({ file, text: readFileSync(join(core, file), 'utf8') }))

/** A function that says for which place something is sealed, as all of them are written. */
const PLACE = /\b(?:place\w*|\w*Place)\s*=\s*\([^)]*\)\s*=>\s*`([^`]+)`/g
const pattern = (template: string) => template.replaceAll(/\$\{[^}]+\}/g, '*')
const written = new Set(files.flatMap(({ text }) => [...text.matchAll(PLACE)].map(([, place = '']) => pattern(place))))

const listed = SEALED_COLUMNS.map(({ key, place }) => place(...key.map(() => '*')))
const fits = (place: string) => listed.some((one) => new RegExp(`^${place.replaceAll('*', '[a-z_*]+')}$`).test(one))

test('everything that the code seals is in the list of what is sealed anew with a new key', () => {
  expect(written.size).toBeGreaterThan(8)
  expect([...written].filter((place) => !fits(place))).toEqual([])
})

test('whoever seals says for which place by a function called so, where this test finds it', () => {
  const sealing = files.flatMap(({ file, text }) =>
    [...text.matchAll(/\bkeys\.seal\(/g)].map(({ index }) => ({ file, call: text.slice(index, index + 160) })),
  )
  expect(sealing.length).toBeGreaterThan(8)
  expect(sealing.filter(({ call }) => !/[, ](place\w*|\w+Place)\(/.test(call)).map(({ file }) => file)).toEqual([])
})

test('so is each secret of a backup destination, whose places are made from the names of its columns', () => {
  const { text = '' } = files.find(({ file }) => file === 'backups/secrets.ts') ?? {}
  const columns = [...(/const COLUMNS = \{([^}]+)\}/.exec(text)?.[1] ?? '').matchAll(/'(\w+)'/g)].map(
    ([, name]) => name,
  )
  expect(columns.length).toBeGreaterThan(4)
  for (const column of columns) expect(listed).toContain(`backup_destination/*/${column}`)
})

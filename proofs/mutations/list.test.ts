import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../../lab/paths.ts'
import { BY_ORGANIZATION, BY_SOMETHING_ELSE, mutated as forgetting } from '../parts/foreign-ids/mutations.ts'
import { guardedByTests, mutations } from './list.ts'
import { mutated } from './mutation.ts'

const read = (file: string) => readFileSync(join(repository, file), 'utf8')

test('a mutation has one place in its file, and changes what is there', () => {
  for (const mutation of mutations) {
    const source = read(mutation.file)
    const faulty = mutated(source, mutation)
    expect(faulty, `${mutation.name}: ${mutation.file} does not have its place once`).toBeDefined()
    expect(faulty, mutation.name).not.toBe(source)
  }
})

test('a lookup that forgets whose rows it may see has its place', () => {
  for (const one of [...BY_ORGANIZATION, ...BY_SOMETHING_ELSE])
    expect(forgetting(read(one.file), one), one.what).not.toBeNull()
})

test('what is to turn red is there: the proof, or the file with a test of that title', () => {
  for (const { name, red } of mutations) {
    if ('prove' in red) expect(existsSync(join(repository, `proofs/${red.prove}.ts`)), name).toBe(true)
    else expect(read(red.test), name).toContain(red.title)
  }
})

test('each has a name of its own', () => {
  const names = mutations.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
})

test('each proof is turned red by a fault, or the list says which faults break its promise otherwise', () => {
  const files = readdirSync(join(repository, 'proofs')).filter((file) => file.endsWith('.ts') && file !== 'main.ts')
  const proved = new Set(mutations.flatMap(({ red }) => ('prove' in red ? [red.prove] : [])))
  const unsaid = files.map((file) => file.slice(0, -3)).filter((name) => !proved.has(name) && !guardedByTests[name])
  expect(unsaid).toEqual([])
  expect(Object.keys(guardedByTests).filter((name) => proved.has(name))).toEqual([])
  const names = new Set(mutations.map(({ name }) => name))
  expect(Object.values(guardedByTests).flatMap((all) => all.filter((name) => !names.has(name)))).toEqual([])
})

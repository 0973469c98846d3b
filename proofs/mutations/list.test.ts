import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../../lab/paths.ts'
import { mutations } from './list.ts'
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

import { expect, test } from 'vitest'
import { readEnv } from './read-env.ts'

const TEXT = `# of this machine
A=1
export B = two words
C="in quotes # stays"
D='single'
E=
F=after # is said to people
G="line one
line two"
H="a\\nb"
1X=not a name
A=again
`

test('a pasted file says what its usual readers would read', () => {
  const read = Object.fromEntries(readEnv(TEXT).map(({ name, value }) => [name, value]))
  expect(read).toEqual({
    A: 'again',
    B: 'two words',
    C: 'in quotes # stays',
    D: 'single',
    E: '',
    F: 'after',
    G: 'line one\nline two',
    H: 'a\nb',
  })
})

test('a text without variables has none', () => {
  expect(readEnv('')).toEqual([])
  expect(readEnv('hello, there\n# X=1')).toEqual([])
})

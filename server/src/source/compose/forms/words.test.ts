import { describe, expect, it } from 'vitest'
import { splitWords } from './words.ts'

describe('a command in one line', () => {
  it.each([
    ['a b  c', ['a', 'b', 'c']],
    [`sh -c "echo 'a  b' && exit"`, ['sh', '-c', `echo 'a  b' && exit`]],
    [`--a="b c" -d'e f'g`, ['--a=b c', '-de fg']],
    [`"" '' x''y`, ['', '', 'xy']],
    ['a\\ b \\"c\\"', ['a b', '"c"']],
    [`'a \\n' "\\n \\\\"`, ['a \\n', 'n \\']],
    ['a#b # c', ['a#b', '#', 'c']],
    ['a $(b c)d `e f`', ['a', '$(b c)d', '`e f`']],
    ['', []],
  ])('%j is split into %j', (line, words) => expect(splitWords(line)).toEqual({ words, cut: false }))

  it.each([
    ['a b; c', ['a', 'b']],
    ['a && b', ['a']],
    ['a 2>b', ['a']],
    ['a f2>b', ['a', 'f2']],
  ])('%j ends at the operator', (line, words) => expect(splitWords(line)).toEqual({ words, cut: true }))

  it.each([`a 'b`, 'a "b', 'a `b', 'a (b)', 'a )', 'a $(b', 'a \\'])('%j cannot be split', (line) => {
    expect(splitWords(line)).toBeUndefined()
  })
})

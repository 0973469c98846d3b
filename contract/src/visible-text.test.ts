import { expect, test } from 'vitest'
import { visibleJson, visibleLine } from './visible-text.ts'

test.each([
  ['a colour', '\x1b[31mred\x1b[0m', '\\x1b[31mred\\x1b[0m'],
  ['a clipboard', '\x1b]52;c;cm0gLXJmIC8=\x07', '\\x1b]52;c;cm0gLXJmIC8=\\x07'],
  ['the same by a C1 character', '\x9d52;c;eA==\x9c', '\\x9d52;c;eA==\\x9c'],
  ['a line that looks like another', 'ok\r\nroot# done', 'ok\\x0d\\x0aroot# done'],
  ['separators of lines', 'a\u2028b\u2029c\x85d', 'a\\u2028b\\u2029c\\x85d'],
  ['another direction', 'a\u202egnp.exe\u2066\u200f\u061c', 'a\\u202egnp.exe\\u2066\\u200f\\u061c'],
  ['tags and half a pair', '\u{e0041}\ud83d\ufeff', '\\u{e0041}\\ud83d\\ufeff'],
  ['NUL, bell, delete, backspace', '\0\x07\x7f\b', '\\x00\\x07\\x7f\\x08'],
])('a terminal that is shown %s obeys nothing', (_, printed, shown) => {
  expect(visibleLine(`> ${printed} <`)).toBe(`> ${shown} <`)
})

test('what is no command stays as it is', () => {
  const text = 'tab\tä€ 漢字 👩‍👩‍👧 مرحبا \\x1b'
  expect(visibleLine(text)).toBe(text)
})

test('JSON says the same with nothing in it that a terminal obeys', () => {
  const value = { a: ['\x1b[31m', '\x9b31m', '\u202e\u2028', '\u{e0041}', 'tab\t "quoted" 👩‍👩‍👧'], '\x9b': '\x7f' }
  const json = visibleJson(value)
  expect(JSON.parse(json)).toEqual(value)
  expect(visibleLine(json)).toBe(json)
})

import { describe, expect, test } from 'vitest'
import { plainStart } from './leading-lines.ts'

const start = (text: string) => {
  const found = plainStart(Buffer.from(text))
  return 'bytes' in found ? found.bytes.toString() : found
}

/** As BuildKit finds directives: from the top, line by line, until the first that is none. */
function directives(text: string): string[] {
  const found: string[] = []
  for (const line of text.split('\n')) {
    const name = /^#\s*([a-zA-Z][a-zA-Z0-9]*)\s*=\s*(.+?)\s*$/s.exec(line)?.[1]
    if (name === undefined) break
    found.push(name.toLowerCase())
  }
  return found
}

describe('no line before the first instruction names a frontend', () => {
  test.for([
    '# syntax=evil.example/frontend\nFROM a',
    '# syntax=docker/dockerfile:1.3\nFROM a',
    '#syntax=evil \rx\nFROM a',
    '# syntax=evil\u2028x\nFROM a',
    '# syntax=evil\u2029\nFROM a',
    '# syntax=evil\u0085\nFROM a',
    '#\u00a0syntax=evil\nFROM a',
    '#!/usr/bin/env x\n# syntax=evil\nFROM a',
    '# check=skip=all\n# syntax=evil\nFROM a',
    '# escape=\\\n# syntax=evil\nFROM a',
    '# escape=`\n# syntax=evil\nFROM a',
    '\uFEFF# syntax=evil\nFROM a',
    '\uFEFF\uFEFF# syntax=evil\nFROM a',
    '# SYNTAX = evil\r\nFROM a',
    '\n# syntax=evil\nFROM a',
    '# syntax=evil',
  ])('%j', (text) => {
    const found = start(text)
    expect(typeof found).toBe('string')
    expect(directives(found as string)).not.toContain('syntax')
    expect((found as string).split('\n')).toHaveLength(text.split('\n').length)
  })
})

test.for([
  '// syntax=evil\nFROM a',
  '{"syntax": "evil"}',
  '\u00a0# syntax=evil\nFROM a',
  '\0# syntax=evil\nFROM a',
  '\v# syntax=x\nFROM a',
])('a beginning that can be read in more than one way is refused: %j', (text) => {
  expect(start(text)).toMatchObject({ line: 1, message: expect.stringContaining('instruction') })
})

test('which character escapes is carried over, and nothing else is touched', () => {
  expect(start('# syntax=x\n# escape=`\n# why\nFROM a`\nb')).toBe('# escape=`\n#\n# why\nFROM a`\nb')
  expect(start('# why\n# escape=`\nFROM a')).toBe('#\n# escape=`\nFROM a')
  expect(start('#escape=\\\nFROM a')).toBe('#\nFROM a')
  expect(start('FROM a\n# syntax=b\nRUN \u00fc')).toBe('FROM a\n# syntax=b\nRUN \u00fc')
  const odd = Buffer.from([0x23, 0x0a, 0x46, 0x52, 0x4f, 0x4d, 0x20, 0xff, 0xfe])
  expect(plainStart(odd)).toEqual({ bytes: odd })
})

import { expect, test } from 'vitest'
import { plain } from './ansi.ts'

test('colours of the program are kept, and every other sequence is dropped', () => {
  expect(plain('\x1b[32m✓\x1b[0m built \x1b[1;94min 3 s\x1b[22;39m.')).toEqual({
    text: '✓ built in 3 s.',
    spans: [
      { end: 1, colour: 2, bold: false },
      { end: 8, colour: -1, bold: false },
      { end: 14, colour: 12, bold: true },
      { end: 15, colour: -1, bold: false },
    ],
  })
  const noise = '\x1b[2K\x1b[1Gdone\x1b]0;title\x07\x1b]8;;https://example.com\x1b\\ here\x1b(B\x07\x00'
  expect(plain(noise)).toEqual({ text: 'done here', spans: null })
})

test('of 256 colours the first sixteen are known, and none is taken for another', () => {
  expect(plain('\x1b[38;5;9mred\x1b[38;5;200mplain\x1b[38;2;1;31;42mplain').spans?.map(({ colour }) => colour)).toEqual(
    [9, -1, -1],
  )
})

test('a line that was drawn over and over is shown as it was drawn last', () => {
  expect(plain('10 %\r50 %\r100 %\r').text).toBe('100 %')
})

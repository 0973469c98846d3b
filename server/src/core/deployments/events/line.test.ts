import { expect, test } from 'vitest'
import { shownLine } from './line.ts'
import { redactor } from './redact.ts'

const secret = 'a secret that is somewhat longer than one window of the search'
const redact = redactor([secret])

test('a secret that begins at the end of what is shown of a line is masked', () => {
  for (let at = 16_384 - secret.length - 2; at <= 16_384; at++) {
    const shown = shownLine(`${'x'.repeat(at)}${secret}${'y'.repeat(5000)}`, redact)
    expect(shown).toMatch(/^x+•{0,3}y*… \(\d+ more characters\)$/)
  }
})

test('what moves up into a line for masks that are shorter than secrets is no part of one', () => {
  const shown = shownLine(`${`${secret} `.repeat(100)}${'x'.repeat(16_384 - 6300 + 20)}${secret}`, redact)
  expect(shown).toMatch(/^(?:••• ){100}x+… \(82 more characters\)$/)
})

test('of a line that is too long, only what can be shown is looked at', () => {
  const seen: number[] = []
  const text = 'x'.repeat(200_000)
  const shown = shownLine(text, (part) => {
    seen.push(part.length)
    return part
  })
  expect(Math.max(...seen)).toBeLessThan(17_000)
  expect(shown).toBe(`${'x'.repeat(16_384)}… (${200_000 - 16_384} more characters)`)
  expect(shownLine('short', redact)).toBe('short')
})

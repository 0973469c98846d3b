import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { hashInline, hashInWorker } from './sha256.ts'

const MIB = 1024 * 1024

test.for([
  ['nothing', []],
  ['a word', [4]],
  ['a megabyte and a bit', [MIB, 1]],
  ['more than fits at once', [3 * MIB + 7, ...Array(20).fill(MIB), 5]],
] as [string, number[]][])('the sum of %s is the same, here and beside', async ([, sizes]) => {
  const pieces = sizes.map((size) => randomBytes(size))
  const wanted = createHash('sha256').update(Buffer.concat(pieces)).digest('hex')
  for (const sum of [hashInline(), hashInWorker()]) {
    for (const piece of pieces) await sum.add(piece)
    expect(await sum.digest()).toBe(wanted)
  }
})

test('a piece may be changed once it was taken', async () => {
  const sum = hashInWorker()
  const piece = Buffer.alloc(MIB, 1)
  await sum.add(piece)
  piece.fill(2)
  expect(await sum.digest()).toBe(createHash('sha256').update(Buffer.alloc(MIB, 1)).digest('hex'))
})

test('one that is given up holds nothing, before and after it began', async () => {
  hashInWorker().end()
  const begun = hashInWorker()
  await begun.add(Buffer.alloc(MIB))
  begun.end()
})

import { expect, test } from 'vitest'
import { bytesInWords } from './bytes-in-words.ts'

test('bytes are said in the unit that leaves few digits', () => {
  expect([0, 512, 1536, 190 * 2 ** 20, 2 ** 20 - 1, 7.6 * 2 ** 30].map(bytesInWords)).toEqual([
    ...['0 B', '512 B', '1.5 kB', '190 MB', '1 MB', '7.6 GB'],
  ])
})

import { expect, test } from 'vitest'
import { Sha256 } from './sha256.ts'

const random = (length: number) => crypto.getRandomValues(new Uint8Array(length))
const known = async (bytes: Uint8Array<ArrayBuffer>) =>
  Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')

test('every length around the ends of blocks has the sum that everybody has', async () => {
  for (let length = 0; length <= 200; length++) {
    const bytes = random(length)
    expect(new Sha256().add(bytes).hex(), `${length} bytes`).toBe(await known(bytes))
  }
})

test('in pieces it is the same as whole', async () => {
  const bytes = random(60_000)
  const sum = new Sha256()
  for (let at = 0, step = 1; at < bytes.length; at += step, step = ((step * 7) % 1013) + 1)
    sum.add(bytes.subarray(at, at + step))
  expect(sum.hex()).toBe(await known(bytes))
})

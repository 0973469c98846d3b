import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runClient } from './client.ts'

const folder = await mkdtemp(join(tmpdir(), 'slipway-client-'))
afterAll(() => rm(folder, { recursive: true }))

/** A program that prints so many megabytes at once, and stays if it is told to. */
const printing = (megabytes: number, stay = false) => ({
  argv: [
    process.execPath,
    '-e',
    `const line = 'x'.repeat(1023) + '\\n'
     for (let n = 0; n < ${megabytes * 1024}; n++) require('node:fs').writeSync(2, line)
     ${stay ? 'setInterval(() => {}, 1000)' : ''}`,
  ],
  env: {},
})

test('a reader that is slow is waited for, and gets everything', async () => {
  let bytes = 0
  let busy = false
  const end = await runClient(printing(8), {
    transcript: join(folder, 'slow'),
    async take(chunk) {
      expect(busy).toBe(false)
      busy = true
      bytes += chunk.length
      await new Promise((next) => setTimeout(next, 5))
      busy = false
    },
    signal: AbortSignal.timeout(60_000),
  })
  expect(end).toEqual({ code: 0, printedTooMuch: false })
  expect(bytes).toBe(8 * 1024 * 1024)
})

test('whoever ends it does not wait until a long tail was read', async () => {
  const leave = new AbortController()
  let bytes = 0
  const end = await runClient(printing(40, true), {
    transcript: join(folder, 'left'),
    async take(chunk) {
      bytes += chunk.length
      if (bytes === chunk.length) {
        // All of it is printed by then.
        await new Promise((next) => setTimeout(next, 1500))
        leave.abort()
      }
    },
    signal: leave.signal,
  })
  expect(end.code).toBeNull()
  expect(bytes).toBeLessThan(6 * 1024 * 1024)
})

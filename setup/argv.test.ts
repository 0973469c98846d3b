import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ended, run } from './argv.ts'

const dir = mkdtempSync(join(tmpdir(), 'slipway-argv-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

test('a program reads a text, or a file that was opened for it, whatever its size', async () => {
  const file = join(dir, 'file')
  writeFileSync(file, 'x'.repeat(3_000_000))
  expect(await run(['wc', '-c'], { input: 'four' })).toBe('4\n')
  expect((await run(['wc', '-c'], { inputFile: file })).trim()).toBe('3000000')
  expect((await ended(['true'], { inputFile: file })).code).toBe(0)
})

import { afterEach, expect, test, vi } from 'vitest'
import { hashFile } from './hash-file.ts'

afterEach(() => vi.unstubAllGlobals())

const TEXT = '#!/bin/sh\necho hello\n'

test('where the browser has no sums of its own, because the page is not https, they are the same', async () => {
  const known = await hashFile(new File([TEXT], 'run.sh'))
  vi.stubGlobal('crypto', {})
  expect(await hashFile(new File([TEXT], 'run.sh'))).toEqual(known)
  expect(known).toMatchObject({ size: TEXT.length, mode: 0o755 })
})

test('a large file is read in pieces, and a file that says nothing of itself is no program', async () => {
  const large = new File([new Uint8Array(17 * 1024 * 1024)], 'large.bin')
  const { size, mode } = await hashFile(large)
  expect([size, mode]).toEqual([17 * 1024 * 1024, 0o644])
})

import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { readCommandLine } from './command-line.ts'

test('what a release has beside the server is handed out, with its checksum', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-'))
  try {
    const file = join(folder, 'slipway.tgz')
    const packed = Buffer.from([0x1f, 0x8b, 0xff, 0x00])
    writeFileSync(file, packed)
    const { bytes, sha256 } = readCommandLine(pathToFileURL(file))
    expect(bytes).toEqual(packed)
    expect(sha256).toBe(createHash('sha256').update(packed).digest('hex'))
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a checkout has none, and says where there is one', () => {
  expect(() => readCommandLine()).toThrow('no command line to hand out')
})

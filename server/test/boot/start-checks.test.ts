import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { areRelated, checkStart } from '../../src/process/start-checks.ts'

const folder = mkdtempSync(join(tmpdir(), 'slipway-start-'))
afterAll(() => rmSync(folder, { recursive: true }))

const said: string[] = []
const log = { warn: (_: object, words: string) => void said.push(words) }
const config = (dataDir: string, more: object = {}) =>
  ({ dataDir, publicUrl: 'http://127.0.0.1:4600', baseDomain: 'localhost', ...more }) as never

test('every folder of the data directory is closed to other users when the process starts, old ones too', async () => {
  const dataDir = join(folder, 'data')
  for (const name of ['contexts', 'repositories']) {
    mkdirSync(join(dataDir, name), { recursive: true })
    chmodSync(join(dataDir, name), 0o755)
  }
  await checkStart(config(dataDir), log)
  const modes = readdirSync(dataDir).map((name) => [name, (statSync(join(dataDir, name)).mode & 0o777).toString(8)])
  expect(modes).toEqual(['blobs', 'builds', 'contexts', 'logs', 'repositories'].map((name) => [name, '700']))
  expect(said).toEqual([])
})

test.each([
  ['example.com', 'slipway.example.com', true],
  ['apps.example.com', 'slipway.example.com', true],
  ['slipway.example.com', 'example.com', true],
  ['example.com', 'example.com', true],
  ['example.net', 'slipway.example.com', false],
  ['notexample.com', 'example.com', false],
  ['localhost', '127.0.0.1', false],
])('base domain %s and address %s: related %s', (baseDomain, host, related) => {
  expect(areRelated(baseDomain, host)).toBe(related)
})

test('an operator whose applications share a site with the instance is told so', async () => {
  const more = { publicUrl: 'https://slipway.example.com', baseDomain: 'apps.example.com' }
  await checkStart(config(join(folder, 'other'), more), log)
  expect(said).toEqual([expect.stringContaining('SLIPWAY_BASE_DOMAIN')])
})

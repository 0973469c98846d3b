import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scriptWeights } from '../../test-kit/script-weight.ts'
import { builtDashboard } from './built.ts'

type Chunk = { file: string }
const MOST_BYTES = 300_000

const dir = await builtDashboard()
const chunks: Record<string, Chunk> = JSON.parse(readFileSync(join(dir, 'build.json'), 'utf8'))

test('a first visit to any page loads at most 300 kB of script, as it is sent', () => {
  const weights = scriptWeights(dir)
  expect(weights.length).toBeGreaterThan(4)
  expect(weights.filter(({ bytes }) => bytes > MOST_BYTES || bytes < 50_000)).toEqual([])
})

test('every text file lies there compressed, and is smaller so', () => {
  for (const { file } of Object.values(chunks).filter((chunk) => /\.(js|css)$/.test(chunk.file))) {
    const [plain = 0, gz = 0, br = 0] = ['', '.gz', '.br'].map(
      (extension) => statSync(join(dir, `${file}${extension}`)).size,
    )
    // A line or two cannot become smaller.
    expect([file, plain < 300 || gz < plain, plain < 300 || br < plain]).toEqual([file, true, true])
  }
})

test('nothing of the page stands inline, and nothing comes from elsewhere', () => {
  const page = readFileSync(join(dir, 'index.html'), 'utf8')
  expect(page).not.toMatch(/<style|<script(?![^>]*\bsrc=)|\bon\w+=|\sstyle=|https?:/)
})

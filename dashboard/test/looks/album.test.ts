import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ALBUM, PRINTS, printOf, wordsFile } from './album.ts'
import { steadyWords } from './steady-words.ts'

const ROOT = join(import.meta.dirname, '../../..')
const MOST_KB = 100
const MOST_KB_IN_ALL = 2600

/** The names that screens of the other tests have for their pictures. */
const named = globSync('*.test.ts', { cwd: import.meta.dirname })
  .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
  .flatMap((text) => [...text.matchAll(/\bpicture: '([\w-]+)'/g)].map(([, name = '']) => name))
  .sort()

test('every pictured screen has its three pictures and its words, and there are no others', () => {
  expect(new Set(named).size, 'no two screens have one name').toBe(named.length)
  const wanted = named.flatMap((name) => [wordsFile(name), ...PRINTS.map((print) => printOf(name, print))])
  expect(readdirSync(ALBUM).sort()).toEqual(wanted.sort())
})

test('pictures are small enough to be kept beside the text', () => {
  const sizes = globSync('*.webp', { cwd: ALBUM }).map((file) => readFileSync(join(ALBUM, file)).length / 1000)
  expect(Math.max(...sizes)).toBeLessThan(MOST_KB)
  expect(sizes.reduce((all, one) => all + one, 0)).toBeLessThan(MOST_KB_IN_ALL)
})

test('a page that shows a picture shows one that is there', () => {
  const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })]
  const shown = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/pictures\/([\w.-]+\.webp)/g)].map(([, file = '']) => file),
  )
  expect(shown.filter((file) => !readdirSync(ALBUM).includes(file))).toEqual([])
})

test('what another minute or another machine changes is no part of the words', () => {
  const words = [
    '- link "Live docs #45 pushed by Grace 38 s 4 h ago":',
    '  - /url: /deployments/dep_01kq8zj4ch2m9x7v5t3r1p0n8w',
    '- time: just now',
    '- text: running for 1 m 09 s, looked 12 s ago, good until 11/25/2026',
    '- text: http://127.0.0.1:40123 ssh-ed25519 SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU',
  ]
  expect(steadyWords(words.join('\n')).split('\n')).toEqual([
    '- link "Live docs #45 pushed by Grace a while some time ago":',
    '  - /url: /deployments/id',
    '- time: some time ago',
    '- text: running for a while, looked a while ago, good until a date',
    '- text: http://127.0.0.1:port ssh-ed25519 SHA256:fingerprint',
  ])
})

test('a renamed button, a number of a deployment and a size are words that count', () => {
  const words = '- button "Roll back to this"\n- text: 2 of 3 services, 490 MB of 512 MB, port 3000, 30 days\n'
  expect(steadyWords(words)).toBe(words)
})

import { expect, test } from 'vitest'
import { fullFolders } from './folders.ts'
import { longReadme, missingPaths } from './pages.ts'

const filled = (folder: string, count: number) => Array.from({ length: count }, (_, n) => `${folder}/file-${n}.ts`)

test('a folder with more than twenty-five files fails, tests counted and its README not', () => {
  const folder = 'server/src/core/planted'
  expect(fullFolders([...filled(folder, 24), `${folder}/one.test.ts`, `${folder}/README.md`])).toEqual([])
  expect(fullFolders([...filled(folder, 25), `${folder}/one.test.ts`])).toEqual([
    expect.stringContaining(`${folder} has 26 files`),
  ])
})

test('files of folders below are not counted, and migrations may grow', () => {
  const folder = 'server/src/core/planted'
  expect(fullFolders([...filled(folder, 20), ...filled(`${folder}/below`, 20)])).toEqual([])
  expect(fullFolders(filled('server/src/db/migrations', 60))).toEqual([])
})

test('a README of a room that is too long or too wide fails, the front page does not', () => {
  const line = (length: number) => `${'x'.repeat(length)}\n`
  expect(longReadme('server/src/jobs/README.md', line(120).repeat(15))).toEqual([])
  expect(longReadme('server/src/jobs/README.md', line(10).repeat(16))).toHaveLength(1)
  expect(longReadme('server/src/jobs/README.md', line(10) + line(121))).toEqual([
    expect.stringContaining('README.md:2'),
  ])
  expect(longReadme('README.md', line(200).repeat(100))).toEqual([])
})

test('a path that a page names and that is not there fails', () => {
  const files = ['server/src/core/page.ts', 'docs/explanation/security-model.md', 'docs/README.md']
  const named = (text: string, page = 'ARCHITECTURE.md') => missingPaths(page, text, files)
  expect(named('`core/page.ts`, `page.ts` and `server/src/core/`')).toEqual([])
  expect(named('`core/pages.ts`')).toEqual([expect.stringContaining('core/pages.ts')])
  expect(named('`core/planted/`')).toEqual([expect.stringContaining('core/planted/')])
  expect(named('[model](docs/explanation/security-model.md#top)')).toEqual([])
  expect(named('[model](explanation/none.md)', 'docs/README.md')).toEqual([
    expect.stringContaining('docs/explanation/none.md'),
  ])
})

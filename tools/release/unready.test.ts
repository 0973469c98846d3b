import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { git, whyUnready } from './unready.ts'

const checkout = mkdtempSync(join(tmpdir(), 'slipway-unready-'))
afterAll(() => rmSync(checkout, { recursive: true, force: true }))
const write = (name: string, text = '') => writeFileSync(join(checkout, name), text)
const commit = () => {
  git(checkout, 'add', '.')
  git(checkout, '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--message', 'all')
}

test('a release is of a commit and of a version: what stands against it is said by name', () => {
  git(checkout, 'init', '--quiet')
  write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n')
  commit()
  expect(whyUnready(checkout, '1.2.3')).toContain('Call it 1.2.3, or make a --snapshot.')
  write('CHANGELOG.md', '# Changelog\n\n## 1.2.3\n')
  write('my key.pem')
  expect(whyUnready(checkout, '1.2.3')).toBe(
    'These are in no commit: CHANGELOG.md, my key.pem. Commit them or move them elsewhere, or make a --snapshot.',
  )
  commit()
  expect(whyUnready(checkout, '1.2.3')).toBeNull()
  for (let n = 10; n < 25; n++) write(`file-${n}`)
  expect(whyUnready(checkout, '1.2.3')).toContain('file-18, file-19 and 5 more.')
})

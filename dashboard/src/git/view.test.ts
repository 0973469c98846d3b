import { expect, test } from 'vitest'
import { readGit } from './view.ts'

test('what an address says wrong is passed over, and the rest is taken', () => {
  expect(readGit({ tab: 'deliveries', repo: 'acme/shop', decision: 'skipped' })).toMatchObject({
    tab: 'deliveries',
    repo: 'acme/shop',
    decision: 'skipped',
  })
  expect(readGit({ tab: 'no', repo: 'acme', decision: 'perhaps', q: '' })).toEqual({})
})

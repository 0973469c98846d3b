import { expect, test } from 'vitest'
import { readActivity } from './filter.ts'

test('a filter is what the address says', () => {
  const said = { action: 'token.create', target: 'prj_1', actor: 'usr_1', since: '2026-02-28', until: '2026-03-01' }
  expect(readActivity(said)).toEqual(said)
})

test('what an address says wrong narrows nothing', () => {
  const nothing = { action: undefined, target: undefined, actor: undefined, since: undefined, until: undefined }
  expect(readActivity({ action: '', target: 7, actor: ['x'], since: '2026-02-31', until: 'yesterday' })).toEqual(
    nothing,
  )
  expect(readActivity({ since: '2026-2-3', until: '2026-13-01', other: '1' })).toEqual(nothing)
})

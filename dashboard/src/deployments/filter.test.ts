import { expect, test } from 'vitest'
import { readFilter } from './filter.ts'

test('a filter is what the address says', () => {
  const said = { project: 'prj_1', status: 'failed', branch: 'main' }
  expect(readFilter(said)).toEqual(said)
})

test('what an address says wrong narrows nothing', () => {
  const nothing = { project: undefined, status: undefined, branch: undefined }
  expect(readFilter({ project: '../x', status: 'broken', branch: '', other: '1' })).toEqual(nothing)
  expect(readFilter({ status: ['failed'], branch: 7 })).toEqual(nothing)
})

import type { Project } from '@slipway/contract/projects'
import { expect, test } from 'vitest'
import { clashesOf, draftOf, patchOf, withTheirs } from './settings-draft.ts'

const PROJECT = {
  name: 'shop',
  repository: null,
  branch: 'main',
  serverId: null,
  settings: {
    rollbackWindow: 5,
    bakeSeconds: 60,
    approveBuild: false,
    approveRelease: false,
    autoDeploy: true,
    watchPaths: [],
    skipWords: ['[skip ci]'],
    reportStatus: true,
  },
} as unknown as Project
const base = draftOf(PROJECT)

test('only what was changed is sent, in the form that the API takes', () => {
  expect(patchOf(base, base)).toEqual({})
  expect(patchOf(base, { ...base, branch: ' ', rollbackWindow: '8', watchPaths: 'src/**\n\n !docs/** ' })).toEqual({
    branch: null,
    settings: { rollbackWindow: 8, watchPaths: ['src/**', '!docs/**'] },
  })
})

test('where others have changed it meanwhile both are shown, and what one did not touch is taken over', () => {
  const theirs = { ...base, name: 'store', autoDeploy: false }
  const mine = { ...base, name: 'market', bakeSeconds: '10' }
  expect(clashesOf(base, theirs, mine)).toEqual([
    { name: 'name', mine: 'market', theirs: 'store' },
    { name: 'autoDeploy', mine: 'yes', theirs: 'no' },
  ])
  expect(withTheirs(base, theirs, mine)).toEqual({ ...base, name: 'market', autoDeploy: false, bakeSeconds: '10' })
})

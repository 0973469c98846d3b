import type { MigrationStack } from '@slipway/contract/migration-shape'
import { expect, test } from 'vitest'
import { groupsOf } from './found-groups.ts'

type Stack = MigrationStack['composeStacks'][number]
const stack = (more: Partial<Stack>) =>
  ({
    name: 'blog',
    maker: 'compose v2',
    workingDir: '/srv/blog',
    platform: null,
    files: [],
    differences: [],
    services: [],
    ...more,
  }) as Stack
const file = { path: '/srv/blog/compose.yaml', found: true, reason: null, matches: true }

test('a stack says where it comes from and whether its file still says what runs', () => {
  const note = (more: Partial<Stack>) => groupsOf({ composeStacks: [stack(more)], containers: [] })[0]?.fileNote
  expect(groupsOf({ composeStacks: [stack({})], containers: [] })[0]?.origin).toBe('compose v2 · /srv/blog')
  expect(note({ files: [file] })).toBe('file matches')
  expect(note({ files: [{ ...file, matches: null }] })).toBeNull()
  expect(note({ files: [{ ...file, found: false }] })).toBe('its file is gone')
  const one = { service: 'web', kind: 'image' as const, detail: '' }
  expect(note({ files: [file], differences: [one] })).toBe('1 difference to its file')
})

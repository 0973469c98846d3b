import { ROLE_PERMISSIONS, SCOPES } from '@slipway/contract/permissions'
import { expect, test } from 'vitest'
import { PRESETS, scopesOf, toggled } from './scopes.ts'

test('a preset never ticks a cell that its maker does not have', () => {
  const held = [...ROLE_PERMISSIONS.viewer]
  for (const { name } of PRESETS) expect(scopesOf(name, held).every((scope) => held.includes(scope))).toBe(true)
  expect(scopesOf('deploy', held)).not.toContain('deployment:write')
  expect(scopesOf('deploy', SCOPES)).toContain('deployment:write')
})

test('ticking adds a cell and ticking again takes it away, in the order of the table', () => {
  expect(toggled(['project:read'], 'deployment:read')).toEqual(['deployment:read', 'project:read'])
  expect(toggled(['deployment:read', 'project:read'], 'project:read')).toEqual(['deployment:read'])
})

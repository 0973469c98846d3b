import { expect, test } from 'vitest'
import { roleChange } from './role-change.ts'

test('a higher role says what it adds, a lower one what it takes, from the contract’s own table', () => {
  const up = roleChange('Sam', 'viewer', 'developer')
  expect(up[0]).toMatch(/^Sam may then also: .*deployment:write/)
  expect(up.join(' ')).not.toContain('no longer')
  const down = roleChange('Sam', 'owner', 'admin')
  expect(down[0]).toBe('Sam may no longer: member:write, member:admin, audit:write, audit:admin.')
  expect(down).toContain('Their access tokens lose the same, from the next request on.')
})

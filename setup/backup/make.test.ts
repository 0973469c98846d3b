import { expect, test } from 'vitest'
import { leftOut } from './make.ts'

test('backups that lie in the data directory are not backed up again', () => {
  expect(leftOut({})).toContain('./backups')
  expect(leftOut({ BACKUP_SERVER_ROOT: '' })).toContain('./backups')
  const own = leftOut({ BACKUP_SERVER_ROOT: '/var/lib/slipway/kept/here', BACKUP_LOCAL_ROOT: '/srv/backups' })
  expect(own).toContain('./kept/here')
  expect(own.join()).not.toContain('srv')
})

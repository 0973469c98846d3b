import type { BackupDestination } from '@slipway/contract/backup-destinations'
import { expect, test } from 'vitest'
import { placeOf } from './words.ts'

const of = (values: Partial<BackupDestination>) => placeOf(values as BackupDestination, 'fra-1')

test('a place is written as one would write it down, for every kind', () => {
  expect([
    of({ kind: 's3_compatible', bucket: 'backups', endpoint: null, pathPrefix: 'shop' }),
    of({ kind: 's3_compatible', bucket: 'backups', endpoint: 'https://minio.example/', pathPrefix: null }),
    of({ kind: 'sftp', sshUser: 'u1', sshHost: 'box.example', sshPort: 23, pathPrefix: '/home/u1' }),
    of({ kind: 'platform_server', pathPrefix: null }),
    of({ kind: 'local', endpoint: '/srv/backups', pathPrefix: null }),
  ]).toEqual([
    's3://backups/shop',
    'https://minio.example/backups',
    'u1@box.example:23 /home/u1',
    'fra-1',
    '/srv/backups',
  ])
})

import { migration } from '@slipway/contract/migration'
import { listGrants, revokeGrant } from '../../core/grants/manage.ts'
import { adoptServices } from '../../core/migration/adopt.ts'
import { scanServer } from '../../core/migration/scan.ts'
import type { Platform } from '../../core/platform.ts'
import { aborted } from '../abort-on-disconnect.ts'
import { on, type Route } from '../route.ts'

export const migrationRoutes = (platform: Platform): Route[] => [
  on(migration.scan, ({ caller, body, reply }) => scanServer(platform, caller, body, aborted(reply))),
  on(migration.adopt, ({ caller, body, reply }) => adoptServices(platform, caller, body, aborted(reply))),
  on(migration.grants, ({ caller, params, query }) => listGrants(platform, caller, params.id, query)),
  on(migration.revokeGrant, ({ caller, params }) => revokeGrant(platform, caller, params.id, params.grantId)),
]

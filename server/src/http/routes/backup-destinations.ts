import { backupDestinations } from '@slipway/contract/backup-destinations'
import {
  createDestination,
  listDestinations,
  removeDestination,
  showDestination,
  updateDestination,
} from '../../core/backups/manage.ts'
import { preflight } from '../../core/backups/preflight.ts'
import type { Platform } from '../../core/platform.ts'
import { aborted } from '../abort-on-disconnect.ts'
import { on, type Route } from '../route.ts'

export const backupDestinationRoutes = (platform: Platform): Route[] => [
  on(backupDestinations.list, ({ caller, query }) => listDestinations(platform, caller, query)),
  on(backupDestinations.create, ({ caller, body, reply }) => createDestination(platform, caller, body, aborted(reply))),
  on(backupDestinations.show, ({ caller, params }) => showDestination(platform, caller, params.id)),
  on(backupDestinations.update, ({ caller, params, body, ifMatch, reply }) =>
    updateDestination(platform, caller, params.id, body, { ifMatch, signal: aborted(reply) }),
  ),
  on(backupDestinations.remove, ({ caller, params }) => removeDestination(platform, caller, params.id)),
  on(backupDestinations.preflight, ({ caller, params }) => preflight(platform, caller, params.id)),
]

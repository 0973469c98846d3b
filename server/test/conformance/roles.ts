import { journey, routes, targets } from './files.ts'
import type { Shown } from './statement.ts'

/** Roles and uploads, where the interface says “not shown”. */
export const ROLES: Shown[] = [
  {
    id: 'role.actions',
    says: 'A viewer lists and reads, a developer writes, admins and owners do everything.',
    tests: [routes('a viewer lists and reads, a developer writes as well, admins and owners do everything')],
  },
  {
    id: 'role.upload-mode',
    says: 'A folder session is for this instance, or for a cloud where there is one.',
    tests: [
      targets('a folder that was uploaded for the cloud is deployed there, and needs one'),
      journey(
        'a folder becomes a running, routed service; a change goes live; a rollback brings the old one back without a build',
      ),
    ],
  },
]

import { matrix, routes } from './files.ts'
import type { Shown } from './statement.ts'

const NEEDS: Record<string, string[]> = {
  'deployment:list': ['GET /api/deployments'],
  'deployment:read': [
    'POST /api/deployments/ssl/status',
    'GET /api/deployments/:id',
    'GET /api/deployments/:id/logs',
    'GET /api/deployments/:id/stream',
    'GET /api/deployments/:id/build',
    'GET /api/deployments/:id/info',
    'GET /api/deployments/:id/usage',
  ],
  'deployment:write': [
    'POST /api/deployments',
    'POST /api/deployments/prepare',
    'POST /api/deployments/build/access',
    'POST /api/deployments/ssl/renew',
    'POST /api/deployments/:id/build',
    'POST /api/deployments/:id/build/respond',
    'POST /api/deployments/:id/redeploy',
    'POST /api/deployments/:id/rollback',
    'POST /api/deployments/:id/pin',
    'POST /api/deployments/:id/cancel',
    'POST /api/deployments/:id/keep',
    'POST /api/deployments/:id/reject',
    'POST /api/deployments/:id/restart',
  ],
  'deployment:admin': ['DELETE /api/deployments/:id'],
  'backup_destination:list': ['GET /api/backup-destinations'],
  'backup_destination:read': ['GET /api/backup-destinations/:id'],
  'backup_destination:write': [
    'POST /api/backup-destinations',
    'PATCH /api/backup-destinations/:id',
    'POST /api/backup-destinations/:id/preflight',
  ],
  'backup_destination:admin': ['DELETE /api/backup-destinations/:id'],
}

/** One for each line of the interface's tables of routes. */
export const PERMISSIONS: Shown[] = Object.entries(NEEDS).flatMap(([permission, all]) =>
  all.map((route) => ({
    id: `permission.${route
      .replace(/^(\w+) \/api\//, (_, method) => `${method.toLowerCase()}.`)
      .replaceAll('/:id', '.one')
      .replaceAll('/', '.')}`,
    route,
    says: `needs ${permission}, and nothing else.`,
    tests: [
      routes('the routes of deployments and backup destinations are those of the interface, each with its permission'),
      routes('%s', 'opens to a token that has its permission and nothing else'),
      matrix('%s', 'lacking the permission → 403 that names it'),
    ],
  })),
)

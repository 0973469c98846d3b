import type { Mode } from '@slipway/contract/endpoint'

export type Row = { method: string; path: string; permission: string; only: Mode | null }

/** What the interface says, by hand: the other tables of routes are made from the code that they would judge. */
const TABLE = `
GET    /api/deployments                              deployment:list
POST   /api/deployments                              deployment:write
POST   /api/deployments/prepare                      deployment:write
POST   /api/deployments/build/access                 deployment:write
POST   /api/deployments/ssl/status                   deployment:read
POST   /api/deployments/ssl/renew                    deployment:write
GET    /api/deployments/:id                          deployment:read
GET    /api/deployments/:id/logs                     deployment:read
GET    /api/deployments/:id/stream                   deployment:read
GET    /api/deployments/:id/build                    deployment:read
POST   /api/deployments/:id/build                    deployment:write
POST   /api/deployments/:id/build/respond            deployment:write
POST   /api/deployments/:id/redeploy                 deployment:write
POST   /api/deployments/:id/rollback                 deployment:write
POST   /api/deployments/:id/pin                      deployment:write
POST   /api/deployments/:id/cancel                   deployment:write
POST   /api/deployments/:id/keep                     deployment:write
POST   /api/deployments/:id/reject                   deployment:write
POST   /api/deployments/:id/restart                  deployment:write
GET    /api/deployments/:id/info                     deployment:read
GET    /api/deployments/:id/usage                    deployment:read
DELETE /api/deployments/:id                          deployment:admin
GET    /api/backup-destinations                      backup_destination:list
POST   /api/backup-destinations                      backup_destination:write
GET    /api/backup-destinations/:id                  backup_destination:read
PATCH  /api/backup-destinations/:id                  backup_destination:write
DELETE /api/backup-destinations/:id                  backup_destination:admin
POST   /api/backup-destinations/:id/preflight        backup_destination:write
GET    /api/githost/status                           githost:read
GET    /api/githost/home                             githost:read
GET    /api/githost/local-status                     githost:read              self_hosted
GET    /api/githost/connect/poll                     githost:read              self_hosted
POST   /api/githost/connect                          githost:write
GET    /api/githost/connect/redirect                 public
POST   /api/githost/disconnect                       githost:admin
GET    /api/githost/repos                            githost:list
POST   /api/githost/repos                            githost:write
GET    /api/githost/orgs/:org/repos                  githost:list
GET    /api/githost/repos/:owner/:repo               githost:read
DELETE /api/githost/repos/:owner/:repo               githost:admin
GET    /api/githost/repos/:owner/:repo/branches      githost:list
GET    /api/githost/repos/:owner/:repo/clone-token   githost:read
GET    /api/githost/repos/:owner/:repo/files         githost:list
GET    /api/githost/repos/:owner/:repo/file          githost:read
GET    /api/githost/repos/:owner/:repo/webhooks      githost:list
POST   /api/githost/repos/:owner/:repo/webhooks      githost:write
DELETE /api/githost/repos/:owner/:repo/webhooks      githost:admin
POST   /api/migration/scan                           server:write              self_hosted
POST   /api/migration/adopt                          server:write              self_hosted
`

export const ROWS: Row[] = TABLE.trim()
  .split('\n')
  .map((line) => line.split(/\s+/))
  .map(([method = '', path = '', permission = '', only]) => ({
    method,
    path,
    permission,
    only: (only as Mode) ?? null,
  }))

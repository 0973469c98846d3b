import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'

/** What the interface says, by hand. */
const ROUTES = `
GET    /api/githost/status                           githost:read
GET    /api/githost/home                             githost:read
GET    /api/githost/local-status                     githost:read
GET    /api/githost/connect/poll                     githost:read
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
`
const wanted = ROUTES.trim()
  .split('\n')
  .map((line) => line.split(/\s+/).join(' '))

/** Our own, which the interface leaves open: what the host sends, and what became of it. */
const isOurs = (line: string) => /^\w+ \/api\/githost\/(webhook|deliveries|rules|app)\b/.test(line)

test('the routes of the git host are those of the interface, each with its permission', async () => {
  const { app } = await startWorld()
  const served = app.endpoints
    .filter(({ path }) => path.startsWith('/api/githost/'))
    .map(({ method, path, access }) => `${method} ${path} ${'permission' in access ? access.permission : 'public'}`)
  expect(served.filter((line) => !isOurs(line)).sort()).toEqual(wanted.toSorted())
})

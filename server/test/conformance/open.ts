import type { OpenArea, Statement } from './statement.ts'

const at =
  (prefix: string) =>
  (id: string, route: string, says: string): Statement => ({ id: `${prefix}.${id}`, route, says })
const githost = at('githost')
const migration = at('migration')
const REPO = '/api/githost/repos/:owner/:repo'

/** What the interface says of parts that are not built yet. */
export const OPEN: OpenArea[] = [
  {
    title: 'Git host connection',
    open: [
      githost(
        'status',
        'GET /api/githost/status',
        'tells state, accounts, installUrl, cloudUnreachable; githost:read.',
      ),
      githost('home', 'GET /api/githost/home', 'tells state, accounts and repositories; githost:read.'),
      { id: 'githost.visible', says: 'Accounts and repositories are those that the role of the caller may see.' },
      githost(
        'local-status',
        'GET /api/githost/local-status',
        'tells whether the command-line client is signed in; githost:read.',
      ),
      githost('poll', 'GET /api/githost/connect/poll', 'tells how a login by device code stands; githost:read.'),
      { id: 'githost.self-hosted-only', says: 'Local status and poll are not there in cloud mode: 404.' },
      githost(
        'connect',
        'POST /api/githost/connect',
        'connects, by `source` oauth or cli, or as the instance picks; githost:write.',
      ),
      { id: 'githost.connect-connected', says: 'Connect answers `connected: true` where it is.' },
      { id: 'githost.connect-redirect', says: 'Connect may answer with a `url` to open (flow `redirect`).' },
      { id: 'githost.connect-device', says: 'Connect may answer with a code to enter (flow `device_code`).' },
      { id: 'githost.connect-terminal', says: 'Connect may answer with a command to run (flow `terminal`).' },
      {
        id: 'githost.cloud-unreachable',
        says: 'Connect where the hosted cloud does not answer: 503 `cloud_unreachable`.',
      },
      githost('callback', 'GET /api/githost/connect/redirect', 'takes a browser back from the host; it is public.'),
      githost(
        'disconnect',
        'POST /api/githost/disconnect',
        'forgets the credentials of oauth, cli or all (the default); githost:admin.',
      ),
      {
        id: 'githost.disconnect-app',
        says: 'Disconnecting does not uninstall the app; an uninstall at the host is heard of.',
      },
      githost(
        'repos',
        'GET /api/githost/repos',
        'lists repositories, of `owner` where given, as `data`; githost:list.',
      ),
      githost('repos-create', 'POST /api/githost/repos', 'makes one of name, private, owner: 201; githost:write.'),
      githost(
        'org-repos',
        'GET /api/githost/orgs/:org/repos',
        'lists those of an organization of the host; githost:list.',
      ),
      githost('repo', `GET ${REPO}`, 'shows one, with its branches when asked; githost:read.'),
      githost('repo-delete', `DELETE ${REPO}`, 'deletes one; githost:admin.'),
      githost('branches', `GET ${REPO}/branches`, 'lists its branches; githost:list.'),
      githost('clone-token', `GET ${REPO}/clone-token`, 'gives token, cloneUrl and command; githost:read.'),
      { id: 'githost.clone-token-life', says: 'A clone token lives less than an hour.' },
      { id: 'githost.clone-token-app', says: 'A clone token where the app is not installed for the owner: 409.' },
      githost('files', `GET ${REPO}/files`, 'lists a directory of a branch, the root by default; githost:list.'),
      githost('file', `GET ${REPO}/file`, 'gives a file, `package.json` by default; JSON is parsed; githost:read.'),
      githost('hooks', `GET ${REPO}/webhooks`, 'lists webhooks; githost:list.'),
      githost(
        'hooks-create',
        `POST ${REPO}/webhooks`,
        'registers the push webhook, or takes the one that is there; githost:write.',
      ),
      githost('hooks-delete', `DELETE ${REPO}/webhooks`, 'removes the webhook `hookId`; githost:admin.'),
      { id: 'githost.no-source', says: 'Listing repositories without any connection: 400.' },
      { id: 'githost.invisible', says: 'A repository that the connection does not show: 404.' },
      { id: 'githost.push', says: 'A push to a repository with the webhook deploys its project.' },
      { id: 'githost.prepare', says: 'Preparing from `source: githost` reads the tree at the host.' },
    ],
  },
  {
    title: 'Server migration',
    open: [
      migration('scan', 'POST /api/migration/scan', 'tells what runs on `serverId` as `stack`; server:write.'),
      {
        id: 'migration.scan-reads',
        says: 'A scan finds compose stacks, their files and loose containers, and changes nothing.',
      },
      migration('adopt', 'POST /api/migration/adopt', 'makes a project of the named services; server:write.'),
      {
        id: 'migration.adopt-looks',
        says: 'Adopting looks at the server again; what the client says of services is not believed.',
      },
      { id: 'migration.adopt-volumes', says: 'Adopting uses named volumes where they are, and deploys nothing.' },
      { id: 'migration.fields', says: 'Without `serverId`, `projectName` or a service: 400 that names the field.' },
      { id: 'migration.server', says: 'A server of another organization, or none: 404, before anything happens.' },
      {
        id: 'migration.unreachable',
        says: 'A server whose engine cannot be asked, or adopting that fails: 502 with the reason.',
      },
      { id: 'migration.cloud', says: 'In cloud mode no path of it is there: 404.' },
    ],
  },
  {
    title: 'Hosted cloud',
    open: [
      { id: 'cloud.forward', says: 'Routes of a deployment of a cloud project are passed on to the hosted cloud.' },
      {
        id: 'cloud.promote',
        says: '`deployTarget: cloud` on a self-hosted instance promotes the project to the cloud.',
      },
    ],
  },
  {
    title: 'Backup policies',
    open: [
      { id: 'policy.archives', says: 'Backup policies write archives to destinations.' },
      { id: 'policy.destination-in-use', says: 'Deleting a destination that a policy uses: 409.' },
    ],
  },
]

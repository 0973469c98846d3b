import { githost, matrix } from './files.ts'
import type { Shown, TestName } from './statement.ts'

const REPO = '/api/githost/repos/:owner/:repo'
const routes = githost('routes')('the routes of the git host are those of the interface, each with its permission')
const refused = matrix('%s', 'lacking the permission → 403 that names it')
const [browse, cli, cloud, connect] = [githost('browse'), githost('cli'), githost('cloud'), githost('connect')]
const [device, manage, manifest, oauth] = [githost('device'), githost('manage'), githost('manifest'), githost('oauth')]

const route = (id: string, at: string, says: string, ...tests: TestName[]): Shown => ({
  id: `githost.${id}`,
  route: at,
  says,
  tests: [...tests, routes, ...(says.includes('public') ? [] : [refused])],
})
const rule = (id: string, says: string, ...tests: TestName[]): Shown => ({ id: `githost.${id}`, says, tests })

const listed = browse('lists are filtered, searched and cut into pages')
const connected = oauth('an account is connected in the browser, and its repositories are listed')
const files = browse('folders are listed with folders first, and files are read as data')
const hook = manage('a hook is made once, reused, listed without its secret, and taken away')
const token = manage('a clone token reads one repository for less than an hour, and the command shows it nowhere')
const terminal = cli('who is not signed in is told the command; who is, is connected, and the token is stored nowhere')

export const GITHOST: Shown[] = [
  route(
    'status',
    'GET /api/githost/status',
    'tells state, accounts, installUrl, cloudUnreachable; githost:read.',
    connected,
  ),
  route('home', 'GET /api/githost/home', 'tells state, accounts and repositories; githost:read.', listed),
  rule(
    'visible',
    'Accounts and repositories are those that the role of the caller may see.',
    browse('a viewer sees what a project is deployed from, a developer what no rule takes, an admin everything'),
  ),
  route(
    'local-status',
    'GET /api/githost/local-status',
    'tells whether the command-line client is signed in; githost:read.',
    terminal,
    cli('a machine without the program says so'),
  ),
  route(
    'poll',
    'GET /api/githost/connect/poll',
    'tells how a login by device code stands; githost:read.',
    device('a device login is finished by the server, and its codes are the same for every tab'),
  ),
  rule(
    'self-hosted-only',
    'Local status and poll are not there in cloud mode: 404.',
    cloud('in cloud mode there is neither a login of the machine nor a device login, nor an app of one’s own'),
  ),
  route(
    'connect',
    'POST /api/githost/connect',
    'connects, by `source` oauth or cli, or as the instance picks; githost:write.',
    connected,
    terminal,
    manifest(
      'an app of one’s own is made and installed in one trip of the browser, and belongs to that organization alone',
    ),
  ),
  rule('connect-connected', 'Connect answers `connected: true` where it is.', terminal),
  rule('connect-redirect', 'Connect may answer with a `url` to open (flow `redirect`).', connected),
  rule(
    'connect-device',
    'Connect may answer with a code to enter (flow `device_code`).',
    device('a device login is finished by the server, and its codes are the same for every tab'),
  ),
  rule(
    'connect-terminal',
    'Connect may answer with a command to run (flow `terminal`).',
    terminal,
    device('a device login that the host does not allow becomes a command for the terminal'),
  ),
  rule(
    'cloud-unreachable',
    'Connect where the hosted cloud does not answer: 503 `cloud_unreachable`.',
    cloud('a cloud that cannot be reached is said to be so, by the word of the interface'),
    githost('broker')(
      'a cloud that is away: connecting says 503, what comes from elsewhere is read on, and status says so',
    ),
  ),
  route(
    'callback',
    'GET /api/githost/connect/redirect',
    'takes a browser back from the host; it is public.',
    connect('a state is good once, in the browser it was given to, and not for long'),
  ),
  route(
    'disconnect',
    'POST /api/githost/disconnect',
    'forgets the credentials of oauth, cli or all (the default); githost:admin.',
    cli('disconnecting forgets the choice, and leaves the machine signed in'),
    connect('disconnecting forgets the links and tokens, and uninstalls nothing'),
  ),
  rule(
    'disconnect-app',
    'Disconnecting does not uninstall the app; an uninstall at the host is heard of.',
    connect('disconnecting forgets the links and tokens, and uninstalls nothing'),
    connect('an uninstalled app is noticed at its next use, and is no source any more'),
  ),
  route(
    'repos',
    'GET /api/githost/repos',
    'lists repositories, of `owner` where given, as `data`; githost:list.',
    listed,
  ),
  route(
    'repos-create',
    'POST /api/githost/repos',
    'makes one of name, private, owner: 201; githost:write.',
    manage('repositories are created where the connection may, and a taken name is said to be so'),
  ),
  route(
    'org-repos',
    'GET /api/githost/orgs/:org/repos',
    'lists those of an organization of the host; githost:list.',
    listed,
  ),
  route(
    'repo',
    `GET ${REPO}`,
    'shows one, with its branches when asked; githost:read.',
    browse('branches are listed page by page'),
  ),
  route(
    'repo-delete',
    `DELETE ${REPO}`,
    'deletes one; githost:admin.',
    manage('deleting a repository is audited with the projects that were deployed from it, which stay'),
  ),
  route(
    'branches',
    `GET ${REPO}/branches`,
    'lists its branches; githost:list.',
    browse('branches are listed page by page'),
  ),
  route('clone-token', `GET ${REPO}/clone-token`, 'gives token, cloneUrl and command; githost:read.', token),
  rule('clone-token-life', 'A clone token lives less than an hour.', token),
  rule(
    'clone-token-app',
    'A clone token where the app is not installed for the owner: 409.',
    manage('without an installation there is no clone token, and viewers get none at all'),
  ),
  route('files', `GET ${REPO}/files`, 'lists a directory of a branch, the root by default; githost:list.', files),
  route('file', `GET ${REPO}/file`, 'gives a file, `package.json` by default; JSON is parsed; githost:read.', files),
  route('hooks', `GET ${REPO}/webhooks`, 'lists webhooks; githost:list.', hook),
  route(
    'hooks-create',
    `POST ${REPO}/webhooks`,
    'registers the push webhook, or takes the one that is there; githost:write.',
    hook,
  ),
  route('hooks-delete', `DELETE ${REPO}/webhooks`, 'removes the webhook `hookId`; githost:admin.', hook),
  rule('no-source', 'Listing repositories without any connection: 400.', connected),
  rule(
    'invisible',
    'A repository that the connection does not show: 404.',
    browse('names, branches and paths that mean something elsewhere name nothing here'),
  ),
  rule(
    'prepare',
    'Preparing from `source: githost` reads the tree at the host.',
    browse('what a source on the host is can be told without cloning it'),
  ),
  rule(
    'push',
    'A push to a repository with the webhook deploys its project.',
    githost('push')('a push is deployed once, by whom and why is listed'),
  ),
]

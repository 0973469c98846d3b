import { githost } from './files.ts'
import { inFile, type Shown, type TestName } from './statement.ts'

const [browse, cli, connect, guard] = [githost('browse'), githost('cli'), githost('connect'), githost('guard')]
const [heal, manage, push, webhook] = [githost('heal'), githost('manage'), githost('push'), githost('webhook')]
const transport = inFile('server/src/drivers/githost/transport.test.ts')

const attempt = (id: string, says: string, ...tests: TestName[]): Shown => ({ id: `attempt.${id}`, says, tests })

/** What somebody might try with the connection to the git host. Each was tried, and is refused. */
export const GITHOST_ATTEMPTS: Shown[] = [
  attempt(
    'installation',
    'A claim on another’s installation, by redirect, setup address or body, as a stranger or a mere collaborator, binds nothing that was not proved.',
    connect('an installation that the person cannot see is not bound, whatever the address says'),
    connect('an installation that a body names is not bound either'),
    connect('a collaborator of one repository connects that one, and nothing else of the installation'),
    connect('a mere reader binds nothing: an owner must connect'),
    manage('a link that was proved for some repositories makes tokens for no other, whatever the list says'),
  ),
  attempt(
    'sent-link',
    'A connect link that was sent to somebody names the organization and waits for their click.',
    connect('a connect link that was sent to somebody names the organization, and waits for a click'),
    connect('the dashboard of who began it needs no second click; that of somebody else does'),
  ),
  attempt(
    'state',
    'A state that was used, is foreign, too old, or comes with another cookie ends the attempt.',
    connect('a state is good once, in the browser it was given to, and not for long'),
    connect('a used state is refused, and so is one that is too old'),
  ),
  attempt(
    'open-redirect',
    'Redirects lead to our own address or to the configured host.',
    connect('redirects lead to our page or to the configured host, never to an address from the query'),
  ),
  attempt(
    'lost-link',
    'An installation that is gone, or whose prover has left, is no source any more, and its projects say so.',
    connect(
      'an installation that went away without a word is noticed within a day, and suspensions and permissions with it',
    ),
    connect('who has left the organization meanwhile binds nothing'),
    heal('a project says that the connection does not see its repository, until it does again'),
  ),
  attempt(
    'delivery',
    'A delivery that is unsigned, wrongly signed, replayed, too large, a form or packed does nothing.',
    webhook('a delivery %s is refused with %i, and nothing is stored'),
    webhook('a signature is over the bytes as they came'),
    webhook('a packed body is not unpacked, whatever its signature'),
    webhook('more than 25 MB is refused before anything is looked at'),
    push('a captured delivery that comes again does nothing'),
  ),
  attempt(
    'foreign-repository',
    'A valid delivery that names another organization’s repository is ignored.',
    webhook('a valid delivery of one organization’s app that names another’s repository is ignored'),
    webhook('a repository’s own hook tells of that repository alone'),
    webhook('a link of some repositories takes deliveries of those alone'),
  ),
  attempt(
    'same-name',
    'Another repository under the same name is not deployed, and the project says so.',
    heal('a repository that another one took the name of is not deployed'),
    manage('another repository under the same name is not deployed'),
  ),
  attempt(
    'fork',
    'Forks and pull requests are not deployed.',
    push('a push to a fork is not a push to its origin'),
    push('tags, pull requests, other branches and deleted branches are not deployed, and it is said why'),
  ),
  attempt(
    'names',
    'Names, branches and paths with metacharacters, leading dashes, `..` or NUL name nothing.',
    browse('names, branches and paths that mean something elsewhere name nothing here'),
  ),
  attempt(
    'ssrf',
    'The host comes from the configuration alone; its redirects are followed to itself; local and private addresses are guarded.',
    guard('a host at an address of the machine or of a cloud’s metadata is not connected to, in any mode'),
    guard('in cloud mode a private address of the host is refused, and nothing is asked of it'),
    transport('the host is asked, and a redirect is followed only to itself'),
  ),
  attempt(
    'tokens',
    'Tokens are in no argument, log, error, event, audit entry or dump; `bin/prove githost` looks for them everywhere.',
    manage('no token of the host is in any table, nor in the audit log'),
    manage('the command clones with a token that is in no argument and in no file'),
    githost('rotate')('a new key of the app is used once the host takes it, and the old one may be deleted there'),
  ),
  attempt(
    'content',
    'What is in a repository is data: a page in it is answered as JSON.',
    browse('folders are listed with folders first, and files are read as data'),
  ),
  attempt(
    'machine-login',
    'A second organization cannot use the login of the machine.',
    cli('the machine’s login serves one organization: a second one cannot use it'),
  ),
]

import {
  audit,
  cliAttacks,
  cliLogin,
  cliPages,
  folderBlob,
  folderBlobs,
  folderCreate,
  folderResume,
  folderSeal,
  folderTar,
  idempotency,
  projects,
  servers,
  serverUsage,
  tokens,
  variables,
} from './files.ts'
import type { Shown } from './statement.ts'

/** Projects, uploads, servers, tokens, the audit log: the interface needs them and leaves them to us. */
export const SUPPORTING: Shown[] = [
  {
    id: 'project.ensure',
    route: 'POST /api/projects/ensure',
    says: 'gives the project of a name or repository, made once where there is none.',
    tests: [
      projects('ensure makes a project once, also when asked for at once'),
      projects('ensure by repository names the project after it and finds it again'),
    ],
  },
  {
    id: 'project.variables',
    route: 'PUT /api/projects/:id/variables',
    says: 'keeps values sealed; only revealing shows them, and that is in the audit log.',
    tests: [
      variables('a value is sealed at rest and never listed'),
      variables('revealing needs project:admin and leaves an audit entry'),
    ],
  },
  {
    id: 'upload.missing',
    route: 'POST /api/projects/folder-sessions',
    says: 'takes the list of files and tells which contents are missing.',
    tests: [
      folderCreate('201', 'a new folder misses all its contents, each once'),
      folderCreate('201', 'only what changed is missing'),
    ],
  },
  {
    id: 'upload.paths',
    route: 'POST /api/projects/folder-sessions',
    says: 'refuses paths that are absolute or leave the tree, and links that do.',
    tests: [folderCreate('400', '%s is refused by name')],
  },
  {
    id: 'upload.blob',
    route: 'PUT /api/projects/folder-sessions/:id/blobs/:sha',
    says: 'takes a content, checks it, and takes it again without harm.',
    tests: [
      folderBlob('200', 'a content is stored once; sending it again is fine'),
      folderBlob('400', '%s than announced are refused and leave nothing'),
    ],
  },
  {
    id: 'upload.blobs',
    route: 'POST /api/projects/folder-sessions/:id/blobs',
    says: 'takes many contents in one gzip-compressed tar, and keeps what arrived of one that does not end well.',
    tests: [
      folderBlobs('200', 'many contents arrive in one body, and are a folder'),
      folderBlobs('what came before stays', 'of an archive that breaks off'),
    ],
  },
  {
    id: 'upload.resume',
    route: 'GET /api/projects/folder-sessions/:id',
    says: 'tells after an interruption what is still missing.',
    tests: [folderResume('a cut connection leaves nothing visible, and the next ask lists only what is missing')],
  },
  {
    id: 'upload.seal',
    route: 'POST /api/projects/folder-sessions/:id/seal',
    says: 'completes it; while something is missing: 409 that lists it.',
    tests: [
      folderSeal('200: sealing twice is fine, changes nothing and is audited once'),
      folderSeal('409: what is missing is listed, and nothing is sealed'),
    ],
  },
  {
    id: 'upload.tar',
    route: 'POST /api/projects/folder-sessions',
    says: 'takes one gzip-compressed tar as well.',
    tests: [
      folderTar('201', 'an archive with long names, links, modes and directories becomes a sealed folder'),
      folderTar('400', 'an entry below a link is refused: it would be written where the link leads'),
    ],
  },
  {
    id: 'token.once',
    route: 'POST /api/tokens',
    says: 'shows the secret (`slp_…`) once; it is stored as a hash.',
    tests: [tokens('a new token is shown once and works')],
  },
  {
    id: 'token.narrower',
    route: 'POST /api/tokens',
    says: 'makes no token that may do more than the credential that makes it.',
    tests: [tokens('a token cannot make a token that holds more, reaches further or lives longer than itself')],
  },
  {
    id: 'token.project',
    says: 'A token may be restricted to a project, and reaches nothing else then.',
    tests: [tokens('a token restricted to a project reaches that project and nothing else')],
  },
  {
    id: 'token.last-used',
    says: 'A token tells when it was last used.',
    tests: [tokens('last use is written at most once a minute')],
  },
  {
    id: 'token.end-self',
    route: 'DELETE /api/tokens/self',
    says: 'ends the token that asks, whatever its scopes; a session is refused.',
    tests: [
      tokens('any token may end itself, without token:write and also when it is of one project'),
      tokens('a session is no token: it is told how it ends'),
    ],
  },
  {
    id: 'cli-login.ask',
    route: 'POST /api/auth/cli',
    says: 'begins to sign a command line in; so many from one address, and with a redirect to its own machine alone.',
    tests: [
      cliAttacks('from one address only so many command lines ask in ten minutes, whichever process they reach'),
      cliAttacks('a redirect leads to the machine that asks and nowhere else: %s'),
      cliAttacks('nothing that opens anything is stored as it is'),
    ],
  },
  {
    id: 'cli-login.show',
    route: 'GET /api/auth/cli/:userCode',
    says: 'shows machine, address and what it would get to a session alone; guesses are counted.',
    tests: [
      cliAttacks('an access token cannot look, approve or refuse, whatever it may do'),
      cliAttacks(
        'guessing: after ten codes that nobody was given a person waits, also for a right one, and from any address',
      ),
    ],
  },
  {
    id: 'cli-login.approve',
    route: 'POST /api/auth/cli/:userCode/approve',
    says: 'lets it in for one of the person’s organizations, with no more than they have; of several decisions one counts.',
    tests: [
      cliLogin('a person chooses among their own organizations, and no other'),
      cliLogin('it may get fewer scopes or one project, and never more than its person'),
      cliAttacks('a race to decide has one winner'),
      cliAttacks('CSRF: %s cannot approve with the cookie'),
    ],
  },
  {
    id: 'cli-login.deny',
    route: 'POST /api/auth/cli/:userCode/deny',
    says: 'refuses it for good.',
    tests: [cliLogin('a request that was refused stays refused, and is told so')],
  },
  {
    id: 'cli-login.token',
    route: 'POST /api/auth/cli/token',
    says: 'gives the token once, to the verifier and one-time code; until then it says why not, as RFC 8628 does.',
    tests: [
      cliLogin('a person lets a command line in, and it gets an ordinary token of theirs for 90 days'),
      cliLogin('asking for the token too soon is told to slow down, each time by more'),
      cliLogin('a request is over after 10 minutes: nobody approves it, nobody fetches it, and it is swept'),
      cliLogin('with a redirect the token needs the one-time code that only the browser was given'),
      cliAttacks('replay: a token is given once, and a second call with the same secrets ends it'),
    ],
  },
  {
    id: 'cli-login.pages',
    says: '`/cli` and `/device` need no script, are not framed, and take no code from a link that gives somebody else a token.',
    tests: [
      cliPages('clickjacking: no page of these may be framed, run a script, or send its forms elsewhere'),
      cliPages('phishing: a link with a code in it brings nobody further than the form to type it'),
      cliPages('phishing: whoever follows a link of the browser flow gives nothing to who sent it'),
    ],
  },
  {
    id: 'server.local',
    route: 'POST /api/servers/:id/check',
    says: 'looks at the local engine through its socket.',
    tests: [servers('the local engine is looked at through its socket')],
  },
  {
    id: 'server.usage',
    route: 'GET /api/servers/:id/usage',
    says: 'tells what each project of the organization uses there now.',
    tests: [serverUsage('what each project uses is summed up, the largest first, of one’s own organization alone')],
  },
  {
    id: 'server.ssh',
    route: 'POST /api/servers/:id/check',
    says: 'over SSH pins the host key it shows first, and takes no other.',
    tests: [
      servers('the first check over SSH pins the host key it shows; the key stays sealed'),
      servers('another host key than the pinned one fails and is never taken over'),
    ],
  },
  {
    id: 'server.in-use',
    route: 'DELETE /api/servers/:id',
    says: 'of one that projects or deployments hold: refused, and the answer says which.',
    tests: [
      servers('a server that projects use is not forgotten'),
      servers('a server that deployments were made on is not deleted, and the answer says what holds it'),
    ],
  },
  {
    id: 'audit.writes',
    route: 'GET /api/audit',
    says: 'tells who wrote what, from where; it cannot be changed.',
    tests: [audit('a write records who, what and from where'), audit('the log cannot be changed, not even by SQL')],
  },
  {
    id: 'audit.narrowed',
    route: 'GET /api/audit',
    says: 'narrows to who did it (`actor`) and to a span (`from`, `to`).',
    tests: [
      audit('entries filter by who did it, themselves or with a token; what the instance did is nobody’s'),
      audit('entries filter by span: its beginning counts, its end does not'),
    ],
  },
  {
    id: 'idempotency.key',
    says: 'With an `Idempotency-Key` the same request acts once and gets the same answer; another body is refused.',
    tests: [
      idempotency('the same key and body get the same answer, and the act happens once'),
      idempotency('the same key with another body is refused'),
    ],
  },
]

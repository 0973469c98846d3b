import {
  audit,
  folderBlob,
  folderCreate,
  folderResume,
  folderSeal,
  folderTar,
  idempotency,
  projects,
  servers,
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
    id: 'server.local',
    route: 'POST /api/servers/:id/check',
    says: 'looks at the local engine through its socket.',
    tests: [servers('the local engine is looked at through its socket')],
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
    id: 'idempotency.key',
    says: 'With an `Idempotency-Key` the same request acts once and gets the same answer; another body is refused.',
    tests: [
      idempotency('the same key and body get the same answer, and the act happens once'),
      idempotency('the same key with another body is refused'),
    ],
  },
]

import { fields, local, matrix, patch, preflight, routes, storage, validation } from './files.ts'
import type { Shown } from './statement.ts'

const ALL = '/api/backup-destinations'
const ONE = '/api/backup-destinations/:id'
const SHOWN = fields('what is stored is shown as it was given, and of each secret only whether there is one', '%s')
const MISSING = validation('a field that the kind requires is missing → 400 that names it', '%s without %s')
const NAME = validation('names', '%s → 400')
const SECRETS = patch('secrets', 'left out stays, null takes away, a text replaces; only flags are shown')
const LOCAL = local('a local destination → 400', 'whose path is %s')
const UNKNOWN = validation(
  'an id that is foreign, deleted or unknown → 404 on every route, preflight too, and always the same',
)
const VERIFIED = fields(
  'a preflight that succeeds sets lastVerifiedAt and gives no reason; one that fails sets lastVerifyError',
)
const KIND = validation('a kind that is not supported → 400', '%s')

const RESOURCE: Shown[] = [
  { id: 'destination.id', says: 'Has an `id`.', tests: [SHOWN] },
  { id: 'destination.name', says: 'Has a `name`, which is required and not blank.', tests: [SHOWN, NAME] },
  {
    id: 'destination.name-length',
    says: 'Its name has at most 80 characters.',
    tests: [NAME, validation('names', '80 characters pass, counted as people count')],
  },
  {
    id: 'destination.name-duplicate',
    says: 'No other destination of the organization has its name: 400.',
    tests: [
      validation('names', 'a name that exists, trimmed and in other case, → 400; in another organization it is free'),
      validation('names', 'of 20 who take one name at once, exactly one gets it'),
    ],
  },
  {
    id: 'destination.kind',
    says: 'Has a `kind`: `s3_compatible`, `sftp`, `platform_server` or `local`.',
    tests: [SHOWN, KIND],
  },
  { id: 'destination.http-upload', says: '`http_upload` is no kind that is supported: 400.', tests: [KIND] },
  {
    id: 'destination.kind-stays',
    route: `PATCH ${ONE}`,
    says: 'does not change the kind: 400.',
    tests: [patch('the kind cannot change → 400; the same kind is no change')],
  },
  { id: 'destination.s3', says: 'S3 needs `bucket`, `accessKeyId` and `secretAccessKey`.', tests: [MISSING] },
  { id: 'destination.region', says: 'S3 may have a `region`.', tests: [SHOWN] },
  {
    id: 'destination.sftp',
    says: 'SFTP needs `sshHost`, `sshUser`, and `sftpPassword` or `sftpPrivateKey`.',
    tests: [
      MISSING,
      validation(
        'a field that the kind requires is missing → 400 that names it',
        'sftp takes a private key in place of the password',
      ),
    ],
  },
  {
    id: 'destination.server',
    says: 'A server of the platform needs `serverId`, of one in the organization.',
    tests: [MISSING, validation('a server that is foreign, deleted or unknown → 400, when made and when changed')],
  },
  { id: 'destination.local', says: 'A local one needs `endpoint`.', tests: [MISSING] },
  {
    id: 'destination.path-prefix',
    says: 'May have a `pathPrefix` inside of the target.',
    tests: [SHOWN, preflight('writes, reads back, deletes, in this order, and says how long each took')],
  },
  {
    id: 'destination.default',
    says: 'May be the default; setting it moves it.',
    tests: [SHOWN, patch('one default per organization', 'setting it moves it, taking it away leaves none')],
  },
  { id: 'destination.verified', says: 'A preflight that succeeds sets `lastVerifiedAt`.', tests: [VERIFIED] },
  { id: 'destination.verify-error', says: 'A preflight that fails sets `lastVerifyError`.', tests: [VERIFIED] },
  {
    id: 'destination.flags',
    says: 'Shows of each secret a flag and never the secret, in no answer and no audit entry.',
    tests: [SHOWN, SECRETS, patch('no secret is in an audit entry')],
  },
]

const ROUTES: Shown[] = [
  {
    id: 'destination.list',
    route: `GET ${ALL}`,
    says: 'lists the destinations of the organization, without secrets.',
    tests: [SHOWN, patch('the list has every destination of the organization once, newest first, by pages')],
  },
  { id: 'destination.create', route: `POST ${ALL}`, says: 'adds one and answers with it: 201.', tests: [SHOWN] },
  {
    id: 'destination.create-invalid',
    route: `POST ${ALL}`,
    says: 'with a field missing that the kind requires, or one that is wrong: 400 that names it.',
    tests: [MISSING, validation('forms', '%s %j → 400')],
  },
  { id: 'destination.show', route: `GET ${ONE}`, says: 'shows one.', tests: [SHOWN] },
  {
    id: 'destination.patch',
    route: `PATCH ${ONE}`,
    says: 'changes what is named and leaves the rest.',
    tests: [
      fields('a patch changes what it names and leaves the rest'),
      patch('everything else may change, and null takes away what is not required'),
    ],
  },
  {
    id: 'destination.patch-omitted',
    route: `PATCH ${ONE}`,
    says: 'keeps a secret that is left out.',
    tests: [SECRETS, patch('secrets', 'for any sequence of patches, what is stored is what a simple model says')],
  },
  {
    id: 'destination.patch-null',
    route: `PATCH ${ONE}`,
    says: 'takes a secret away with `null`, unless the kind needs it.',
    tests: [
      SECRETS,
      patch(
        'secrets',
        'a required one cannot be taken away without another in its place → 400, and all stays as it was',
      ),
    ],
  },
  { id: 'destination.patch-text', route: `PATCH ${ONE}`, says: 'replaces a secret by a text.', tests: [SECRETS] },
  {
    id: 'destination.delete',
    route: `DELETE ${ONE}`,
    says: 'deletes one; then it is not there any more.',
    tests: [fields('a deleted one is answered with success and is gone')],
  },
  {
    id: 'destination.not-found',
    says: 'One of another organization, a deleted and an unknown one: 404 on every route, preflight as well.',
    tests: [
      UNKNOWN,
      matrix('%s', 'what another organization has, or is gone, looks unknown in %s, and one’s own does not'),
    ],
  },
]

const PREFLIGHT: Shown[] = [
  {
    id: 'preflight.probe',
    route: `POST ${ONE}/preflight`,
    says: 'writes a probe, reads it back and deletes it; it needs no body.',
    tests: [
      preflight('writes, reads back, deletes, in this order, and says how long each took'),
      routes('%s', 'opens to a token that has its permission and nothing else'),
    ],
  },
  {
    id: 'preflight.kinds',
    route: `POST ${ONE}/preflight`,
    says: 'can do so with each kind: what is written there comes back and can be deleted.',
    tests: [
      storage('%s', 'a stream of unknown length comes back byte for byte, with its sum and its size'),
      storage('%s', 'what is not there is null, cannot be read, and may be deleted'),
    ],
  },
  {
    id: 'preflight.ok',
    route: `POST ${ONE}/preflight`,
    says: 'answers `{ok: true}`, without a reason.',
    tests: [VERIFIED],
  },
  {
    id: 'preflight.failed',
    route: `POST ${ONE}/preflight`,
    says: 'of a target that cannot be reached or used: 200 with `{ok: false, reason}`.',
    tests: [VERIFIED, preflight('what fails is told by its step, with what to do, and always with 200', '%s')],
  },
  {
    id: 'preflight.cleans-up',
    route: `POST ${ONE}/preflight`,
    says: 'leaves nothing behind, also when it fails.',
    tests: [preflight('the probe is taken away after a failure')],
  },
]

const ON_THIS_MACHINE: Shown[] = [
  {
    id: 'local.disabled',
    says: 'A local destination where they are not allowed, or no root is set: 400 that says which.',
    tests: [local('a local destination → 400', '%s')],
  },
  {
    id: 'local.cloud',
    says: 'A local destination in cloud mode: 400, always; one of before is not tried any more.',
    tests: [
      local('a local destination → 400', '%s'),
      local(
        'one that was made before is tried no more when the operator says so',
        'in cloud mode every change → 400; it is shown, and can be deleted',
      ),
    ],
  },
  {
    id: 'local.absolute',
    says: 'Its endpoint is an absolute path; a relative one: 400.',
    tests: [LOCAL],
  },
  {
    id: 'local.inside',
    says: 'Its endpoint lies inside of the root; one outside, or behind a link that leads out: 400.',
    tests: [LOCAL, local('a path inside the root is taken, there or not')],
  },
  {
    id: 'local.resolves',
    says: 'What counts is where its endpoint resolves to: with `..` inside of the root it is taken.',
    tests: [local('a local path that resolves inside of the root is taken, one that leaves it is refused')],
  },
]

export const DESTINATIONS: Shown[] = [...RESOURCE, ...ROUTES, ...PREFLIGHT, ...ON_THIS_MACHINE]

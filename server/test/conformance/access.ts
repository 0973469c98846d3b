import { config, documents, errors, fields, local, matrix, patch, routes, sessions, states, tokens } from './files.ts'
import type { Shown } from './statement.ts'

/** What holds for the whole service: where it is, in which modes it runs, who may call it, and how it refuses. */
export const SERVICE: Shown[] = [
  {
    id: 'service.paths',
    says: 'All paths begin with `/api`; there are 22 routes of deployments and 6 of backup destinations.',
    tests: [
      routes('the routes of deployments and backup destinations are those of the interface, each with its permission'),
      documents('every endpoint that the contract gives it is served, and nothing else'),
    ],
  },
  {
    id: 'service.modes',
    says: 'An instance is self-hosted or hosted (cloud mode); the same paths are served in both.',
    tests: [
      routes('a hosted instance serves the same routes, but for those about machines that somebody runs by hand'),
    ],
  },
  {
    id: 'service.local-destination-settings',
    says: '`BACKUP_ALLOW_LOCAL_DESTINATION` must be true and `BACKUP_LOCAL_ROOT` set before backups stay on this machine.',
    tests: [
      config('backups stay on this machine only when it is said twice: that they may, and where'),
      local('a local destination → 400', '%s'),
    ],
  },
  {
    id: 'service.sealed',
    says: 'Credentials of destinations are encrypted at rest.',
    tests: [
      patch('secrets', 'each is sealed for its own row and column'),
      fields('what is stored is shown as it was given, and of each secret only whether there is one', '%s'),
    ],
  },
]

export const ACCESS: Shown[] = [
  {
    id: 'access.bearer',
    says: 'Programs send `Authorization: Bearer` with a personal access token.',
    tests: [tokens('a new token is shown once and works')],
  },
  {
    id: 'access.bearer-refused',
    says: 'No credential, an unknown, a revoked or an expired one gets 401 and learns how to authenticate.',
    tests: [
      matrix('%s', 'no credentials → 401'),
      tokens('a revoked token is refused by the next request'),
      tokens('an expired token is refused and says so'),
      errors('a 401 says how to authenticate'),
    ],
  },
  {
    id: 'access.cookie',
    says: 'A browser uses a session cookie instead, for reading and for writing from our own pages.',
    tests: [
      sessions('a session cookie is HttpOnly, SameSite and works for reading'),
      sessions('a session cookie writes from our own pages'),
    ],
  },
  {
    id: 'access.cookie-cross-site',
    says: 'A cookie is no credential for writes that another site causes.',
    tests: [sessions('a session cookie cannot be used for a write by %s')],
  },
  {
    id: 'access.permission-per-route',
    says: 'Every route has one permission, `<resource>:<action>`; it alone opens the route.',
    tests: [
      routes('the routes of deployments and backup destinations are those of the interface, each with its permission'),
      routes('%s', 'opens to a token that has its permission and nothing else'),
    ],
  },
  {
    id: 'access.permission-lacking',
    says: 'A known caller without the permission of the route gets 403, which names it.',
    tests: [matrix('%s', 'lacking the permission → 403 that names it')],
  },
  {
    id: 'access.admin-in-handler',
    says: 'Rollback and cancel open to deployment:write, and their handlers then ask for deployment:admin on the deployment.',
    tests: [states('%s by a token that may only write passes the route and is then denied')],
  },
  {
    id: 'access.organization',
    says: 'Deployments, destinations and servers are looked up in the organization of the caller; foreign ids give 404.',
    tests: [matrix('%s', 'what another organization has, or is gone, looks unknown in %s, and one’s own does not')],
  },
  {
    id: 'access.impossible-id',
    says: 'An id that cannot exist (too long, with bytes no id has) gives 404 as well.',
    tests: [errors('an id that cannot exist is one that does not')],
  },
  {
    id: 'access.token-scopes',
    says: 'A token may do what its scopes and the role of its owner both allow.',
    tests: [tokens('a scope narrower than the role decides'), tokens('a scope wider than the role does not widen it')],
  },
]

export const REFUSALS: Shown[] = [
  {
    id: 'refusal.form',
    says: 'A refusal carries `success: false` and what is wrong in `error`.',
    tests: [
      routes('%s', 'refuses with success: false and what is wrong in error'),
      errors('%s is answered in the one form of an error'),
    ],
  },
  {
    id: 'refusal.code',
    says: 'It has a stable `code` that docs/reference/errors.md lists, and no code is listed that is never given.',
    tests: [
      errors('%s is answered in the one form of an error'),
      documents('every error code is one that the server really gives'),
    ],
  },
  {
    id: 'refusal.unknown-route',
    says: 'A path or method that there is not gives 404 in the same form.',
    tests: [errors('%s is answered in the one form of an error')],
  },
  {
    id: 'refusal.body',
    says: 'A body that is no JSON, too large or of another type is refused in the same form.',
    tests: [
      errors(
        'JSON that cannot be parsed, a body that is too large and a wrong content type are refused in the same form',
      ),
    ],
  },
]

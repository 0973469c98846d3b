import { matrix, registries } from './files.ts'
import type { Shown } from './statement.ts'

const ALL = '/api/registries'
const ONE = '/api/registries/:id'
const HIDDEN = registries('a password goes in and never comes out')
const WRONG = registries('a wrong one is refused when it is saved, and nothing is kept')
const ASKED = registries('what cannot be asked is not saved', '%s → %s: %i %s')
const UNKNOWN = registries('an id that is foreign, deleted or unknown → 404 on every route, and always the same')
const CHECKED = registries('a check says how it went, and the row remembers')

const NEEDS: [route: string, permission: string][] = [
  [`GET ${ALL}`, 'registry:list'],
  [`POST ${ALL}`, 'registry:write'],
  [`GET ${ONE}`, 'registry:read'],
  [`PATCH ${ONE}`, 'registry:write'],
  [`DELETE ${ONE}`, 'registry:admin'],
  [`POST ${ONE}/check`, 'registry:write'],
]

/** Credentials for private registries, which the interface leaves open. */
export const REGISTRIES: Shown[] = [
  ...NEEDS.map(([route, permission]) => ({
    id: `registry.permission.${route
      .replace(/^(\w+) \/api\//, (_, verb) => `${verb.toLowerCase()}.`)
      .replaceAll('/', '.')
      .replaceAll(':', '')}`,
    route,
    says: `needs ${permission}.`,
    tests: [matrix('%s', 'lacking the permission → 403 that names it')],
  })),
  {
    id: 'registry.hidden',
    says: 'A password goes in and never comes out: in no answer and no audit entry.',
    tests: [HIDDEN],
  },
  {
    id: 'registry.list',
    route: `GET ${ALL}`,
    says: 'lists those of the organization and no others.',
    tests: [UNKNOWN],
  },
  {
    id: 'registry.show',
    route: `GET ${ONE}`,
    says: 'shows one, with how its last check ended.',
    tests: [HIDDEN, CHECKED],
  },
  {
    id: 'registry.checked',
    route: `POST ${ALL}`,
    says: 'asks the registry first; a credential that it does not take: 400, and nothing is kept.',
    tests: [WRONG],
  },
  {
    id: 'registry.unreachable',
    route: `POST ${ALL}`,
    says: 'of a registry that cannot be asked: 502; of one where this instance does not connect to: 400.',
    tests: [
      ASKED,
      registries(
        'what cannot be asked is not saved',
        'its token server is elsewhere, inside → 400, and the password stays here',
      ),
    ],
  },
  {
    id: 'registry.reach',
    says: 'One credential for each host, path and project of an organization: another one is a 409.',
    tests: [
      registries('a host has one spelling, and one credential per reach'),
      registries('of 10 who save the same at once, exactly one does'),
    ],
  },
  {
    id: 'registry.project',
    says: 'Its project is one of the organization: any other is a 400.',
    tests: [registries('a project that is foreign or unknown → 400, when made and when changed, and nobody is asked')],
  },
  {
    id: 'registry.change',
    route: `PATCH ${ONE}`,
    says: 'asks the registry before another name or password is taken, and never changes the host.',
    tests: [
      registries('a change', 'of name or password is checked first; a wrong one changes nothing'),
      registries('a change', 'of what it is for asks nobody; the host stays whatever is sent'),
    ],
  },
  {
    id: 'registry.check',
    route: `POST ${ONE}/check`,
    says: 'answers `{ok}`, and where it is not taken the reason.',
    tests: [CHECKED],
  },
  { id: 'registry.remove', route: `DELETE ${ONE}`, says: 'forgets it: from then on 404.', tests: [UNKNOWN] },
]

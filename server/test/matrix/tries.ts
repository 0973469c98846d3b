import type { Endpoint } from '@slipway/contract/endpoint'
import type { ErrorBody } from '@slipway/contract/errors'
import { githost } from '@slipway/contract/githost'
import { CONTENT_LENGTH, type Kind } from './factories.ts'
import { idPlaces, type Part, unknownId } from './places.ts'

/** One place of a route that names a thing: asked with what is unknown, another organization's, gone, and one's own. */
export type Try = {
  place: string
  part: Part
  kind: Kind
  /** That of the same kind which nobody has. */
  unknown: string
  /** What else the body needs, so that nothing but this place can be what is refused. */
  body: object
  /** Other places of the body that hold an id of one's own. */
  also: string[]
  /** What counts of the answer, where all of it says something new each time. */
  shown?: (body: Shown) => unknown
}
type Shown = { missing?: string[]; data?: unknown[] } & Partial<ErrorBody>
type Special = Partial<Pick<Try, 'kind' | 'body' | 'also' | 'shown'>>

export const title = ({ method, path }: Pick<Endpoint, 'method' | 'path'>) => `${method} ${path}`

/** What a place needs beside the id itself, to be a request that is taken when the id is one's own. */
const SPECIAL: Record<string, Special> = {
  'GET /api/deployments query.projectId': { kind: 'deployed project' },
  'GET /api/domains query.projectId': { kind: 'named project' },
  'GET /api/githost/deliveries query.projectId': { kind: 'pushed project' },
  'POST /api/auth/cli/:userCode/approve body.projectId': { body: { organizationId: undefined } },
  'POST /api/deployments/build/access body.projectId': { body: { image: 'nginx:1', uploadSessionId: undefined } },
  'POST /api/deployments/build/access body.uploadSessionId': { also: ['projectId'] },
  'POST /api/deployments/build/access body.serverId': {
    body: { image: 'nginx:1', uploadSessionId: undefined },
    also: ['projectId'],
  },
}

const UNKNOWN_NAME: Partial<Record<Kind, string>> = {
  host: 'unknown-name.example.com',
  content: '0'.repeat(64),
  audited: unknownId('prj'),
  actor: unknownId('usr'),
}

/** Things that are found by a name. A parameter of a path that is neither an id nor here fails the matrix. */
const NAMED: Record<string, [place: string, kind: Kind, special?: Special][]> = {
  'DELETE /api/projects/:id/services/:name': [['params.name', 'service']],
  'DELETE /api/projects/:id/variables/:name': [['params.name', 'variable']],
  'DELETE /api/projects/:id/domains/:host': [['params.host', 'host']],
  'POST /api/projects/:id/domains': [['body.redirectTo', 'host', { body: { host: 'matrix-sender.example.com' } }]],
  'POST /api/deployments/ssl/renew': [['body.domain', 'host']],
  'POST /api/deployments/ssl/status': [['body.domain', 'host']],
  'PUT /api/projects/folder-sessions/:id/blobs/:sha': [['params.sha', 'content']],
  'POST /api/projects/folder-sessions': [
    [
      'body.files.0.sha256',
      'content',
      {
        body: { files: [{ path: 'a', sha256: '', size: CONTENT_LENGTH, mode: 0o644 }] },
        shown: ({ missing }) => missing?.length,
      },
    ],
  ],
  'GET /api/audit': [
    ['query.target', 'audited'],
    ['query.actor', 'actor'],
  ],
  'GET /api/projects': [['query.name', 'project name']],
  'GET /api/deployments': [['query.branch', 'branch']],
  'GET /api/githost/repos': [['query.owner', 'host account']],
  'GET /api/githost/orgs/:org/repos': [['params.org', 'host account']],
  'GET /api/auth/cli/:userCode': [['params.userCode', 'user code']],
  'POST /api/auth/cli/:userCode/approve': [['params.userCode', 'user code', { body: { organizationId: undefined } }]],
  'POST /api/auth/cli/:userCode/deny': [['params.userCode', 'user code']],
  ...ofRepositories(),
}

/** Every route of one repository at the git host. */
function ofRepositories(): typeof NAMED {
  const routes = Object.values(githost).filter(({ path }) => path.includes('/repos/:owner/:repo'))
  return Object.fromEntries(
    routes.map((route) => [
      title(route),
      [
        ['params.repo', 'host repository'],
        ['params.owner', 'host account'],
      ],
    ]),
  )
}

/** Parameters of paths that say how something is to be called, and find nothing. */
export const MAKES: Record<string, string> = {
  'PUT /api/projects/:id/services/:name params.name': 'describes a service that may not exist yet',
}

/** Ids that are brought along by an instance that is linked to this cloud, and refused from everybody else without a look. */
const BROUGHT = new Set(['POST /api/projects body.id', 'POST /api/deployments/build/access body.deploymentId'])

export function triesOf(endpoint: Endpoint): Try[] {
  const key = title(endpoint)
  const places = idPlaces(endpoint).filter(({ part, name }) => !BROUGHT.has(`${key} ${part}.${name}`))
  const byId = places.map(({ part, name, prefix }) => {
    const place = `${part}.${name}`
    return tryOf(place, prefix, unknownId(prefix), SPECIAL[`${key} ${place}`])
  })
  const byName = (NAMED[key] ?? []).map(([place, kind, special]) =>
    tryOf(place, kind, UNKNOWN_NAME[kind] ?? 'unknown_name', special),
  )
  return [...byId, ...byName]
}

const tryOf = (place: string, kind: Kind, unknown: string, special: Special = {}): Try => ({
  place,
  part: place.slice(0, place.indexOf('.')) as Part,
  kind,
  unknown,
  body: {},
  also: [],
  ...special,
})

/** Parameters of a path that nobody has said anything about. */
export function unsaid(endpoint: Endpoint): string[] {
  const known = new Set(triesOf(endpoint).map(({ place }) => place))
  return [...endpoint.path.matchAll(/:(\w+)/g)]
    .map(([, name]) => `params.${name}`)
    .filter((place) => !known.has(place) && !(`${title(endpoint)} ${place}` in MAKES))
}

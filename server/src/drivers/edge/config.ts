import { MOST_SEGMENTS } from './route-file.ts'

/**
 * Caddy's whole configuration. It names no project, host or certificate and so is never loaded again for one: what
 * changes are files below `root`, and Caddy looks at them on every request and handshake.
 *
 *   routes/<host>/<order>+<project>+<service>@<port>[,<also>]   empty; the first by name wins, `<order>+none` takes it away
 *   routes/<host>/<n>/<segment>/…/<order>+…                     the same for a path prefix of n segments
 *   pem/<host>/<id>.pem, then certs/<host>/<id>                 chain and key, then the empty pointer; the newest wins
 *   challenge/<token>                                           ACME HTTP-01
 */
export function edgeConfig({ root = EDGE_ROOT, http = ':80', https = ':443', admin = 'localhost:2019' } = {}): object {
  const site = siteRoutes(root)
  return {
    // Loopback of this container's own network: nobody else reaches it.
    admin: { listen: admin },
    apps: {
      // No issuer and no on_demand: a name without a file is refused, and nothing is ever asked of the control plane.
      tls: { automation: { policies: [{ get_certificate: [{ via: 'http', url: `http://${CERTIFICATES}/cert` }] }] } },
      http: {
        // Short: host ports force stop-first, and nobody else listens while this task drains.
        grace_period: '3s',
        servers: {
          certs: { ...plain, listen: [CERTIFICATES], routes: [certificateRoute(root)] },
          web: { ...plain, listen: [http], routes: site },
          tls: { ...plain, listen: [https], tls_connection_policies: [{}], routes: site },
        },
      },
    },
  }
}

export const EDGE_ROOT = '/edge'
const CERTIFICATES = '127.0.0.1:9080'

// HTTP/3 needs a published UDP port; without it, announcing it only costs clients a failed attempt.
const plain = { automatic_https: { disable: true }, protocols: ['h1', 'h2'] }

function siteRoutes(root: string): object[] {
  const challenge = '/.well-known/acme-challenge'
  const depths = Array.from({ length: MOST_SEGMENTS + 1 }, (_, index) => MOST_SEGMENTS - index)
  const noSite = { handler: 'static_response', status_code: 404, body: 'no such site\n' }
  return [
    {
      match: [{ path: [`${challenge}/*`] }],
      terminal: true,
      handle: [
        { handler: 'rewrite', strip_path_prefix: challenge },
        { handler: 'file_server', root: `${root}/challenge` },
      ],
    },
    plainHost,
    { handle: [readEntry] },
    ...depths.map((depth) => prefixRoute(root, depth)),
    { handle: [noSite] },
  ]
}

/** Host names do not differ by case or a final dot, file names do. Caddy has no lower-case function: letter by letter. */
const plainHost = {
  match: [{ header_regexp: { Host: { pattern: '[A-Z]|\\.(:[0-9]+)?$' } } }],
  handle: [
    {
      handler: 'headers',
      request: {
        replace: {
          Host: [
            ...Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ', (letter) => ({
              search: letter,
              replace: letter.toLowerCase(),
            })),
            { search_regexp: '\\.(:[0-9]+)?$', replace: '$1' },
          ],
        },
      },
    },
  ],
}

/** Takes the entry that a later matcher finds to pieces: it is evaluated when the pieces are asked for. */
const readEntry = {
  handler: 'map',
  source: '{http.matchers.file.relative}',
  destinations: ['{up.project}', '{up.service}', '{up.port}', '{up.also}'],
  mappings: [
    {
      input_regexp: '\\+([a-z0-9_-]+)\\+([a-z0-9._-]+)@([0-9]+)(?:,([0-9]+))?$',
      outputs: ['$1', '$2', '$3', '$4'],
    },
  ],
  defaults: ['', '', '', ''],
}

/** Longest prefix first. A prefix whose entry says `none` falls through to the shorter ones. */
function prefixRoute(root: string, depth: number): object {
  const segments = Array.from({ length: depth }, (_, index) => `/{http.request.uri.path.${index}}`).join('')
  const folder = depth === 0 ? '/{http.request.host}' : `/{http.request.host}/${depth}${segments}`
  const file = { root: `${root}/routes`, try_files: [`${folder}/*+*`], try_policy: 'first_exist' }
  // `..` would be followed to the entries of other prefixes and hosts; such a path belongs to the host as a whole.
  const dots = { vars_regexp: { '{http.request.uri.path}': { pattern: '(^|/)\\.\\.(/|$)' } } }
  const taken = { not: [{ vars: { '{up.project}': [''] } }] }
  const alone = { vars: { '{up.also}': [''] } }
  return {
    match: [depth === 0 ? { file } : { file, not: [dots] }],
    handle: [
      {
        handler: 'subroute',
        routes: [
          { match: [{ ...taken, ...alone }], handle: [proxy(tasksAt('{up.port}'))] },
          { match: [taken], handle: [changingPort] },
        ],
      },
    ],
  }
}

/** Every container of a service, at one port. A stopping one leaves Swarm's DNS 2 s before SIGTERM, so a 1 s refresh never
 * sends to it. A record is a healthy task. */
const tasksAt = (port: string) => ({
  source: 'a',
  name: '{up.service}.{up.project}.internal',
  port,
  refresh: '1s',
  resolver: { addresses: ['udp/127.0.0.11:53'] },
  versions: { ipv4: true, ipv6: false },
})

const proxy = (upstreams: object) => ({
  handler: 'reverse_proxy',
  // At once, for server-sent events.
  flush_interval: -1,
  stream_close_delay: '10m',
  dynamic_upstreams: upstreams,
  // Waits while no task is in DNS.
  load_balancing: { selection_policy: { policy: 'round_robin' }, try_duration: '5s', try_interval: '250ms' },
  // An idle connection must be given up here before the application does it (Node after 5 s): a POST that meets its end on
  // the way cannot be sent again. Applications that wait for their connections to end when they stop need not wait long.
  transport: { protocol: 'http', dial_timeout: '2s', keep_alive: { idle_timeout: '1s' } },
})

/**
 * While a release takes another's place that listens elsewhere: each container answers on one of the two ports. One that
 * cannot be connected to is not asked again for a while, and nothing was sent to it.
 */
const changingPort = {
  ...proxy({ source: 'multi', sources: [tasksAt('{up.port}'), tasksAt('{up.also}')] }),
  health_checks: { passive: { fail_duration: '5s', max_fails: 1 } },
  load_balancing: { selection_policy: { policy: 'round_robin' }, try_duration: '5s', try_interval: '20ms' },
}

function certificateRoute(root: string): object {
  const newest = {
    root: `${root}/certs`,
    try_files: ['/{http.request.uri.query.server_name}/*'],
    try_policy: 'most_recently_modified',
  }
  const serve = [
    { handler: 'rewrite', uri: '{http.matchers.file.relative}.pem' },
    { handler: 'file_server', root: `${root}/pem` },
  ]
  return {
    match: [{ path: ['/cert'] }],
    handle: [{ handler: 'subroute', routes: [{ match: [{ file: newest }], handle: serve }] }],
  }
}

import { PLATFORM } from './edge.ts'
import { ASKED, SOCKETS } from './gateway/gateway-config.ts'
import { MOST_SEGMENTS } from './route-file.ts'

/**
 * Caddy's whole configuration. It names no project, host or certificate and so is never loaded again for one: what
 * changes are files below `root`, and Caddy looks at them on every request and handshake.
 *
 *   routes/<host>/<order>+<project>+<service>@<port>[,<also>][!]   empty; the first by name wins, `<order>+none` takes it away
 *   routes/<host>/<order>+<project>+=<other>[!]                  sends visitors to another host, with ! by https
 *   routes/<host>/<n>/<segment>/…/<order>+…                     the same for a path prefix of n segments
 *   pem/<host>/<order>+<id>.pem, then certs/<host>/<order>+<id>    chain and key, then the empty pointer; first by name wins
 *   …/_.<parent>/…                                                 the same for `*.<parent>`
 *   challenge/<token>                                           ACME HTTP-01
 */
export function edgeConfig(options: EdgeConfigOptions = {}): object {
  const { root = EDGE_ROOT, httpPort = 80, httpsPort = 443, platformSocket = null } = options
  const own = platformSocket === null ? [] : [toPlatform(platformSocket)]
  const other = elsewhere(httpPort, httpsPort)
  const away = { match: [{ not: [isFree, isPlain] }], handle: [toHttps(httpsPort)] }
  return {
    // Loopback of this container's own network: nobody else reaches it.
    admin: { listen: 'localhost:2019' },
    apps: {
      // No issuer and no on_demand: a name without a file is refused, and nothing is ever asked of the control plane.
      tls: { automation: { policies: [{ get_certificate: [{ via: 'http', url: `http://${CERTIFICATES}/cert` }] }] } },
      http: {
        // Short: host ports force stop-first, and nobody listens while this task waits for what it has begun. A stream never
        // ends by itself, and there is always one.
        grace_period: '250ms',
        servers: {
          certs: { ...plain, listen: [CERTIFICATES], routes: [certificateRoute(root)] },
          web: { ...plain, listen: [':80'], routes: siteRoutes(root, [...other, away, ...own]) },
          tls: {
            ...plain,
            listen: [':443'],
            tls_connection_policies: [{}],
            routes: siteRoutes(root, [...other, remember, ...own]),
          },
        },
      },
    },
  }
}

export const EDGE_ROOT = '/edge'
/** Where the platform's own socket lies in the container. */
export const PLATFORM_FOLDER = '/platform'

/** Ports are those that visitors see; `platformSocket` is the name of a file in PLATFORM_FOLDER. */
type EdgeConfigOptions = { root?: string; httpPort?: number; httpsPort?: number; platformSocket?: string | null }

const CERTIFICATES = '127.0.0.1:9080'

// HTTP/3 needs a published UDP port; without it, announcing it only costs clients a failed attempt.
// Without full duplex, an answer that comes before the end of the body has been read makes Go throw the rest of the body
// away, and with it the connection to the gateway: 3 of 30,677 POSTs lost their answer, with it 0 of 59,342.
const plain = { automatic_https: { disable: true }, protocols: ['h1', 'h2'], enable_full_duplex: true }

/** `before`: what comes before the proxy, once it is known what the request is for. */
function siteRoutes(root: string, before: object[]): object[] {
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
    { handle: [parentOf('{http.request.host}', '{host.parent}'), readEntry] },
    ...depths.map((depth) => prefixRoute({ root, host: '{http.request.host}', depth, before })),
    ...depths.map((depth) => prefixRoute({ root, host: '_.{host.parent}', depth, before })),
    { handle: [noSite] },
  ]
}

/** Caddy has no function for it. */
const lowerCase = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ', (letter) => ({
  search: letter,
  replace: letter.toLowerCase(),
}))

/** Host names do not differ by case or a final dot, file names do. So both are put right. */
const plainHost = {
  match: [{ header_regexp: { Host: { pattern: '[A-Z]|\\.(:[0-9]+)?$' } } }],
  handle: [
    {
      handler: 'headers',
      request: {
        replace: {
          Host: [...lowerCase, { search_regexp: '\\.(:[0-9]+)?$', replace: '$1' }],
        },
      },
    },
  ],
}

/** Takes the entry that a later matcher finds to pieces: it is evaluated when the pieces are asked for. */
const readEntry = {
  handler: 'map',
  source: '{http.matchers.file.relative}',
  destinations: ['{up.project}', '{up.service}', '{up.port}', '{up.also}', '{up.secure}', '{up.other}'],
  mappings: [
    {
      input_regexp: '\\+([a-z0-9_-]+)\\+([a-z0-9._-]+)@([0-9]+)(?:,([0-9]+))?(!{0,2})$',
      outputs: ['$1', '$2', '$3', '$4', '$5', ''],
    },
    { input_regexp: '\\+([a-z0-9_-]+)\\+=([a-z0-9.-]+)(!?)$', outputs: ['$1', '', '', '', '$3', '$2'] },
  ],
  defaults: ['', '', '', '', '', ''],
}

/** What comes after the first label; a label is never empty and has no dot, so one name has one parent. */
const parentOf = (source: string, destination: string) => ({
  handler: 'map',
  source,
  destinations: [destination],
  mappings: [{ input_regexp: '^[^.]+[.](.+)$', outputs: ['$1'] }],
  defaults: [''],
})

/** No service is named, or the entry has no mark for https. */
const isFree = { vars: { '{up.project}': [''] } }
const isPlain = { vars: { '{up.secure}': [''] } }

// Keeps the method, and may be remembered.
const moved = (location: string) => ({
  handler: 'static_response',
  status_code: 308,
  headers: { Location: [location] },
})
const suffix = (port: number, usual: number) => (port === usual ? '' : `:${port}`)
const toHttps = (port: number) => moved(`https://{http.request.host}${suffix(port, 443)}{http.request.uri}`)

/** An entry that names another host: before anything else, so that www.… needs one step to the right place and not two. */
function elsewhere(httpPort: number, httpsPort: number): object[] {
  const named = { not: [{ vars: { '{up.other}': [''] } }] }
  return [
    {
      match: [{ ...named, ...isPlain }],
      handle: [moved(`http://{up.other}${suffix(httpPort, 80)}{http.request.uri}`)],
      terminal: true,
    },
    {
      match: [named],
      handle: [moved(`https://{up.other}${suffix(httpsPort, 443)}{http.request.uri}`)],
      terminal: true,
    },
  ]
}

const remember = {
  match: [{ vars: { '{up.secure}': ['!!'] } }],
  handle: [
    {
      handler: 'headers',
      response: { deferred: true, set: { 'Strict-Transport-Security': ['max-age=31536000'] } },
    },
  ],
}

/** Longest prefix first. A prefix whose entry says `none` falls through to the shorter ones. */
function prefixRoute({ root, host, depth, before }: { root: string; host: string; depth: number; before: object[] }) {
  const segments = Array.from({ length: depth }, (_, index) => `/{http.request.uri.path.${index}}`).join('')
  const folder = depth === 0 ? `/${host}` : `/${host}/${depth}${segments}`
  const file = { root: `${root}/routes`, try_files: [`${folder}/*+*`], try_policy: 'first_exist' }
  // `..` would be followed to the entries of other prefixes and hosts; such a path belongs to the host as a whole.
  const dots = { vars_regexp: { '{http.request.uri.path}': { pattern: '(^|/)\\.\\.(/|$)' } } }
  const taken = { not: [isFree] }
  return {
    match: [depth === 0 ? { file } : { file, not: [dots] }],
    handle: [
      {
        handler: 'subroute',
        routes: [...before, { match: [taken], handle: [toGateway] }],
      },
    ],
  }
}

/**
 * The project's own gateway, by a file: an edge that were on the networks of projects could be talked to, and lied to, by
 * each of them. It is there or comes back within seconds; what cannot be connected to has been sent nothing.
 */
const toGateway = {
  handler: 'reverse_proxy',
  // At once, for server-sent events.
  flush_interval: -1,
  stream_close_delay: '10m',
  upstreams: [{ dial: `unix/${SOCKETS}/{up.project}.sock` }],
  headers: {
    request: {
      set: { [ASKED.service]: ['{up.service}'], [ASKED.port]: ['{up.port}'], [ASKED.also]: ['{up.also}'] },
    },
  },
  load_balancing: { try_duration: '10s', try_interval: '100ms' },
  transport: { protocol: 'http', dial_timeout: '2s', keep_alive: { idle_timeout: '30s' } },
}

/**
 * The platform's own name. Whoever has its socket is believed about where visitors come from, and Caddy says that itself. A version
 * that takes another's place never closes the socket.
 */
const toPlatform = (socket: string) => ({
  match: [{ vars: { '{up.project}': [PLATFORM] } }],
  handle: [
    {
      handler: 'reverse_proxy',
      flush_interval: -1,
      stream_close_delay: '10m',
      upstreams: [{ dial: `unix/${PLATFORM_FOLDER}/${socket}` }],
      load_balancing: { try_duration: '10s', try_interval: '100ms' },
      transport: { protocol: 'http', dial_timeout: '2s', keep_alive: { idle_timeout: '30s' } },
    },
  ],
  terminal: true,
})

/** The name as it is, else as one of its parent's. */
function certificateRoute(root: string): object {
  const name = '{http.request.uri.query.server_name}'
  const parent = parentOf(name, '{sni.parent}')
  const lower = {
    match: [{ vars_regexp: { [name]: { pattern: '[A-Z]' } } }],
    handle: [{ handler: 'rewrite', query: { replace: lowerCase.map((one) => ({ key: 'server_name', ...one })) } }],
  }
  const newest = {
    root: `${root}/certs`,
    try_files: [`/${name}/*+*`, '/_.{sni.parent}/*+*'],
    try_policy: 'first_exist',
  }
  const serve = [
    { handler: 'rewrite', uri: '{http.matchers.file.relative}.pem' },
    { handler: 'file_server', root: `${root}/pem` },
  ]
  return {
    match: [{ path: ['/cert'] }],
    handle: [
      { handler: 'subroute', routes: [lower, { handle: [parent] }, { match: [{ file: newest }], handle: serve }] },
    ],
  }
}

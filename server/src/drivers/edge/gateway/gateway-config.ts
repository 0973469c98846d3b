import { SOCKETS_FOLDER } from '../alias.ts'

export const SOCKETS = SOCKETS_FOLDER

/** What the edge tells a gateway about a request. Visitors cannot: the edge always sets them. */
export const ASKED = { service: 'Slipway-Service', port: 'Slipway-Port', also: 'Slipway-Also' } as const

const asked = (field: keyof typeof ASKED) => `{http.request.header.${ASKED[field]}}`
/** Set on the gateway's container: it can ask for services of its own project and of no other. */
export const PROJECT_VARIABLE = 'SLIPWAY_PROJECT'
const PROJECT = `{env.${PROJECT_VARIABLE}}`

/**
 * Caddy's configuration of a project's gateway, the same for all: takes requests from the edge at a unix socket and passes
 * them on to the project's services. Nothing of the project can reach it, and it shares no network with the edge.
 */
export function gatewayConfig(): object {
  const alone = { vars: { [asked('also')]: [''] } }
  return {
    // Loopback of this container's own network: nobody else reaches it.
    admin: { listen: 'localhost:2019' },
    apps: {
      http: {
        grace_period: '250ms',
        servers: {
          gateway: {
            automatic_https: { disable: true },
            protocols: ['h1'],
            enable_full_duplex: true,
            listen: [`unix/${SOCKETS}/${PROJECT}.sock`],
            routes: [{ match: [alone], handle: [proxy(tasksAt(asked('port')))] }, { handle: [changingPort] }],
          },
        },
      },
    },
  }
}

/** Every container of a service, at one port. A stopping one leaves Swarm's DNS 2 s before SIGTERM, so a 1 s refresh never
 * sends to it. A record is a healthy task. */
const tasksAt = (port: string) => ({
  source: 'a',
  name: `${asked('service')}.${PROJECT}.internal`,
  port,
  refresh: '1s',
  resolver: { addresses: ['udp/127.0.0.11:53'] },
  versions: { ipv4: true, ipv6: false },
})

/** As the edge has written them: a second proxy is nothing that an application should hear of. */
const FORWARDED = ['X-Forwarded-For', 'X-Forwarded-Proto', 'X-Forwarded-Host']

const proxy = (upstreams: object) => ({
  handler: 'reverse_proxy',
  // At once, for server-sent events.
  flush_interval: -1,
  stream_close_delay: '10m',
  dynamic_upstreams: upstreams,
  headers: {
    request: {
      set: Object.fromEntries(FORWARDED.map((name) => [name, [`{http.request.header.${name}}`]])),
      delete: [...Object.values(ASKED)],
    },
  },
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
  ...proxy({ source: 'multi', sources: [tasksAt(asked('port')), tasksAt(asked('also'))] }),
  health_checks: { passive: { fail_duration: '5s', max_fails: 1 } },
  load_balancing: { selection_policy: { policy: 'round_robin' }, try_duration: '5s', try_interval: '20ms' },
}

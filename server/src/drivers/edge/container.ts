import { createHash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { EDGE_ROOT, edgeConfig, PLATFORM_FOLDER } from './config.ts'
import type { EdgeSettings } from './edge.ts'
import { SOCKETS } from './gateway/gateway-config.ts'

// Not the runtime's labels: its garbage collection takes what carries `slipway.instance` and is no project's service.
export const NAME_LABEL = 'slipway.edge.name'
export const SPEC_LABEL = 'slipway.edge.spec'
export const INSTANCE_LABEL = 'slipway.edge.instance'
export const ROLE_LABEL = 'slipway.role'

const SECOND = 1e9
export const CONFIG_FILE = '/etc/slipway-edge.json'

/** A bridge with nothing else on it: who shares one with the edge could take the packets of its visitors. */
export const bridgeOf = (name: string) => `${name}-bridge`
/** Where the gateways of the projects listen. Apart from the edge's own volume, which holds keys. */
export const socketsOf = (name: string) => `${name}-sockets`

/**
 * The edge: a container of the engine itself and not a Swarm service, because a service's ports lead over a bridge that all
 * projects are on. The label with the hash of it all says later whether anything differs.
 */
export function edgeContainer(name: string, settings: EdgeSettings) {
  const { image, httpPort, httpsPort, instance } = settings
  const { publicHttpPort = httpPort, publicHttpsPort = httpsPort, platformSocket = null } = settings
  const config = JSON.stringify(
    edgeConfig({
      httpPort: publicHttpPort,
      httpsPort: publicHttpsPort,
      platformSocket: platformSocket && basename(platformSocket),
    }),
  )
  const body = {
    Image: image,
    Entrypoint: [] as string[],
    Cmd: ['caddy', 'run', '--config', CONFIG_FILE],
    StopTimeout: 5,
    ExposedPorts: { '80/tcp': {}, '443/tcp': {} },
    Healthcheck: healthcheck,
    HostConfig: {
      Init: true,
      NetworkMode: bridgeOf(name),
      PortBindings: { '80/tcp': [{ HostPort: String(httpPort) }], '443/tcp': [{ HostPort: String(httpsPort) }] },
      Mounts: [
        { Type: 'volume' as const, Source: name, Target: EDGE_ROOT },
        { Type: 'volume' as const, Source: socketsOf(name), Target: SOCKETS, ReadOnly: true },
      ],
      ...(platformSocket !== null && { Binds: [platformFolder(platformSocket)] }),
      // All visitors come this way: where projects want more processor than there is, it has four times the share of one.
      CpuShares: 4096,
      // The engine starts it again after an end of its own, of the engine's or of the machine's.
      RestartPolicy: { Name: 'always' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
      ...leastRights,
    },
  }
  const hash = hashOf(JSON.stringify([body, config]))
  const Labels = {
    [ROLE_LABEL]: 'edge',
    [NAME_LABEL]: name,
    [INSTANCE_LABEL]: instance,
    [SPEC_LABEL]: hash,
  }
  return { hash, config, body: { ...body, Labels } }
}

/**
 * The folder and not the socket: one that is made anew is seen there. As a bind and not as a mount: the engine makes the folder where
 * it is missing, and the edge starts after the platform has been removed.
 */
const platformFolder = (socket: string) => `${dirname(socket)}:${PLATFORM_FOLDER}:ro`

/** Caddy's binary carries the right to open low ports, and would not start without it. */
export const leastRights = {
  CapDrop: ['ALL'],
  CapAdd: ['NET_BIND_SERVICE'],
  SecurityOpt: ['no-new-privileges'],
}

export const healthcheck = {
  Test: ['CMD', 'wget', '-q', '-O', '/dev/null', 'http://127.0.0.1:2019/config/admin'],
  Interval: 5 * SECOND,
  Timeout: 3 * SECOND,
  Retries: 3,
  // Older engines do not know it and take the interval.
  StartInterval: SECOND / 2,
  StartPeriod: 15 * SECOND,
}

export const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)

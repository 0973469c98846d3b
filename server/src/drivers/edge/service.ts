import { createHash } from 'node:crypto'
import { EDGE_ROOT, edgeConfig } from './config.ts'
import type { EdgeSettings } from './edge.ts'

// Not the runtime's labels: its garbage collection takes what carries `slipway.instance` and is no project's service.
export const SPEC_LABEL = 'slipway.edge.spec'
export const INSTANCE_LABEL = 'slipway.edge.instance'
export const ROLE_LABEL = 'slipway.role'

const SECOND = 1e9
const CONFIG_FILE = '/etc/slipway-edge.json'

/** The static configuration as a Swarm object; these cannot change, so another text is another name. */
export function configObject(
  name: string,
  { httpPort, httpsPort }: Pick<EdgeSettings, 'httpPort' | 'httpsPort'>,
): { Name: string; Labels: Record<string, string>; Data: string } {
  const text = JSON.stringify(edgeConfig({ httpPort, httpsPort }))
  return {
    Name: `${name}-${hashOf(text)}`,
    Labels: { [ROLE_LABEL]: 'edge' },
    Data: Buffer.from(text).toString('base64'),
  }
}

export type EdgePlace = {
  name: string
  /** Its volume lives there, its files go in there, and the names of all sites point there. */
  nodeId: string
  config: { id: string; name: string }
}

/** The edge as a Swarm service. The label with the hash of it all says later whether anything differs. */
export function edgeService(place: EdgePlace, settings: EdgeSettings) {
  const { name, nodeId, config } = place
  const order = { Parallelism: 1, Order: 'stop-first', Monitor: 3 * SECOND } as const
  const spec = {
    Name: name,
    Mode: { Replicated: { Replicas: 1 } },
    EndpointSpec: { Mode: 'dnsrr' as const, Ports: [port(80, settings.httpPort), port(443, settings.httpsPort)] },
    UpdateConfig: { ...order, FailureAction: 'rollback' as const },
    RollbackConfig: { ...order, FailureAction: 'pause' as const },
  }
  const task = {
    ContainerSpec: containerSpec(place, settings.image),
    Networks: [{ Target: name }],
    RestartPolicy: { Condition: 'any', Delay: SECOND / 2 },
    Placement: { Constraints: [`node.id==${nodeId}`] },
    LogDriver: { Name: 'json-file', Options: { 'max-size': '10m', 'max-file': '3' } },
  }
  const hash = hashOf(JSON.stringify([spec, task, config.name]))
  const labels = { [ROLE_LABEL]: 'edge', [INSTANCE_LABEL]: settings.instance, [SPEC_LABEL]: hash }
  const file = { Name: CONFIG_FILE, UID: '0', GID: '0', Mode: 0o444 }
  const Configs = [{ ConfigID: config.id, ConfigName: config.name, File: file }]
  const ContainerSpec = { ...task.ContainerSpec, Configs, Labels: { [SPEC_LABEL]: hash } }
  return { hash, spec: { ...spec, Labels: labels, TaskTemplate: { ...task, ContainerSpec } } }
}

function containerSpec({ name }: EdgePlace, image: string) {
  return {
    Image: image,
    Command: ['caddy', 'run', '--config', CONFIG_FILE],
    Init: true,
    StopGracePeriod: 10 * SECOND,
    Mounts: [{ Type: 'volume' as const, Source: name, Target: EDGE_ROOT }],
    // What Swarm does not know is asked of nobody: a name of an absent service must not travel to other DNS servers,
    // and waiting for them would hold up the requests for it.
    DNSConfig: { Nameservers: ['127.0.0.1'], Search: ['.'] },
    Healthcheck: {
      Test: ['CMD', 'wget', '-q', '-O', '/dev/null', 'http://127.0.0.1:2019/config/admin'],
      Interval: 5 * SECOND,
      Timeout: 3 * SECOND,
      Retries: 3,
      // Older engines do not know it and take the interval.
      StartInterval: SECOND / 2,
      StartPeriod: 15 * SECOND,
    },
  }
}

/** On the host itself: the routing mesh hides clients' addresses and needs kernel modules. */
function port(TargetPort: number, PublishedPort: number) {
  return { Protocol: 'tcp' as const, TargetPort, PublishedPort, PublishMode: 'host' as const }
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)

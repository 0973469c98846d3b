import type Docker from 'dockerode'
import type { ServiceAnswer } from '../../engine/answers.ts'
import { callEngine } from '../../engine/ask.ts'
import type { EnginePolicy } from '../../engine/policy.ts'
import { runtimeFailure } from '../failure.ts'
import { serviceName } from '../labels.ts'
import type { ServiceSpec } from '../rollout/spec.ts'

type Refuse = (message: string) => void

/** The engine's own API, Swarm's management, gossip and overlay, and the way in for whoever runs the server. */
const SERVERS_OWN = [22, 2375, 2376, 2377, 4789, 7946]
const MOST = 20

export type PortRules = {
  policy: EnginePolicy
  /** Those of the edge and of the platform: who has them while the edge starts anew has all of its visitors. */
  reserved: readonly number[]
}

export function acceptPorts({ ports = [] }: ServiceSpec, { policy, reserved }: PortRules, refuse: Refuse): void {
  for (const port of ports.flatMap(({ target, published }) => [target, published])) {
    if (!Number.isInteger(port) || port < 1 || port > 65_535) refuse(`${port} is not a port.`)
  }
  const [first] = ports
  if (first && !policy.hostPorts) {
    refuse(`port ${first.published} of the server cannot be opened: its settings allow no project to open ports.`)
  }
  // Each is two processes of the engine, outside of every container's limits.
  if (ports.length > MOST) refuse(`it opens ${ports.length} ports of the server; at most ${MOST} can be opened.`)
  const own = ports.find(({ published }) => reserved.includes(published) || SERVERS_OWN.includes(published))
  if (own) refuse(`port ${own.published} belongs to the server, its edge or the platform and cannot be opened.`)
}

/**
 * Refuses a port that another service has. In Swarm a task would wait for it, and get it in the moment in which the other
 * one is replaced.
 */
export async function refuseTaken(
  docker: Docker,
  spec: ServiceSpec,
  instance: string,
  signal: AbortSignal,
): Promise<void> {
  const { ports = [] } = spec
  if (ports.length === 0) return
  const own = serviceName(instance, spec)
  const services = await callEngine<ServiceAnswer[]>(docker, { path: '/services' }, signal)
  const taken = services
    .filter(({ Spec }) => Spec.Name !== own)
    .flatMap(({ Spec, PreviousSpec }) => [Spec, PreviousSpec].flatMap((one) => one?.EndpointSpec?.Ports ?? []))
  for (const { published, protocol } of ports) {
    const other = taken.find(({ PublishedPort, Protocol }) => PublishedPort === published && Protocol === protocol)
    if (!other) continue
    throw runtimeFailure('port_taken', `${spec.service}: port ${published} of the server belongs to another service.`)
  }
}

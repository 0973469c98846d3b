import type { ComposeProject, NormalService } from '../project.ts'
import type { ComposeNetwork, ComposeService } from './service.ts'

type Attached = ComposeService['networks']
const DEFAULT = 'default'

const aloneIn = (service: string) => `${service}-alone`

/** The networks of each service, and the names it answers to there: its own, its container's, those of links. */
export function attachments(project: ComposeProject, warn: (service: string, key: string, message: string) => void) {
  const links = aliasesByLinks(project, warn)
  return new Map(
    Object.entries(project.services).map(([name, service]): [string, Attached] => {
      const also = [...(service.container_name ? [service.container_name] : []), ...(links.get(name) ?? [])]
      return [
        name,
        networksOf(name, service, project).map(({ network, aliases }) => ({
          network,
          aliases: [...new Set([name, ...aliases, ...also])],
        })),
      ]
    }),
  )
}

function networksOf(name: string, service: NormalService, { services }: ComposeProject): Attached {
  const { networks = {}, network_mode: mode } = service
  if (mode === undefined) {
    return Object.entries(networks).map(([network, one]) => ({ network, aliases: one?.aliases ?? [] }))
  }
  if (mode === 'none') return [{ network: aloneIn(name), aliases: [] }]
  const [, other] = /^service:(.+)$/.exec(mode) ?? []
  const neighbour = other !== undefined && Object.hasOwn(services, other) ? services[other] : undefined
  const joined = Object.keys(neighbour?.networks ?? {})
  return (joined.length > 0 ? joined : [DEFAULT]).map((network) => ({ network, aliases: [] }))
}

/** A link's other name is heard by one service in compose, by all services of the network here. */
function aliasesByLinks({ services }: ComposeProject, warn: (service: string, key: string, message: string) => void) {
  const aliases = new Map<string, Set<string>>()
  for (const [name, { links = [] }] of Object.entries(services)) {
    for (const link of links) {
      const [target = '', alias = target] = link.split(':')
      if (alias === target) continue
      aliases.set(target, (aliases.get(target) ?? new Set()).add(alias))
      warn(name, 'links', `${target} is known as ${alias} to every service of its networks, not to this one alone.`)
    }
  }
  return aliases
}

/** Every network that a service is attached to. */
export function projectNetworks({ networks }: ComposeProject, attached: Map<string, Attached>): ComposeNetwork[] {
  const keys = new Set([...attached.values()].flat().map(({ network }) => network))
  return [...keys].sort().map((key) => {
    const said = Object.hasOwn(networks, key) ? networks[key] : undefined
    return { key, internal: said?.internal === true || (said === undefined && key !== DEFAULT) }
  })
}

/** A host name that a reverse proxy on the server was told to lead to a container. */
export type ProxyName = { host: string; path: string | null; port: number | null; by: string }

type Marks = { labels: Readonly<Record<string, string>>; environment: ReadonlyMap<string, string> }

const MOST_NAMES = 50
const MOST_RULE = 4096
const HOST = /^(\*\.)?[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/

/** By the labels of Traefik and Caddy, and by the variables of nginx-proxy. */
export function proxyNames({ labels, environment }: Marks): ProxyName[] {
  const rules = Object.entries(labels).filter(([, rule]) => rule.length <= MOST_RULE)
  const port = portIn(rules.find(([name]) => TRAEFIK_PORT.test(name))?.[1])
  const traefik = labels['traefik.enable'] === 'false' ? [] : rules.flatMap((rule) => byTraefik(rule, port))
  const caddy = rules.flatMap((rule) => byCaddy(rule, labels))
  return [...traefik, ...caddy, ...byNginxProxy(environment)]
    .map((name) => ({ ...name, host: clean(name.host) }))
    .filter(({ host }) => HOST.test(host) && host.includes('.'))
    .slice(0, MOST_NAMES)
}

const TRAEFIK_PORT = /^traefik\.(http\.services\.[^.]+\.loadbalancer\.server\.port|port)$/
const TRAEFIK_RULE = /^traefik\.http\.routers\.[^.]+\.rule$/

function byTraefik([name, rule]: [string, string], port: number | null): ProxyName[] {
  if (name === 'traefik.frontend.rule') {
    const path = /PathPrefix:([^;,]+)/.exec(rule)?.[1] ?? null
    const hosts = /(?:^|;)Host:([^;]+)/.exec(rule)?.[1]?.split(',') ?? []
    return hosts.map((host) => ({ host, path, port, by: 'traefik 1' }))
  }
  if (!TRAEFIK_RULE.test(name)) return []
  // With an “or” a path may belong to one host and not to the other: then it is not told.
  const isSimple = !rule.includes('||') && !rule.includes('!')
  const path = isSimple ? (/PathPrefix\(\s*[`"']([^`"']+)/.exec(rule)?.[1] ?? null) : null
  return [...rule.matchAll(/(?<![A-Za-z])Host\(([^)]*)\)/g)].flatMap(([, words = '']) =>
    [...words.matchAll(/[`"']([^`"']+)[`"']/g)].map(([, host = '']) => ({ host, path, port, by: 'traefik' })),
  )
}

function byCaddy([name, hosts]: [string, string], labels: Marks['labels']): ProxyName[] {
  if (!/^caddy(_\d+)?$/.test(name)) return []
  const port = portIn(/upstreams(?:\s+https?)?\s+(\d+)/.exec(labels[`${name}.reverse_proxy`] ?? '')?.[1])
  return hosts.split(/[\s,]+/).map((host) => ({ host, path: null, port, by: 'caddy' }))
}

function byNginxProxy(environment: Marks['environment']): ProxyName[] {
  const port = portIn(environment.get('VIRTUAL_PORT'))
  const hosts = (environment.get('VIRTUAL_HOST') ?? '').slice(0, MOST_RULE).split(',')
  return hosts.map((host) => ({ host, path: null, port, by: 'nginx-proxy' }))
}

const portIn = (text: string | undefined) => (text !== undefined && /^\d{1,5}$/.test(text) ? Number(text) : null)

/** Without scheme, port and path. */
const clean = (host: string) =>
  host
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[:/].*$/, '')

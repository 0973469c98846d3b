import { quoted } from '../faults.ts'
import type { NormalService } from '../project.ts'
import type { ComposeService, Trust } from './service.ts'

type View = { trust: Trust; warn(key: string, message: string): void }

/** What the engine gives to every container but NET_RAW, and the right to keep memory from being swapped. */
const HARMLESS = [
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'IPC_LOCK', 'KILL', 'MKNOD', 'NET_BIND_SERVICE'],
  ...['SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
]

/** Others could reach the server or its other projects, so that only its operator can give them. */
export function capabilitiesOf(service: NormalService, { trust, warn }: View): ComposeService['capabilities'] {
  const { cap_add: wanted = [], cap_drop: dropped = [] } = service
  const given = new Set([...HARMLESS, ...(trust.capabilities ?? [])])
  const plain = (name: string) => name.toUpperCase().replace(/^CAP_/, '')
  const add = wanted.map(plain).filter((name) => {
    if (given.has(name)) return true
    warn('cap_add', `The container runs without ${quoted(name)}; the operator of the server can allow it.`)
    return false
  })
  return { add, drop: dropped.map(plain) }
}

export function noNewPrivileges({ security_opt: options = [] }: NormalService, { warn }: View): boolean | null {
  let said: boolean | null = null
  for (const option of options) {
    const [, value] = /^no-new-privileges(?:[:=](true|false))?$/.exec(option) ?? []
    if (value !== undefined || option === 'no-new-privileges') said = value !== 'false'
    else warn('security_opt', `The container runs without ${quoted(option)}, under the engine’s own rules.`)
  }
  return said
}

/** Its own name, by which its neighbours find it too: one word, and not the name of another service. */
export function hostnameOf({ hostname }: NormalService, { names, warn }: View & { names: string[] }): string | null {
  if (hostname === undefined) return null
  if (/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(hostname) && !names.includes(hostname.toLowerCase())) return hostname
  warn('hostname', 'It is not set: other services would look it up. Use one word that is not the name of a service.')
  return null
}

/** What each may be at most; the rest is counted for all projects of the server together, or lets a program outrun others. */
const ULIMITS: Record<string, number> = {
  ...{ as: Infinity, core: 0, cpu: Infinity, data: Infinity, fsize: Infinity, memlock: Infinity },
  ...{ nofile: 1_048_576, nproc: 1_048_576, stack: Infinity },
}

export function ulimitsOf({ ulimits = {} }: NormalService, { warn }: View): ComposeService['ulimits'] {
  return Object.entries(ulimits).flatMap(([name, limit]) => {
    const { soft, hard } = typeof limit === 'number' ? { soft: limit, hard: limit } : limit
    const most = Object.hasOwn(ULIMITS, name) ? (ULIMITS[name] ?? 0) : undefined
    const fits = (value: number) => (value === -1 ? most === Infinity || name === 'nproc' : value <= (most ?? -2))
    if (fits(soft) && fits(hard)) return [{ name, soft, hard }]
    warn(`ulimits.${name}`, 'It is not set: it is more than one project of a server can have.')
    return []
  })
}

/** Those of the container's own namespaces; the rest would change the server. Anchored: a slash would lead elsewhere. */
const NAMESPACED =
  /^(net\.ipv[46]\.[a-z0-9_]+(\.[a-z0-9_]+)*|net\.core\.somaxconn|net\.unix\.max_dgram_qlen|fs\.mqueue\.[a-z_]+|kernel\.(shm(max|all|mni|_rmid_forced)|msg(max|mnb|mni)|sem))$/

export function sysctlsOf({ sysctls = {} }: NormalService, { warn }: View): Record<string, string> {
  const set = Object.entries(sysctls).filter(([name, value]) => {
    if (NAMESPACED.test(name) && /^-?\d+([ \t]+-?\d+)*$/.test(value)) return true
    warn(`sysctls.${name}`, 'It is a setting of the server itself and stays as it is.')
    return false
  })
  return Object.fromEntries(set)
}

/** Lines are kept on the server, so that they can be read there; how many is the service's to say. */
export function logOf({ logging }: NormalService, { warn }: View): ComposeService['log'] {
  const { driver = 'local', options = {} } = logging ?? {}
  const own = driver === 'local' || driver === 'json-file'
  if (!own)
    warn('logging.driver', 'Lines are kept on the server, where they can be followed; they are not sent elsewhere.')
  for (const name of Object.keys(options)) {
    const known = own && (name === 'max-size' || name === 'max-file')
    if (!known) warn(`logging.options.${name}`, 'Lines are kept without it.')
  }
  const size = own && /^\d+[kmg]?b?$/i.test(options['max-size'] ?? '') ? (options['max-size'] ?? null) : null
  const files = own && /^\d{1,3}$/.test(options['max-file'] ?? '') ? Number(options['max-file']) : null
  return { maxSize: size, maxFiles: files }
}

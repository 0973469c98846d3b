import { quoted } from '../faults.ts'
import type { NormalService } from '../project.ts'
import type { ComposeService, Trust } from './service.ts'

type View = { trust: Trust; warn(key: string, message: string): void }

/** What the engine gives to every container, and the right to keep memory from being swapped. */
const HARMLESS = [
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'IPC_LOCK', 'KILL', 'MKNOD', 'NET_BIND_SERVICE'],
  ...['NET_RAW', 'SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
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

export function noNewPrivileges({ security_opt: options = [] }: NormalService, { warn }: View): boolean {
  const wanted = (option: string) => /^no-new-privileges([:=]true)?$/.test(option)
  for (const option of options) {
    if (!wanted(option))
      warn('security_opt', `The container runs without ${quoted(option)}, under the engine’s own rules.`)
  }
  return options.some(wanted)
}

/** Those that belong to the container's own namespaces; the rest would change the server. */
const NAMESPACED = /^(net\.|fs\.mqueue\.|kernel\.(shm|msg)|kernel\.sem$)/

export function sysctlsOf({ sysctls = {} }: NormalService, { warn }: View): Record<string, string> {
  const set = Object.entries(sysctls).filter(([name]) => {
    if (NAMESPACED.test(name)) return true
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

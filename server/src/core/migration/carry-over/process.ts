import { isIP } from 'node:net'
import type { FoundConfig, FoundContainer, FoundHost } from '../../../drivers/runtime/reading/found.ts'
import type { ComposeHealthcheck } from '../../../source/compose/deployable/service.ts'
import { shown, type Tell } from './verdict.ts'

/** The engine lays the image's own below what was asked for; taking the image away again leaves what was asked for. */
export function argvOf(run: FoundConfig, base: FoundConfig): { entrypoint: string[] | null; command: string[] | null } {
  const [entry, command] = [run.entrypoint ?? [], run.command ?? []]
  const isSameEntry = same(entry, base.entrypoint ?? [])
  if (isSameEntry && same(command, base.command ?? [])) return { entrypoint: null, command: null }
  if (isSameEntry && command.length > 0) return { entrypoint: null, command }
  // Naming an entrypoint takes the image's command away; one that was taken away itself leaves the command to be run.
  if (entry.length === 0) return { entrypoint: command, command: null }
  return { entrypoint: entry, command: command.length > 0 ? command : null }
}

export const same = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((one, n) => one === b[n])

export const nameOf = (line: string) => line.split('=', 1)[0] ?? ''

/** What was set beyond the image. Names such as `discovery.type` are common, and stay. */
export function environmentOf(run: FoundConfig, base: FoundConfig, { warn }: Tell): Record<string, string> {
  const own = new Set(base.environment)
  const environment: Record<string, string> = Object.create(null)
  const unset = new Set<string>()
  for (const line of run.environment) {
    const equals = line.indexOf('=')
    const name = nameOf(line)
    if (equals < 1) unset.add(line)
    else if (line.includes('\0'))
      warn(`environment.${shown(name)}`, 'It has a character that no variable can have, and is left out.')
    else if (!own.has(line)) {
      if (Object.hasOwn(environment, name)) warn(`environment.${shown(name)}`, 'It is set twice; the last one is kept.')
      environment[name] = line.slice(equals + 1)
    }
  }
  const names = new Set(run.environment.map(nameOf))
  for (const line of base.environment) if (!names.has(nameOf(line))) unset.add(nameOf(line))
  for (const name of unset)
    warn(`environment.${shown(name)}`, 'The image sets it, and it was taken away: here it is set again.')
  return environment
}

/** What a proxy or a watcher reads: one that still runs would lead visitors to the new container, or replace it. */
const READ_BY_OTHERS =
  /^(traefik\.|caddy(_\d+)?(\.|$)|com\.centurylinklabs\.watchtower|com\.github\.|diun\.|wud\.|homepage\.)/
const MADE_BY_OTHERS = /^(com\.docker\.|slipway\.|app\.slipway\.|desktop\.docker\.io\/|coolify\.|io\.portainer\.)/
const MOST_LABELS = 200
const MOST_LABEL = 65_536

/** The engine's answer has the image's labels too. */
export function labelsOf(run: FoundConfig, base: FoundConfig, { warn }: Tell): Record<string, string> {
  const labels: Record<string, string> = Object.create(null)
  let left = 0
  for (const [name, value] of Object.entries(run.labels)) {
    if (base.labels[name] === value || MADE_BY_OTHERS.test(name)) continue
    if (READ_BY_OTHERS.test(name)) left++
    else if (name.length + value.length > MOST_LABEL || Object.keys(labels).length >= MOST_LABELS)
      warn('labels', 'Labels that are very long or very many are left out.')
    else labels[name] = value
  }
  if (left > 0)
    warn(
      'labels',
      `${left} labels for a proxy or a watcher are left out: one that still runs would lead visitors to the new container.`,
    )
  return labels
}

const NS_PER_MS = 1_000_000
/** The engine's own, where nothing is said; ours are others. */
const USUAL = { intervalMs: 30_000, timeoutMs: 30_000, retries: 3 }
const SHELL = ['/bin/sh', '-c']

export function healthOf(run: FoundConfig, base: FoundConfig): ComposeHealthcheck {
  const check = run.health
  const [kind, ...words] = check?.test ?? []
  if (check === null || kind === undefined || kind === 'NONE') return { kind: 'none' }
  if (JSON.stringify(check) === JSON.stringify(base.health)) return { kind: 'image', ...timesOf(check) }
  const shell = run.shell.length > 0 ? run.shell : SHELL
  const argv = kind === 'CMD-SHELL' ? [...shell, words.join(' ')] : words
  return { kind: 'command', argv, ...timesOf(check) }
}

const timesOf = (check: NonNullable<FoundConfig['health']>) => ({
  intervalMs: check.intervalNs / NS_PER_MS || USUAL.intervalMs,
  timeoutMs: check.timeoutNs / NS_PER_MS || USUAL.timeoutMs,
  retries: check.retries || USUAL.retries,
  startPeriodMs: check.startPeriodNs / NS_PER_MS,
  ...(check.startIntervalNs > 0 && { startIntervalMs: check.startIntervalNs / NS_PER_MS }),
})

/** `NAME:ADDRESS`, of which the address may have colons of its own. */
export function hostsOf({ hosts }: FoundHost, { warn }: Tell): { name: string; address: string }[] {
  return hosts.flatMap((line) => {
    const at = line.indexOf(':')
    const [name, address] = [line.slice(0, at), line.slice(at + 1).replace(/^\[(.*)\]$/, '$1')]
    const isHost = NAME.test(name) && (isIP(address) > 0 || address === 'host-gateway')
    if (!isHost) warn('extra_hosts', `${shown(line)} is no host that can be set, and is left out.`)
    return isHost ? [{ name, address }] : []
  })
}

export const NAME = /^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?$/i

/** Without one the engine takes the beginning of the id. */
export const ownHostname = ({ run, host, id }: FoundContainer) =>
  run.hostname !== '' && run.hostname !== id.slice(0, 12) && host.networkMode !== 'host' ? run.hostname : undefined

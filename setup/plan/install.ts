import { edgePorts } from '../check/edge-ports.ts'
import type { Flags } from '../flags.ts'
import type { Facts } from '../look/look.ts'
import { PATHS } from '../paths.ts'
import { type Step, step } from './step.ts'

/** What makes this machine run `version`, from whatever is there: steps that are done already are left out. */
export function planInstall(facts: Facts, flags: Flags, version: string): Step[] {
  const { engine, installed } = facts
  const written = settings(facts, flags)
  return [
    ...packages(facts, flags),
    ...(installed.user ? [] : [step('make the user slipway, whom the server runs as', { do: 'user' })]),
    ...database(facts, flags),
    ...(engine.swarm.state === 'active' ? [] : [swarm(facts, flags)]),
    ...(flags.offline && !engine.buildx
      ? [step('put docker-buildx to the program', { do: 'buildx', from: flags.offline })]
      : []),
    ...(flags.offline ? [step(`load the images of ${flags.offline}`, { do: 'images', from: flags.offline })] : []),
    ...(installed.versions.includes(version)
      ? []
      : [step(`put ${version} to ${PATHS.versions}`, { do: 'files', version })]),
    ...written,
    ...(installed.passphrase ? [] : [step('draw the passphrase that backups are sealed with', { do: 'passphrase' })]),
    step('tell systemd of its units', { do: 'units' }),
    ...running(facts, version, written.length > 0),
    ...owner(facts, flags),
    step('make this machine its first server', { do: 'server' }),
    ...(installed.version === version
      ? []
      : [step(`make ${version} the one that starts with the machine`, { do: 'switch', version, from: null })]),
  ]
}

/** One that runs with settings of before starts anew; also when whoever wrote them did not come to that. */
function running({ installed }: Facts, version: string, written: boolean): Step[] {
  if (!installed.running.includes(version)) return [step(`start ${version}`, { do: 'start', version, beside: null })]
  if (!written && !installed.settingsAreNewer) return []
  return [step(`start ${version} anew, with these settings`, { do: 'restart', version })]
}

function packages({ system, engine, installed }: Facts, { databaseUrl, offline }: Flags): Step[] {
  const cluster = !databaseUrl && !installed.programs.clusters
  const names = [
    ...(engine.installed ? [] : ['docker.io', ...(apart(system) ? ['docker-cli'] : [])]),
    ...(engine.buildx || offline ? [] : ['docker-buildx']),
    ...(installed.programs.git ? [] : ['git']),
    ...(cluster ? ['postgresql'] : []),
  ]
  return names.length === 0
    ? []
    : [step(`install ${names.join(', ')}`, { do: 'packages', names, noMainCluster: cluster })]
}

/** Debian 13 has the engine and its client in two packages. */
const apart = ({ os }: Facts['system']) => os.id === 'debian' && Number(os.version) >= 13

function database({ installed }: Facts, { databaseUrl }: Flags): Step[] {
  if (databaseUrl || installed.settings.SLIPWAY_DATABASE_URL) return []
  // Before the settings name it nothing can be in it: what is not whole is made anew.
  const anew = installed.cluster !== null && !installed.cluster.whole
  return [step('make a PostgreSQL cluster of its own, on a unix socket', { do: 'cluster', anew })]
}

/** Swarm's own pool is 10.0.0.0/8: elsewhere if this machine is in it. */
function swarm({ system }: Facts, { advertiseAddress }: Flags): Step {
  const address = advertiseAddress ?? '127.0.0.1'
  const pool = system.addresses.some((one) => one.startsWith('10.')) ? '172.28.0.0/14' : null
  return step(`make a Swarm of this one machine, at ${address}`, { do: 'swarm', address, pool })
}

/** Kept if they are there: they hold the keys. What `--domain`, `--url`, `--base-domain` and `--set` say is changed all the same. */
function settings(facts: Facts, flags: Flags): Step[] {
  const { settings: had } = facts.installed
  const { http, https, front } = edgePorts(facts, flags)
  const url = flags.domain ? `https://${flags.domain}` : flags.url
  const fresh: Record<string, string> = {
    SLIPWAY_PUBLIC_URL: 'http://127.0.0.1:4600',
    SLIPWAY_PLATFORM_SOCKET: PATHS.socket,
    SLIPWAY_DATA_DIR: PATHS.data,
    SLIPWAY_TRUST_PROXY: 'loopback',
    SLIPWAY_DATABASE_CONNECTIONS: '12',
    SLIPWAY_EDGE_HTTP_PORT: String(http),
    SLIPWAY_EDGE_HTTPS_PORT: String(https),
    // Visitors see the ports of whoever is in front.
    ...(front && { SLIPWAY_EDGE_PUBLIC_HTTP_PORT: '80', SLIPWAY_EDGE_PUBLIC_HTTPS_PORT: '443' }),
    ...(flags.databaseUrl && { SLIPWAY_DATABASE_URL: flags.databaseUrl }),
  }
  const said = {
    ...(url && { SLIPWAY_PUBLIC_URL: url }),
    ...(flags.baseDomain && { SLIPWAY_BASE_DOMAIN: flags.baseDomain }),
    ...flags.set,
  }
  const values = { ...missing(fresh, had), ...said }
  const whole = had.SLIPWAY_DATABASE_URL && had.SLIPWAY_SECRET_KEY
  if (whole && Object.entries(values).every(([name, value]) => had[name] === value)) return []
  return [step(`write ${PATHS.settings}`, { do: 'settings', values })]
}

const missing = (wanted: Record<string, string>, had: Record<string, string>) =>
  Object.fromEntries(Object.entries(wanted).filter(([name]) => had[name] === undefined))

function owner({ installed }: Facts, { email, organization }: Flags): Step[] {
  // What is installed has its owner; whoever lost the link asks for another one by `slipway server admin bootstrap --again`.
  if (!email || installed.version !== null) return []
  return [step(`make ${email} the owner`, { do: 'owner', email, organization })]
}

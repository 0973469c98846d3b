import type { Flags } from '../flags.ts'
import type { Engine } from '../look/engine.ts'
import type { Facts } from '../look/look.ts'
import type { System } from '../look/system.ts'
import { checkBackups } from './backups.ts'
import { edgePorts } from './edge-ports.ts'
import { type Finding, failed, ok, plan, warning } from './finding.ts'

type Wanted = Pick<Flags, 'httpPort' | 'httpsPort' | 'databaseUrl' | 'offline'> & {
  version: string
}

/** What speaks for and against it, from what was found. */
export function check(facts: Facts, wanted: Wanted): Finding[] {
  const { system, engine } = facts
  return [
    ...checkSystem(system),
    ...checkSurroundings(system),
    ...checkEngine(engine, wanted),
    ...checkPorts(facts, wanted),
    checkDatabase(facts, wanted),
    facts.platforms.length === 0
      ? ok('others', 'no other platform found')
      : warning(
          'others',
          `${facts.platforms.join(', ')} on this machine`,
          'It is left alone. Two platforms share memory and disk.',
        ),
    checkInstalled(facts, wanted),
    ...(facts.installed.version === null
      ? []
      : checkBackups(facts.installed.notes, { drills: facts.installed.cluster !== null })),
  ]
}

function checkSystem(system: System): Finding[] {
  const { os, memoryMb, swapMb, freeGb } = system
  const tested = (os.id === 'debian' && Number(os.version) >= 12) || (os.id === 'ubuntu' && Number(os.version) >= 22.04)
  const memory = `${memoryMb} MB, swap ${swapMb} MB`
  const disk = `${freeGb} GB free below /var/lib`
  return [
    system.root ? ok('root', 'running as root') : failed('root', 'not root', 'Run it with sudo.'),
    tested ? ok('system', os.name) : warning('system', os.name, 'Tested are Debian 12 and 13.'),
    system.systemd
      ? ok('systemd', 'is running')
      : failed('systemd', 'is not running', 'Slipway is started and replaced by systemd.'),
    ['x64', 'arm64'].includes(system.architecture)
      ? ok('processor', system.architecture)
      : failed('processor', system.architecture, 'There are releases for x64 and arm64.'),
    memoryMb < 700
      ? failed('memory', memory, 'At least 700 MB are needed.')
      : memoryMb < 1800 && swapMb === 0
        ? warning('memory', memory, 'Builds of larger projects need more: add 2 GB of swap.')
        : ok('memory', memory),
    freeGb < 3
      ? failed('disk', disk, 'At least 3 GB are needed: images and builds take 5 to 20.')
      : freeGb < 10
        ? warning('disk', disk, 'Images and builds take 5 to 20 GB.')
        : ok('disk', disk),
  ]
}

/** Said only where something is wrong with it. */
function checkSurroundings({ clockInSync, namesAnswered, ufw }: System): Finding[] {
  const sync = 'Certificates and logs need the right time: timedatectl set-ntp true.'
  const names = 'Repositories, registries and certificates cannot be reached like that: mend /etc/resolv.conf.'
  const passed = 'Ports that Docker opens pass by ufw: whatever a project publishes is open to the world.'
  return [
    ...(clockInSync === false ? [warning('clock', 'follows no other clock', sync)] : []),
    ...(namesAnswered ? [] : [warning('names', 'who is asked for names does not answer', names)]),
    ...(ufw ? [warning('firewall', 'ufw is active', passed)] : []),
  ]
}

function checkEngine(engine: Engine, wanted: Wanted): Finding[] {
  if (!engine.installed) {
    return [
      plan('docker', 'is not installed', "the distribution's will be"),
      plan('swarm', 'is not there', 'will be made, with one node'),
      ...checkBuildx(engine, wanted),
    ]
  }
  if (!engine.answers) return [failed('docker', 'is installed and does not answer', 'See systemctl status docker.')]
  return [checkDocker(engine), checkLimits(engine), checkSwarm(engine), ...checkBuildx(engine, wanted)]
}

function checkDocker({ version, containers, snap, rootless, liveRestore }: Engine): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const what = `${version}, ${containers} containers running`
  if (snap) return failed('docker', what, 'The snap cannot be used: install docker.io or docker-ce.')
  if (rootless) return failed('docker', what, 'A rootless engine has no Swarm: install docker.io or docker-ce.')
  if (major < 20 || (major === 20 && minor < 10)) return failed('docker', what, 'It must be 20.10 or newer.')
  if (liveRestore) {
    const how =
      'Take "live-restore" out of /etc/docker/daemon.json and restart Docker when its containers may stop for a moment.'
    return failed('docker', `${what}, with live-restore, which Swarm does not go with`, how)
  }
  return ok('docker', what)
}

const checkLimits = ({ lacks }: Engine): Finding =>
  lacks.length === 0
    ? ok('limits', 'memory, processors and processes can be limited')
    : warning(
        'limits',
        `the engine cannot limit ${lacks.join(', ')}`,
        'Builds are refused without limits: boot with cgroup_enable=memory.',
      )

function checkSwarm({ swarm }: Engine): Finding {
  if (swarm.state === 'inactive')
    return plan('swarm', 'inactive', 'will be made, with one node and nothing but 4789/udp open')
  if (swarm.state === 'active' && swarm.manager) return ok('swarm', `active, ${swarm.nodes} nodes: used as it is`)
  if (swarm.state === 'active')
    return failed('swarm', 'this machine is a worker of another Swarm', 'Install Slipway on one of its managers.')
  return failed('swarm', swarm.state, 'See docker info. Slipway never leaves a Swarm.')
}

function checkBuildx({ buildx, version }: Engine, { offline }: Wanted): Finding[] {
  if (buildx) return [ok('buildx', buildx)]
  if (offline) return [plan('buildx', 'is missing', 'the one of --offline will be used')]
  if (version.startsWith('20.')) {
    return [
      failed(
        'buildx',
        'is missing, and this distribution has no package of it',
        "Use Docker's own packages (docker-ce, docker-buildx-plugin), or --offline DIR.",
      ),
    ]
  }
  return [plan('buildx', 'is missing', "the distribution's will be installed")]
}

function checkPorts(facts: Facts, wanted: Wanted): Finding[] {
  const { http, https, front } = edgePorts(facts, wanted)
  const { listeners, installed } = facts
  const fresh = installed.settings.SLIPWAY_EDGE_HTTP_PORT === undefined
  const stolen = fresh ? [http, https].find((port) => listeners[port] !== undefined) : undefined
  const web =
    stolen !== undefined
      ? failed(
          'web ports',
          `port ${stolen} is taken by ${listeners[stolen]}`,
          'Choose others with --http-port and --https-port.',
        )
      : front
        ? plan(
            'web ports',
            `port ${front.port} is taken by ${front.program}`,
            `the edge listens on ${http} and ${https} behind it; nothing of it is changed`,
          )
        : ok('web ports', `${http} and ${https} are the edge's`)
  const own = listeners[4600]
  if (own === undefined || installed.version !== null || installed.running.length > 0 || own === 'systemd') return [web]
  return [
    web,
    failed('port 4600', `is taken by ${own}`, 'The platform itself listens there, for this machine alone: free it.'),
  ]
}

function checkDatabase({ installed }: Facts, { databaseUrl }: Wanted): Finding {
  if (installed.settings.SLIPWAY_DATABASE_URL) return ok('database', 'as it is')
  if (databaseUrl) return ok('database', 'the one of --database-url')
  return plan(
    'database',
    'is not there',
    'a PostgreSQL cluster of its own will be made, without a password and without a port',
  )
}

function checkInstalled({ installed }: Facts, { version }: Wanted): Finding {
  if (installed.version === version) return ok('slipway', `${version} is installed`)
  if (installed.version === null) return plan('slipway', 'is not installed', `${version} will be`)
  return plan('slipway', `${installed.version} is installed`, `slipway setup upgrade brings ${version}`)
}

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { labPart } from '../../../lab/ask.ts'
import { bindText, endMachine, type Machine, runInside, startInside, startMachine } from '../../../lab/machine.ts'
import { furnishEngine } from '../../../lab/parts/engine.ts'
import { run } from '../../../lab/run.ts'
import type { EnginePart } from '../../../lab/state.ts'
import { tool, toolEnv } from '../../../lab/tools.ts'
import { engineAt } from '../../../test-kit/engine.ts'
import { startGitHost } from '../../../test-kit/git-host.ts'
import { startListener } from './listener.ts'
import { type Markers, newMarkers } from './markers.ts'
import { makeOperatorImage } from './operator-image.ts'

const ENGINE = { name: 'escape', number: 7 }
const METADATA = { name: 'escape-metadata', number: 6 }
/** Of the range for tests: whatever a hostile program tries is an address of this lab. */
const POOLS = { overlay: '198.19.0.0/17', local: '198.19.128.0/17', bridge: '198.19.255.1/24' }
const LOOPBACK_PORT = 8500
const DISK_BYTES = 12 * 1024 ** 3

export type Ground = Awaited<ReturnType<typeof openGround>>

/**
 * A machine with an engine of its own that nothing leaves: it has no way out but to the lab, and a disk of its own. Beside
 * it a machine with a stand-in for a cloud's metadata service, and a listener for what an attacker would send home.
 */
export async function openGround() {
  const markers = newMarkers()
  const folder = mkdtempSync(join(tmpdir(), 'sw-escape-'))
  const hostFolder = join(folder, 'host')
  const machine = await startMachine(ENGINE.name, ENGINE.number)
  await giveDisk(machine)
  const engine = await furnishEngine(machine, POOLS)
  await cutOff(machine)
  const metadata = await startMetadata(folder, markers)
  const listener = await startListener(machine.network.gateway)
  const gitHost = await startGitHost()
  startLoopback(folder, markers)
  const docker = (...argv: string[]) => dockerClient(engine, argv)
  const ground = {
    markers,
    folder,
    machine,
    engine,
    api: engineAt(engine.socket),
    metadata: metadata.address,
    listener,
    gitHost,
    registry: labPart('registry').address,
    hostFolder,
    /** The engine's own client. */
    docker,
    /** On the engine's machine, for that machine alone. */
    loopback: LOOPBACK_PORT,
    operatorImage: await makeOperatorImage(folder, markers.operator, docker),
    /** Puts the host's marker back, and says what had happened to it. */
    plant: (name = '.') => plant(join(hostFolder, name), markers.host),
    async close() {
      listener.close()
      gitHost.close()
      await endMachine(ENGINE.name)
      await endMachine(METADATA.name)
      rmSync(folder, { recursive: true, force: true })
    },
  }
  ground.plant()
  return ground
}

const dockerClient = ({ docker, dockerHost, dockerConfig }: EnginePart, argv: string[]) =>
  run([docker, ...argv], { env: toolEnv({ DOCKER_HOST: dockerHost, DOCKER_CONFIG: dockerConfig }) })

/** A disk that can be filled to the last byte without harm to anybody else. */
async function giveDisk({ dir, name }: Machine): Promise<void> {
  const image = join(dir, 'disk')
  const data = join(dir, 'data')
  mkdirSync(data, { recursive: true })
  writeFileSync(image, '')
  truncateSync(image, DISK_BYTES)
  execFileSync(tool('mkfs.ext4'), ['-q', '-E', 'lazy_itable_init=1,lazy_journal_init=1', image])
  await runInside(name, 'mount', '--no-mtab', '-o', 'loop,noatime', image, data)
}

/** No route but to the lab's own segment, and no name server: nothing a hostile program sends can travel further. */
async function cutOff(machine: Machine): Promise<void> {
  const { name, address } = machine
  await runInside(name, tool('ip'), 'route', 'delete', 'default')
  await bindText(machine, '/etc/resolv.conf', `nameserver ${address}\n`)
  const routes = await runInside(name, tool('ip'), 'route', 'show', 'default')
  if (routes.trim() !== '') throw new Error(`${name} still has a way out: ${routes}`)
}

async function startMetadata(folder: string, { metadata }: Markers): Promise<Machine> {
  const machine = await startMachine(METADATA.name, METADATA.number)
  await cutOff(machine)
  const pages = join(folder, 'metadata')
  mkdirSync(join(pages, 'latest'), { recursive: true })
  for (const page of ['index.html', 'latest/index.html']) writeFileSync(join(pages, page), `${metadata}\n`)
  const argv = [tool('busybox'), 'httpd', '-f', '-p', '80', '-h', pages] as const
  startInside(METADATA.name, argv, { log: join(folder, 'metadata.log') })
  return machine
}

/** A service of the machine itself, such as a database without a password, that only the machine can reach. */
function startLoopback(folder: string, { loopback }: Markers): void {
  const pages = join(folder, 'loopback')
  mkdirSync(pages, { recursive: true })
  writeFileSync(join(pages, 'index.html'), `${loopback}\n`)
  const argv = [tool('busybox'), 'httpd', '-f', '-p', `127.0.0.1:${LOOPBACK_PORT}`, '-h', pages] as const
  startInside(ENGINE.name, argv, { log: join(folder, 'loopback.log') })
}

function plant(folder: string, marker: string): string[] {
  mkdirSync(folder, { recursive: true })
  const found = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() || entry.name === 'secret' || entry.name === 'written')
    .map(({ name }) => name)
  const secret = join(folder, 'secret')
  const odd = found.filter((name) => name !== 'secret').map((name) => `written: ${name} on the host`)
  const changed = found.includes('secret') && readFileSync(secret, 'utf8') !== `${marker}\n`
  for (const name of found) rmSync(join(folder, name), { recursive: true, force: true })
  writeFileSync(secret, `${marker}\n`)
  return [...odd, ...(changed ? ['written: the secret on the host'] : [])]
}

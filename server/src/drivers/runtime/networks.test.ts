import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { trialRuntime, trialSpec } from '../../../../test-kit/runtime.ts'
import { until } from '../../../../test-kit/until.ts'
import { callEngine } from '../engine/ask.ts'
import { connectEngine } from '../engine/connect.ts'

const lab = labPart('engine')
const engine = { kind: 'local', socketPath: lab.socket } as const
const instance = `test-networks-${randomBytes(4).toString('hex')}`
const runtime = trialRuntime({ instance })
const project = `prj_n${randomBytes(4).toString('hex')}`
const stranger = `prj_s${randomBytes(4).toString('hex')}`
const { signal } = new AbortController()
const none = { kind: 'none', intervalMs: 1000, timeoutMs: 1000, retries: 1, startPeriodMs: 0 } as const
const PORT = 5999

const { docker, close } = await connectEngine(engine, { signal, deadlineMs: 20_000 })

afterAll(async () => {
  for (const one of [project, stranger]) await runtime.withdraw(engine, one, { signal, atOnce: true })
  const bare = `/networks/${instance}-bare`
  await callEngine(docker, { method: 'DELETE', path: bare }, signal).catch(() => {})
  runtime.close()
  close()
}, 60_000)

const listen = `require('dgram').createSocket('udp4').on('message', (m, from) => console.log(from.address, String(m))).bind(${PORT}, () => console.log('ready'))`

async function up(name: { project: string; service: string }, script: string) {
  const own = { entrypoint: ['node', '-e', script], healthcheck: none, monitorMs: 500 }
  const spec = trialSpec({ ...name, deployment: 'v1' }, 'good', own)
  await runtime.apply(engine, spec, { signal })
  await runtime.watch(engine, name, { deployment: 'v1', signal, stableMs: 100 })
  return spec
}

async function lines(name: { project: string; service: string }): Promise<string[]> {
  const found: string[] = []
  for await (const { line } of runtime.logs(engine, name, { signal, tail: 100 })) found.push(line)
  return found
}

type Attached = { IPv4Address: string; MacAddress: string; Name: string }

/** Which tunnel of the machine leads to a service, and its address there. */
async function tunnelTo(network: string, service: string) {
  const found = await callEngine<{ Options: Record<string, string>; Containers: Record<string, Attached> }>(
    docker,
    { path: `/networks/${network}` },
    signal,
  )
  const at = Object.values(found.Containers).find(({ Name }) => Name.includes(service))
  const address = at?.IPv4Address.split('/')[0] ?? ''
  return {
    id: Number(found.Options['com.docker.network.driver.overlay.vxlanid_list']),
    address,
    mac: at?.MacAddress ?? '',
  }
}

const bytes = (text: string, radix: 10 | 16) =>
  Buffer.from(text.split(radix === 10 ? '.' : ':').map((part) => Number.parseInt(part, radix)))

/** A datagram for a service, in the wrapping in which machines of a Swarm send each other what is for their networks. */
function wrapped({ id, address, mac }: Awaited<ReturnType<typeof tunnelTo>>, text: string): string {
  const datagram = Buffer.concat([
    Buffer.from([0, 9, PORT >> 8, PORT & 255, 0, 8 + text.length, 0, 0]),
    Buffer.from(text),
  ])
  const head = Buffer.from([0x45, 0, 0, 20 + datagram.length, 0, 1, 0, 0, 64, 17, 0, 0])
  const ip = Buffer.concat([head, bytes('198.18.0.9', 10), bytes(address, 10)])
  let sum = 0
  for (let at = 0; at < ip.length; at += 2) sum += ip.readUInt16BE(at)
  ip.writeUInt16BE(~((sum & 0xffff) + (sum >> 16)) & 0xffff, 10)
  const frame = Buffer.concat([bytes(mac, 16), bytes('02:42:0a:00:00:09', 16), Buffer.from([8, 0]), ip, datagram])
  return Buffer.concat([Buffer.from([8, 0, 0, 0, id >> 16, (id >> 8) & 255, id & 255, 0]), frame]).toString('hex')
}

const throwing = (packet: string, to: string) =>
  `const s = require('dgram').createSocket('udp4'); let n = 0; setInterval(() => s.send(Buffer.from('${packet}', 'hex'), 4789, '${to}', () => ++n === 20 && console.log('sent')), 100)`

test('what a container throws at the machine’s overlay port does not arrive on another project’s network', async () => {
  const victim = { project, service: 'private' }
  await up(victim, listen)
  await until('it listens', 45_000, async () => (await lines(victim)).includes('ready'))
  // The same listener on a network as the engine makes it by itself: there it does arrive.
  const bare = `${instance}-bare`
  const body = { Name: bare, Driver: 'overlay', Attachable: true }
  await callEngine(docker, { method: 'POST', path: '/networks/create', body }, signal)
  const open = { Image: 'node:24-slim', Cmd: ['node', '-e', listen], Tty: true, HostConfig: { NetworkMode: bare } }
  const made = await callEngine<{ Id: string }>(
    docker,
    { method: 'POST', path: '/containers/create', body: open },
    signal,
  )
  const exposed = `/containers/${made.Id}`
  try {
    await callEngine(docker, { method: 'POST', path: `${exposed}/start` }, signal)
    const heard = async () =>
      String(await callEngine(docker, { path: `${exposed}/logs`, query: { stdout: true } }, signal))
    await until('the other one listens', 45_000, async () => (await heard()).includes('ready'))
    const { Name } = await callEngine<{ Name: string }>(docker, { path: `${exposed}/json` }, signal)
    const toBare = wrapped(await tunnelTo(bare, Name.slice(1)), 'from a stranger')
    const toVictim = wrapped(await tunnelTo(`p-${project}`, victim.service), 'from a stranger')
    const first = { project: stranger, service: 'first' }
    const second = { project: stranger, service: 'second' }
    await Promise.all([up(first, throwing(toBare, lab.address)), up(second, throwing(toVictim, lab.address))])
    await until('both have thrown', 45_000, async () =>
      (await Promise.all([first, second].map(lines))).every((said) => said.includes('sent')),
    )
    await until('it arrives where nothing keeps it off', 45_000, async () =>
      (await heard()).includes('from a stranger'),
    )
    expect((await lines(victim)).filter((line) => line !== 'ready')).toEqual([])
  } finally {
    await callEngine(docker, { method: 'DELETE', path: exposed, query: { force: true } }, signal)
  }
}, 180_000)

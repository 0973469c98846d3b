import { readFileSync, writeFileSync } from 'node:fs'
import { until } from '../test-kit/until.ts'
import { labId } from './paths.ts'
import { type Argv, run } from './run.ts'
import { tool, toolEnv } from './tools.ts'

// One bridge per lab. Each machine hangs on it by a veth pair, so all that is left in the host's own network are the
// bridge, the pairs, one nftables table and, on hosts that drop forwarded packets, two iptables rules.

export interface Network {
  bridge: string
  subnet: string
  gateway: string
  mtu: number
  address(machine: number): string
}

const bridge = `slw${labId}`
const table = `slipway_lab_${labId}`
const forwarding = '/proc/sys/net/ipv4/ip_forward'

interface Link {
  ifname: string
  ifalias?: string
  mtu: number
  addr_info?: { local: string }[]
}

let network: Promise<Network> | undefined

/** The lab's bridge, made by whichever machine asks first. */
export function needNetwork(): Promise<Network> {
  network ??= findOrMake()
  return network
}

async function findOrMake(): Promise<Network> {
  const all = await links()
  const taken = all.find(({ ifname }) => ifname === bridge)?.addr_info?.find(({ local }) => local.startsWith('198.18.'))
  const slot = taken ? Number(taken.local.split('.')[2]) : freeSlot(all)
  const mtu = await uplinkMtu(all)
  const network = describe(slot, mtu)
  if (taken) return network
  await removeNetwork()
  await ip('link', 'add', bridge, 'mtu', String(mtu), 'type', 'bridge')
  // Remembers, for whoever goes last, what the host's setting was before the first lab came.
  const before =
    all.map(originalForwarding).find((value) => value !== undefined) ?? readFileSync(forwarding, 'utf8').trim()
  await ip('link', 'set', bridge, 'alias', `slipway-lab ip_forward=${before}`)
  await ip('addr', 'add', `${network.gateway}/24`, 'dev', bridge)
  await ip('link', 'set', bridge, 'up')
  if (before === '0') writeFileSync(forwarding, '1')
  await masquerade(network.subnet)
  for (const rule of await forwardRules()) await run([tool('iptables'), '-I', 'FORWARD', ...rule], { env: toolEnv() })
  return network
}

/** Leaves the host's network as it was before this lab. */
export async function removeNetwork(): Promise<void> {
  for (const link of linkNames()) if (link.startsWith(`${bridge}-`)) await remove(link)
  if (!linkNames().includes(bridge)) return
  const all = await links()
  const mine = all.find(({ ifname }) => ifname === bridge)
  for (const rule of await forwardRules()) await iptablesDelete(rule)
  await deleteTable()
  await ip('link', 'delete', bridge)
  const others = all.some((link) => link !== mine && originalForwarding(link) !== undefined)
  if (!others && mine && originalForwarding(mine) === '0') writeFileSync(forwarding, '0')
}

/** Takes away what a machine that ended left on the bridge; the kernel does it too, but later. */
export async function unplug(machine: number): Promise<void> {
  await remove(`${bridge}-${machine}`)
}

/** Connects the machine whose first process is `pid`. */
export async function plug(network: Network, machine: number, pid: number): Promise<void> {
  const pair = `${bridge}-${machine}`
  const mtu = ['mtu', String(network.mtu)]
  await ip('link', 'add', pair, ...mtu, 'type', 'veth', 'peer', 'name', 'eth0', ...mtu, 'netns', String(pid))
  await ip('link', 'set', pair, 'master', bridge, 'up')
}

async function remove(link: string): Promise<void> {
  const there = () => linkNames().includes(link)
  if (there()) await ip('link', 'delete', link).catch(() => {}) // the kernel may have been quicker
  await until(`removing the link ${link}`, 10_000, () => (there() ? undefined : true))
}

async function deleteTable(): Promise<void> {
  const tables = await run([tool('nft'), 'list', 'tables'], { env: toolEnv() })
  if (tables.includes(table)) await run([tool('nft'), 'delete', 'table', 'ip', table], { env: toolEnv() })
}

async function masquerade(subnet: string): Promise<void> {
  const nft = (...args: string[]) => run([tool('nft'), ...args], { env: toolEnv() })
  await nft('add', 'table', 'ip', table)
  await nft('add', 'chain', 'ip', table, 'out', '{ type nat hook postrouting priority srcnat; }')
  await nft('add', 'rule', 'ip', table, 'out', 'ip', 'saddr', subnet, 'oifname', '!=', bridge, 'masquerade')
}

/** A table of ours cannot overrule a policy DROP in another one, so there, and only there, two rules go in. */
async function forwardRules(): Promise<string[][]> {
  const saved = await run([tool('iptables-save'), '-t', 'filter'], { env: toolEnv() }).catch(() => '')
  if (!/^:FORWARD DROP/m.test(saved)) return []
  return ['-i', '-o'].map((side) => [side, bridge, '-j', 'ACCEPT', '-m', 'comment', '--comment', table])
}

async function iptablesDelete(rule: string[]): Promise<void> {
  const argv: Argv = [tool('iptables'), '-D', 'FORWARD', ...rule]
  await run(argv, { env: toolEnv() }).catch(() => {}) // not there: the policy became DROP after we came
}

function describe(slot: number, mtu: number): Network {
  // 198.18/15 is set aside for tests: neither private networks nor Swarm's own pools use it.
  const address = (last: number) => `198.18.${slot}.${last}`
  const machineAddress = (machine: number) => address(10 + machine)
  return { bridge, subnet: `${address(0)}/24`, gateway: address(1), mtu, address: machineAddress }
}

function freeSlot(all: Link[]): number {
  const used = new Set(
    all.flatMap(({ addr_info = [] }) => addr_info.map(({ local }) => local.split('.').slice(0, 3).join('.'))),
  )
  const first = Number.parseInt(labId, 16) % 256
  const slots = Array.from({ length: 256 }, (_, step) => (first + step) % 256)
  const free = slots.find((slot) => !used.has(`198.18.${slot}`))
  if (free === undefined) throw new Error('all of 198.18.0.0/16 is in use: stop some labs with bin/lab down')
  return free
}

function originalForwarding({ ifalias }: Link): string | undefined {
  return ifalias?.match(/^slipway-lab ip_forward=(\d)$/)?.[1]
}

async function uplinkMtu(all: Link[]): Promise<number> {
  const [route] = JSON.parse((await ip('-json', 'route', 'show', 'default')) || '[]') as { dev: string }[]
  return all.find(({ ifname }) => ifname === route?.dev)?.mtu ?? 1500
}

async function links(): Promise<Link[]> {
  return JSON.parse(await ip('-json', '-details', 'addr', 'show'))
}

function ip(...args: string[]): Promise<string> {
  return run([tool('ip'), ...args], { env: toolEnv() })
}

/** Links of the network we are in, without a program; /sys shows those of whoever mounted it. */
function linkNames(): string[] {
  return Array.from(readFileSync('/proc/self/net/dev', 'utf8').matchAll(/^ *([^\s:|]+):/gm), ([, name = '']) => name)
}

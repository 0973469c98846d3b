import { BlockList, isIPv4 } from 'node:net'
import type Docker from 'dockerode'
import { callEngine, unlessMissing } from '../../engine/ask.ts'
import { runOnMachine } from './on-machine.ts'

/** What the machine of an engine keeps from the containers on it. */
export type MachineGuard = {
  /** Networks that no container reaches, a cloud's metadata above all. */
  blocked: string[]
  /** Of those, addresses that stay open: containers ask them for names. */
  open: string[]
}

type Wanted = { instance: string; image: string; networks: readonly string[] }

/** Bridges that containers reach the outside by; the first is that of builds. */
const BRIDGES = ['bridge', 'docker_gwbridge']
/** Before the machine's own rules, which begin at 32766. */
const PRIORITY = { open: 5118, blocked: 5119 }
/** Kernel objects of a user id, whom all containers share: this high, each container's own memory is what bounds it. */
const INOTIFY = { file: 'max_user_instances', least: 65_536, value: 1_048_576 }

/**
 * Makes the engine's machine keep containers from networks that are the machine's own affair, and from using up what is
 * counted per user. Routing rules and a kernel setting, by a container of a moment in the machine's own network: they last
 * until the next boot, so this is done again and again; where all is well nothing is written.
 */
export async function guardMachine(docker: Docker, wanted: Wanted, signal: AbortSignal): Promise<MachineGuard> {
  const subnets = await bridgeSubnets(docker, signal)
  const seen = await runOnMachine(docker, wanted, [['ip', 'rule'], ['cat', '/etc/resolv.conf'], inotifyRead], signal)
  const open = nameServers(seen).filter((address) => isWithin(wanted.networks, address))
  const rules = subnets.flatMap((from) => [
    ...open.map((address) => ({ from, to: `${address}/32`, priority: PRIORITY.open })),
    ...wanted.networks.map((to) => ({ from, to, priority: PRIORITY.blocked })),
  ])
  const known = knownRules(seen)
  const missing = rules.filter(({ from, to, priority }) => !known.has(`${priority} ${from} ${to.replace(/\/32$/, '')}`))
  const writes = [
    ...missing.map(ruleOf),
    ...(Number(/INOTIFY (\d+)/.exec(seen)?.[1]) < INOTIFY.least ? [inotifyWrite] : []),
  ]
  if (writes.length > 0) await runOnMachine(docker, wanted, writes, signal)
  return { blocked: [...wanted.networks], open }
}

type Rule = { from: string; to: string; priority: number }

/** `prohibit` answers at once; packets that are dropped would be waited for. */
const ruleOf = ({ from, to, priority }: Rule): string[] => [
  ...['ip', 'rule', 'add', 'from', from, 'to', to, 'priority', String(priority)],
  ...(priority === PRIORITY.blocked ? ['type', 'prohibit'] : ['table', 'main']),
]

const inotifyRead = ['awk', '{ print "INOTIFY " $1 }', `/inotify/${INOTIFY.file}`]
const inotifyWrite = ['awk', `BEGIN { print ${INOTIFY.value} > ARGV[1] }`, `/inotify/${INOTIFY.file}`]

/** As `ip rule` prints them: "5119: from 172.17.0.0/16 to 169.254.0.0/16 lookup main prohibit". */
function knownRules(printed: string): Set<string> {
  const found = [...printed.matchAll(/^(\d+):\s+from (\S+) to (\S+)/gm)]
  return new Set(found.map(([, priority, from, to]) => `${priority} ${from} ${to?.replace(/\/32$/, '')}`))
}

const nameServers = (printed: string): string[] =>
  [...printed.matchAll(/^nameserver\s+(\S+)/gm)].map(([, address = '']) => address).filter((one) => isIPv4(one))

function isWithin(networks: readonly string[], address: string): boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [base = '', bits = '32'] = network.split('/')
    list.addSubnet(base, Number(bits), 'ipv4')
  }
  return list.check(address, 'ipv4')
}

type Bridge = { IPAM?: { Config?: { Subnet?: string }[] | null } }

async function bridgeSubnets(docker: Docker, signal: AbortSignal): Promise<string[]> {
  const found = await Promise.all(
    BRIDGES.map((name) => unlessMissing(callEngine<Bridge>(docker, { path: `/networks/${name}` }, signal))),
  )
  const subnets = found.flatMap((bridge) => (bridge?.IPAM?.Config ?? []).map(({ Subnet = '' }) => Subnet))
  return subnets.filter((subnet) => isIPv4(subnet.split('/')[0] ?? ''))
}

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../test-kit/until.ts'
import { daemonCalled, endGroup, settleDaemons, startIn } from './group.ts'
import { hierarchies } from './hierarchies.ts'
import { type Network, needNetwork, plug, unplug } from './network.ts'
import { partDir } from './paths.ts'
import { type Argv, run } from './run.ts'
import { tool, toolEnv } from './tools.ts'

// A machine is a process with namespaces of its own, as close to another computer as one kernel gets: own processes,
// network, mounts, /run, host name and cgroup tree. When its first process dies the kernel ends and frees all of it.

export interface Machine {
  name: string
  address: string
  network: Network
  dir: string
}

/** Starts an empty machine; what ran under this name before is gone. */
export async function startMachine(name: string, number: number): Promise<Machine> {
  await endMachine(name)
  await unplug(number)
  const dir = partDir(name)
  mkdirSync(dir, { recursive: true })
  const network = await needNetwork()
  const spaces = ['--mount', '--pid', '--uts', '--ipc', '--net', '--cgroup', '--fork', '--kill-child', '--mount-proc']
  const first: Argv = [
    'unshare',
    ...spaces,
    '--propagation=private',
    '--',
    tool('tini-static'),
    '--',
    'sleep',
    'infinity',
  ]
  const log = join(dir, 'machine.log')
  startIn(name, first, { log, env: toolEnv() })
  const pid = await until(`${name}: waiting for its first process (log: ${log})`, 10_000, () => firstProcess(name))
  settleDaemons(name)
  await plug(network, number, pid)
  const machine = { name, address: network.address(number), network, dir }
  await furnish(machine)
  return machine
}

export async function endMachine(name: string): Promise<void> {
  await endGroup(name)
  rmSync(partDir(name), { recursive: true, force: true })
}

/** Runs a program inside the machine to its end. */
export function runInside(name: string, ...argv: Argv): Promise<string> {
  return run(inside(name, argv), { env: toolEnv() })
}

/** Starts a daemon inside the machine. */
export function startInside(name: string, argv: Argv, options: { log: string; env?: NodeJS.ProcessEnv }): void {
  startIn(name, inside(name, argv), { log: options.log, env: toolEnv(options.env) })
}

function firstProcess(name: string): number | undefined {
  return daemonCalled(name, 'tini-static')
}

function inside(name: string, argv: Argv): Argv {
  const pid = firstProcess(name)
  if (pid === undefined) throw new Error(`${name} is not running: run bin/lab up`)
  // Not `ip netns exec`, which mounts a fresh /sys and hides the cgroups.
  return ['nsenter', `--target=${pid}`, '--mount', '--pid', '--uts', '--ipc', '--net', '--cgroup', '--', ...argv]
}

async function furnish(machine: Machine): Promise<void> {
  const { name, address, network } = machine
  // First of all, so that nothing from inside is ever written to the host's /run.
  const resolver = resolvConf()
  await mountInside(name, '-t', 'tmpfs', 'tmpfs', '/run')
  await mountCgroups(name)
  await bindText(machine, '/etc/resolv.conf', resolver)
  await runInside(name, 'hostname', name)
  const ip = tool('ip')
  await runInside(name, ip, 'addr', 'add', `${address}/24`, 'dev', 'eth0')
  for (const link of ['lo', 'eth0']) await runInside(name, ip, 'link', 'set', link, 'up')
  await runInside(name, ip, 'route', 'add', 'default', 'via', network.gateway)
}

/** Shows a file inside the machine with a content of its own. */
export async function bindText({ dir, name }: Machine, path: string, text: string): Promise<void> {
  const own = join(dir, 'etc', path.replaceAll('/', '_'))
  mkdirSync(join(dir, 'etc'), { recursive: true })
  writeFileSync(own, text)
  // The path may be a link into the host's /run, which is hidden here: make its target anew.
  const target = (await runInside(name, 'realpath', '-m', path)).trim()
  if (target.startsWith('/run/')) {
    await runInside(name, 'mkdir', '-p', join(target, '..'))
    await runInside(name, 'touch', target)
  }
  await mountInside(name, '--bind', own, target)
}

/** Replaces the host's cgroup mounts by ones that start at this machine's own group. */
async function mountCgroups(name: string): Promise<void> {
  await runInside(name, 'umount', '--no-mtab', '--lazy', '--recursive', '/sys/fs/cgroup')
  const [only] = hierarchies()
  if (only?.mountpoint !== '/sys/fs/cgroup') await mountInside(name, '-t', 'tmpfs', 'tmpfs', '/sys/fs/cgroup')
  for (const { mountpoint, unified, options } of hierarchies()) {
    await runInside(name, 'mkdir', '-p', mountpoint)
    if (unified) await mountInside(name, '-t', 'cgroup2', 'cgroup2', mountpoint)
    else await mountInside(name, '-t', 'cgroup', '-o', options, 'cgroup', mountpoint)
  }
}

/** A resolver on the host's loopback cannot be reached from inside; systemd-resolved lists the real ones elsewhere. */
function resolvConf(): string {
  const text = readFileSync('/etc/resolv.conf', 'utf8')
  return /^nameserver 127\./m.test(text) ? readFileSync('/run/systemd/resolve/resolv.conf', 'utf8') : text
}

function mountInside(name: string, ...args: string[]): Promise<string> {
  return runInside(name, 'mount', '--no-mtab', ...args)
}

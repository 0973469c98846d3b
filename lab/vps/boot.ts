import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../test-kit/until.ts'
import { endGroup, startIn } from '../group.ts'
import { hierarchies } from '../hierarchies.ts'
import { needNetwork, plug, unplug } from '../network.ts'
import { labId, partDir } from '../paths.ts'
import { type Argv, lastLines, run } from '../run.ts'
import { tool, toolEnv } from '../tools.ts'
import { type Debian, needRoot } from './root.ts'

/** Beside the machines of the lab's parts, whose numbers are smaller. */
const FIRST_NUMBER = 60
const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const CLEAN = ['env', '--ignore-environment', 'HOME=/root', 'LANG=C.UTF-8', PATH]

type Ended = { code: number; out: string; err: string }
type Input = { input?: string | Buffer; deadlineMs?: number }

/** A rented server: a Debian of its own with systemd, a limit of memory, and no way to anywhere but this machine. */
export type Vps = {
  address: string
  /** Its root as this machine sees it. */
  root: string
  /** One of its files or sockets while it runs, mounts of its own included. */
  path(inside: string): string
  /** Runs a program there to its end, however it ends. */
  ended(argv: Argv, more?: Input): Promise<Ended>
  /** Runs one there that must end well, and answers with what it printed. */
  run(argv: Argv, more?: Input): Promise<string>
  /** What `nsenter` is given to run a program there, for whoever wants to hold its process. */
  entering(argv: Argv): string[]
  /** As somebody pulls the plug and puts it in again. */
  cutPower(): Promise<void>
  /** What its processes have used of the processors since it was made, in seconds. */
  processorSeconds(): number
  remove(): Promise<void>
}

/** `number` tells machines of one lab apart; `from` is a Debian as it comes, or the root of a machine that was one. */
export async function bootVps(number: number, from: Debian | { root: string }, megabytes: number): Promise<Vps> {
  const name = `vps${number}`
  const dir = partDir(name)
  await endGroup(name)
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  const root = join(dir, 'root')
  await run(['cp', '--archive', '--reflink=auto', typeof from === 'string' ? await needRoot(from) : from.root, root])
  furnish(root, name)
  writeFileSync(join(dir, 'meminfo'), meminfo(megabytes))
  let first = await boot({ name, dir, number, megabytes })
  const ended: Vps['ended'] = (argv, more) => enter(name, first, argv, more)
  return {
    address: (await needNetwork()).address(FIRST_NUMBER + number),
    root,
    path: (inside) => join(`/proc/${first}/root`, inside),
    ended,
    async run(argv, more) {
      const { code, out, err } = await ended(argv, more)
      if (code === 0) return out
      throw new Error(`on ${name} ${argv.join(' ')} ended with ${code}:\n${lastLines(err || out, 20)}`)
    },
    entering: (argv) => entering(first, argv),
    async cutPower() {
      await endGroup(name)
      first = await boot({ name, dir, number, megabytes })
    },
    processorSeconds: () => processorSeconds(name),
    async remove() {
      await endGroup(name)
      await unplug(FIRST_NUMBER + number)
      rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 })
    },
  }
}

const groupOf = (name: string) => `slipway-lab-${labId}-${name}`

type Booting = { name: string; dir: string; number: number; megabytes: number }

async function boot({ name, dir, number, megabytes }: Booting): Promise<number> {
  const spaces = ['--mount', '--pid', '--uts', '--ipc', '--net', '--cgroup', '--fork', '--kill-child']
  const script = join(import.meta.dirname, 'first.sh')
  const log = join(dir, 'machine.log')
  await unplug(FIRST_NUMBER + number)
  const begin = ['bash', script, join(dir, 'root'), join(dir, 'meminfo')]
  const outer = startIn(name, ['unshare', ...spaces, '--propagation=private', '--', ...begin], { log, env: toolEnv() })
  limitMemory(name, megabytes)
  const first = await until(`${name}: waiting for its first process (log: ${log})`, 20_000, () => {
    const child = `/proc/${outer}/task/${outer}/children`
    const pid = existsSync(child) ? Number(readFileSync(child, 'utf8').split(' ')[0]) : 0
    return pid > 0 && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'systemd' ? pid : undefined
  })
  await connect(number, first, name)
  await until(`${name}: waiting for systemd (log: ${log})`, 120_000, async () => {
    const { out } = await enter(name, first, ['systemctl', 'is-system-running'])
    return ['running', 'degraded'].includes(out.trim())
  })
  return first
}

async function connect(number: number, pid: number, name: string): Promise<void> {
  const network = await needNetwork()
  const address = network.address(FIRST_NUMBER + number)
  await plug(network, FIRST_NUMBER + number, pid)
  const inside = (...argv: string[]) =>
    run(['nsenter', `--target=${pid}`, '--net', '--', ...(argv as [string])], { env: toolEnv() })
  const ip = tool('ip')
  await inside(ip, 'addr', 'add', `${address}/24`, 'dev', 'eth0')
  for (const link of ['lo', 'eth0']) await inside(ip, 'link', 'set', link, 'up')
  // Nobody is there: whatever it wants of the world, it does not get.
  await inside(ip, 'route', 'add', 'default', 'via', network.gateway.replace(/\d+$/, '250'))
  await run(['nsenter', `--target=${pid}`, '--uts', '--', 'hostname', name])
}

function furnish(root: string, name: string): void {
  writeFileSync(join(root, 'etc/hostname'), `${name}\n`)
  writeFileSync(join(root, 'etc/hosts'), `127.0.0.1 localhost\n127.0.1.1 ${name}\n`)
  rmSync(join(root, 'etc/resolv.conf'), { force: true })
  writeFileSync(join(root, 'etc/resolv.conf'), '')
  // Ours is a process, which has no devices to settle and no disk to check.
  for (const unit of ['systemd-udevd.service', 'systemd-udev-trigger.service', 'systemd-networkd-wait-online.service'])
    rmSync(join(root, 'etc/systemd/system', unit), { force: true })
}

/** What programs take for the size of the machine. */
function meminfo(megabytes: number): string {
  const kilobytes: Record<string, number> = {
    MemTotal: megabytes * 1024,
    MemFree: megabytes * 820,
    MemAvailable: megabytes * 820,
    SwapTotal: 0,
    SwapFree: 0,
  }
  const lines = readFileSync('/proc/meminfo', 'utf8').split('\n')
  return lines
    .map((line) => {
      const [field = ''] = line.split(':')
      return field in kilobytes ? `${field}: ${kilobytes[field]} kB` : line
    })
    .join('\n')
}

function limitMemory(name: string, megabytes: number): void {
  for (const { mountpoint, options } of hierarchies()) {
    const dir = join(mountpoint, groupOf(name))
    const file = [join(dir, 'memory.limit_in_bytes'), join(dir, 'memory.max')].find((one) => existsSync(one))
    if (file && (options.includes('memory') || options === '')) writeFileSync(file, String(megabytes * 1024 ** 2))
  }
}

function processorSeconds(name: string): number {
  for (const { mountpoint } of hierarchies()) {
    const file = join(mountpoint, groupOf(name), 'cpuacct.usage')
    if (existsSync(file)) return Number(readFileSync(file, 'utf8')) / 1e9
  }
  return Number.NaN
}

/** A child is born where its parent is: so that what it uses is counted and limited there, we go in, fork, and come back. */
function bornIn<Child>(name: string, make: () => Child): Child {
  const move = (dir: string) => writeFileSync(join(dir, 'cgroup.procs'), '0')
  try {
    for (const { mountpoint } of hierarchies()) move(join(mountpoint, groupOf(name)))
    return make()
  } finally {
    for (const { own } of hierarchies()) move(own)
  }
}

const SPACES = ['--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup', '--root', '--wd']
const entering = (pid: number, argv: Argv) => [`--target=${pid}`, ...SPACES, '--', ...CLEAN, ...argv]

function enter(
  name: string,
  pid: number,
  argv: Argv,
  { input = '', deadlineMs = 300_000 }: Input = {},
): Promise<Ended> {
  const child = bornIn(name, () => spawn('nsenter', entering(pid, argv)))
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (piece: Buffer) => out.push(piece))
  child.stderr.on('data', (piece: Buffer) => err.push(piece))
  child.stdin.on('error', () => {}) // it may end without having read all of it
  child.stdin.end(input)
  const late = setTimeout(() => child.kill('SIGKILL'), deadlineMs)
  return new Promise((done, fail) => {
    child.on('error', fail)
    child.on('close', (code) => {
      clearTimeout(late)
      done({ code: code ?? 137, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() })
    })
  })
}

import { spawn } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { until } from '../test-kit/until.ts'
import { type Hierarchy, hierarchies } from './hierarchies.ts'
import { labId } from './paths.ts'
import type { Argv } from './run.ts'

// A part's processes live in a cgroup of their own. Membership is inherited and cannot be lost, so `down` finds every
// process of the part (shims and containers of a killed engine too) and never one that only has a recycled process id.

const name = (part: string): string => `slipway-lab-${labId}-${part}`
const dirIn = (hierarchy: Hierarchy, part: string): string => join(hierarchy.mountpoint, name(part))

/** Starts a daemon inside the part's group; its output goes to `log`. */
export function startIn(part: string, argv: Argv, options: { log: string; env: NodeJS.ProcessEnv }): number {
  const dirs = hierarchies()
  for (const hierarchy of dirs) create(hierarchy, part)
  const log = openSync(options.log, 'a')
  const [program, ...args] = argv
  // A child is born in its parent's cgroup and spawn() forks before it returns: so we go in, fork, and come back.
  try {
    for (const hierarchy of dirs) move('0', leaf(hierarchy, part))
    const child = spawn(program, args, { detached: true, env: options.env, stdio: ['ignore', log, log] })
    child.on('error', () => {}) // reported by whoever waits for the daemon to answer
    child.unref()
    return child.pid ?? 0
  } finally {
    for (const hierarchy of dirs) move('0', hierarchy.own)
    closeSync(log)
  }
}

/** Processes started by us, without those an engine put into groups below. */
export function daemons(part: string): number[] {
  const [first] = hierarchies()
  return first ? [...processes(dirIn(first, part)), ...processes(join(dirIn(first, part), 'daemons'))] : []
}

/** The daemon with this command name that is no child of another one, e.g. the server and not its workers. */
export function daemonCalled(part: string, command: string): number | undefined {
  const members = daemons(part)
  const called = members.map(readProcess).filter((process) => process.command === command)
  return called.find((process) => !called.some((other) => other.pid === process.parent))?.pid
}

/** Ends every process of the part, whatever became of its parents, and removes the group. */
export async function endGroup(part: string): Promise<void> {
  await until(`ending the processes of ${part}`, 20_000, () => {
    const alive = hierarchies().flatMap((hierarchy) => everyone(dirIn(hierarchy, part)))
    for (const pid of new Set(alive)) signal(pid, 'SIGKILL')
    return alive.length === 0 ? true : undefined
  })
  await until(`removing the control groups of ${part}`, 10_000, () => {
    const removed = hierarchies().map((hierarchy) => remove(dirIn(hierarchy, part)))
    return removed.every(Boolean) ? true : undefined
  })
}

/**
 * Cgroup v2 allows processes only in leaves once an engine makes groups below: move them one level down. Where v1 shares
 * processor time out, too: as under a service manager, each of an engine's threads must not have as much as all containers.
 */
export function settleDaemons(part: string): void {
  for (const hierarchy of hierarchies().filter(isSettled)) {
    const down = join(dirIn(hierarchy, part), 'daemons')
    mkdirSync(down, { recursive: true })
    for (const pid of processes(dirIn(hierarchy, part))) move(String(pid), down)
  }
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function readProcess(pid: number): { pid: number; command: string; parent: number } {
  const stat = read(`/proc/${pid}/stat`)
  const end = stat.lastIndexOf(')')
  return { pid, command: stat.slice(stat.indexOf('(') + 1, end), parent: Number(stat.slice(end).split(' ')[2]) }
}

function create(hierarchy: Hierarchy, part: string): void {
  const dir = dirIn(hierarchy, part)
  mkdirSync(dir, { recursive: true })
  // A v1 cpuset accepts no process before it is told its processors and memory nodes.
  for (const file of hierarchy.cpuset ? ['cpuset.cpus', 'cpuset.mems'] : [])
    writeFileSync(join(dir, file), read(join(hierarchy.mountpoint, file)))
}

function leaf(hierarchy: Hierarchy, part: string): string {
  const down = join(dirIn(hierarchy, part), 'daemons')
  return isSettled(hierarchy) && existsSync(down) ? down : dirIn(hierarchy, part)
}

const isSettled = ({ unified, shares }: Hierarchy): boolean => unified || shares

function move(pid: string, dir: string): void {
  writeFileSync(join(dir, 'cgroup.procs'), pid)
}

function everyone(dir: string): number[] {
  return [...processes(dir), ...children(dir).flatMap(everyone)]
}

function remove(dir: string): boolean {
  for (const child of children(dir)) remove(child)
  try {
    rmdirSync(dir)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

function processes(dir: string): number[] {
  return read(join(dir, 'cgroup.procs')).split('\n').filter(Boolean).map(Number)
}

function children(dir: string): string[] {
  if (!existsSync(dir)) return []
  const entries = readdirSync(dir, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(dir, entry.name))
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

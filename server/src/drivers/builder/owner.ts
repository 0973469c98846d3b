import { readFileSync, readlinkSync } from 'node:fs'

/**
 * A process is told by its number, the time it started at, because numbers come again, and the space its number belongs
 * to: replicas in containers of their own may share our directories and have the same numbers.
 */
export type Owner = string

export function self(): Owner {
  return [process.pid, Number(startOf(process.pid)), space()].map(short).join('.')
}

/** One of another space cannot be seen from here, and counts as living. */
export function lives(owner: Owner): boolean {
  const [pid, started, where] = owner.split('.').map((part) => Number.parseInt(part, 36))
  return where !== space() ? where !== undefined : startOf(pid ?? 0) === String(started)
}

/** It becomes part of the path of a socket, which may have 107 bytes. */
const short = (part: number) => part.toString(36)

function space(): number {
  return Number(readlinkSync('/proc/self/ns/pid').replace(/\D/g, ''))
}

/** In ticks since boot; field 22, counted after the name, which may hold anything. */
export function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

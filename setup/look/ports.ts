import { tried } from '../argv.ts'

/** Who listens on a port of this machine: the program's name, or that somebody does. */
export type Listeners = Record<number, string>

export async function lookAtPorts(): Promise<Listeners> {
  return readListeners((await tried(['ss', '--no-header', '--listening', '--tcp', '--numeric', '--processes'])) ?? '')
}

export function readListeners(text: string): Listeners {
  const found: Listeners = {}
  for (const line of text.split('\n')) {
    const port = Number(/^\S+\s+\S+\s+\S+\s+\S*?:(\d+)\s/.exec(line)?.[1])
    const program = /users:\(\("([^"]+)"/.exec(line)?.[1]
    if (port && (program || !found[port])) found[port] = program ?? 'another program'
  }
  return found
}

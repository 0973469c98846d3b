import type { Row, Stage } from './stage.ts'
import { arp } from './theft/arp.ts'
import { builds } from './theft/builds.ts'
import { gateway } from './theft/gateway.ts'
import { machine } from './theft/machine.ts'
import { names } from './theft/names.ts'
import { tunnels } from './theft/tunnel.ts'

/** What projects of one server could take from each other over networks, names and sockets, and from the machine. */
export async function theft(stage: Stage): Promise<Row[]> {
  const rows: Row[] = []
  // One after the other: a project's builds wait for those of others, and packets of one try are seen by the next.
  for (const part of [arp, tunnels, gateway, machine, names, builds]) rows.push(...(await part(stage)))
  return rows
}

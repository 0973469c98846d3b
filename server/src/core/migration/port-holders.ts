import type { MigrationStack } from '@slipway/contract/migration-shape'
import type { ServerReader } from '../../drivers/runtime/reading/server-reader.ts'
import { shown } from './carry-over/verdict.ts'
import type { Unit } from './units.ts'

type Holders = MigrationStack['server']['ports']

/** Who has the ports that an edge will want: a container, a Swarm service, or a program of the machine itself. */
export async function portHolders(reader: ServerReader, units: Unit[], ports: number[], ms: number): Promise<Holders> {
  const listening = await reader.listening().catch(() => null)
  return Promise.all(
    ports.map(async (port): Promise<Holders[number]> => {
      const holder = units.find(({ containers }) =>
        containers.some(({ openPorts }) => openPorts.some(({ published }) => published === port)),
      )
      const isListening = listening === null ? null : listening.has(port)
      if (holder !== undefined) {
        const kind = holder.maker === 'swarm' ? 'service' : 'container'
        const name = holder.maker === 'swarm' ? holder.name : (holder.containers[0]?.name ?? holder.name)
        return { port, listening: isListening, by: { kind, name: shown(name) } }
      }
      if (isListening !== true) return { port, listening: isListening, by: null }
      const program = await soon(reader.programAt(port), ms)
      return {
        port,
        listening: true,
        by: { kind: program === null ? 'unknown' : 'program', name: program && shown(program) },
      }
    }),
  )
}

/** Nobody waits longer for what is nice to have, and does without it when it fails. */
export async function soon<T>(work: Promise<T>, ms: number): Promise<T | null> {
  const late = Promise.withResolvers<null>()
  const timer = setTimeout(() => late.resolve(null), ms)
  return Promise.race([work.catch(() => null), late.promise]).finally(() => clearTimeout(timer))
}

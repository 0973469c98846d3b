import type { LoadProcess } from '../load.ts'
import { startBareHop } from './bare-hop.ts'
import type { Ground } from './ground.ts'

const ROUNDS = 15
const WARM_MS = 3000
export const portOf = (url: string) => Number(new URL(url).port)
export const median = (all: number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0

type Side = { port: number; token: string; path: string }
type Round = Record<'through' | 'direct' | 'bare', { ms: number; perSecond: number }>

/**
 * The same question through the hop, directly, and through a hop that does nothing, over as many connections that stay open. In turns whose
 * order changes, so that what else the machine does hits all of them, and each compared with the direct one of its own turn. All processes
 * were started a moment ago: first they run until their code is compiled, for a hop is two of them and a direct call one. One connection
 * tells the latency, many the throughput.
 */
export async function speeds({ cloud, own }: Ground, load: LoadProcess, id: string) {
  const path = `/api/deployments/${id}`
  const through = { port: portOf(own.base()), token: own.token, path }
  const direct = { port: portOf(cloud.base()), token: cloud.token, path }
  const bareHop = await startBareHop(direct)
  try {
    const sides = Object.entries({ through, direct, bare: { ...direct, port: bareHop.port } })
    for (const [, side] of sides) await load.run({ ...side, connections: 32, ms: WARM_MS })
    const rounds: Round[] = []
    for (let n = 0; n < ROUNDS; n++) {
      const round: Partial<Round> = {}
      for (const [name, side] of n % 2 === 0 ? sides : sides.toReversed())
        round[name as keyof Round] = await measured(load, side)
      rounds.push(round as Round)
    }
    return {
      added: median(rounds.map((round) => round.through.ms - round.direct.ms)),
      throughput: median(rounds.map((round) => round.through.perSecond / round.direct.perSecond)),
      bare: median(rounds.map((round) => round.bare.perSecond / round.direct.perSecond)),
    }
  } finally {
    bareHop.stop()
  }
}

async function measured(load: LoadProcess, side: Side) {
  const one = await load.run({ ...side, connections: 1, ms: 300 })
  const many = await load.run({ ...side, connections: 32, ms: 400 })
  if (one.refused + many.refused > 0) throw new Error('some calls were refused')
  return { ms: one.p50Ms, perSecond: many.perSecond }
}

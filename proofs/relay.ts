import { loadavg } from 'node:os'
import { size } from './ledger/sizes.ts'
import { at } from './parts/push/watch.ts'
import { openGround } from './parts/relay/ground.ts'
import { judge } from './parts/relay/judge.ts'
import { storm } from './parts/relay/storm.ts'

export const claim =
  'Every delivery that a cloud has taken for an instance which nobody can reach is acted upon there once, whichever side is killed meanwhile.'
export const kind = 'story'
export const quick = false

const DELIVERIES = size('SLIPWAY_RELAY_DELIVERIES', 10_000)
const REPOSITORIES = size('SLIPWAY_RELAY_REPOSITORIES', 100)
const KILLS = size('SLIPWAY_RELAY_KILLS', 10)
const PER_SECOND = size('SLIPWAY_RELAY_PER_SECOND', 15)
const SEED = 20
const MOST_MEDIAN_MS = 1000
const isPartial = DELIVERIES < 10_000 || REPOSITORIES < 50 || KILLS < 10

export async function prove(): Promise<{ ok: boolean; figure: string; partial?: true }> {
  const ground = await openGround(REPOSITORIES)
  try {
    const told = await storm(ground, { deliveries: DELIVERIES, perSecond: PER_SECOND, kills: KILLS, seed: SEED })
    const seen = await judge(ground, told.sent)
    const median = at(seen.decided, 0.5)
    const faults = [
      ...fault(seen.lost, 'deliveries are not at the instance'),
      ...fault(seen.twice, 'deliveries were taken more than once'),
      ...fault(seen.undecided, 'deliveries are not decided'),
      ...fault(seen.strange, 'deliveries are here that nobody sent'),
      ...fault(seen.otherwise, 'deliveries were decided otherwise than they should be'),
      ...fault(seen.untold, 'moves were found and not told'),
      ...fault(seen.heads, 'branches are not at their newest commit, or moved without a delivery'),
      ...fault(seen.deployedTwice, 'moves were deployed more than once'),
      ...fault(Math.abs(seen.relayed - told.sent.length), 'numbers were given for nothing, or none was'),
      ...fault(Math.abs(seen.seen - seen.relayed), 'numbers lie between the cloud and the instance'),
      ...fault(median < MOST_MEDIAN_MS ? 0 : 1, 'median that is too high'),
    ]
    for (const one of faults) console.log(`  FAULT ${one}`)
    const figure = [
      `${told.sent.length} deliveries to ${REPOSITORIES} repositories in ${Math.round(told.ms / 1000)} s, the cloud killed ${told.cloudKills} times and the instance ${told.ownKills} times`,
      `${seen.lost} lost, ${seen.twice} taken twice, ${seen.undecided} undecided, ${seen.heads} branches wrong, ${seen.deployedTwice} moves deployed twice (${seen.deployments} deployments)`,
      `numbers up to ${seen.seen} of ${seen.relayed}`,
      `from the cloud's 202 to the decision here p50 ${seconds(median)} s (bar ${MOST_MEDIAN_MS / 1000} s), p99 ${seconds(at(seen.decided, 0.99))} s, worst ${seconds(at(seen.decided, 1))} s, those that met a restart among them; to when it is here p50 ${seconds(at(seen.taken, 0.5))} s, p99 ${seconds(at(seen.taken, 0.99))} s`,
      `load average ${loadavg()[0]?.toFixed(1)}`,
    ].join('; ')
    return { ok: faults.length === 0, figure, ...(isPartial && { partial: true }) }
  } finally {
    await ground.close()
  }
}

const fault = (count: number, words: string) => (count === 0 ? [] : [`${count} ${words}`])
const seconds = (ms: number) => (ms / 1000).toFixed(2)

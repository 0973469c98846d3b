import type { Serving } from '@slipway/contract/serving'
import type { Tone } from '../ui/title.ts'

type Row = Serving['data'][number]
type Told = { health: string; tone: Tone; note: string | null }

/** What the engine says of one service, in words. Amber: it is not what the active release has, or not all of it is up. */
export function servingInWords(row: Row, active: Serving['active']): Told {
  const { wanted, running, healthy } = row.replicas
  if (row.deploymentId === null) return { health: 'Nothing runs', tone: 'bad', note: partOf(active) }
  if (wanted === 0 && running > 0) return { health: `${running} on the way out`, tone: 'idle', note: null }
  const health = `${healthy}/${wanted} healthy`
  const tone = wanted === 0 ? 'idle' : healthy >= wanted ? 'ok' : healthy === 0 ? 'bad' : 'ask'
  return { health: wanted === 0 ? 'Set to none' : health, tone, note: row.asReleased ? null : differs(active) }
}

const partOf = (active: Serving['active']) => (active ? `part of #${active.number}` : null)
const differs = (active: Serving['active']) =>
  active ? `not what #${active.number} has of it` : 'of no active release'

import type { Deployment } from '@slipway/contract/deployment-shape'
import { isFinished } from '@slipway/contract/deployment-states'
import type { Serving } from '@slipway/contract/serving'
import { listed } from '../consequences.ts'

type Seen = Pick<Deployment, 'id' | 'number' | 'status' | 'decision' | 'active'>

/** What visitors get at this moment, in one sentence that is true in this very state; null where nothing is known. */
export function servingInWords(deployment: Seen, serving: Serving): string | null {
  const { active, data } = serving
  if (serving.target === 'cloud' || serving.seenAt === null) return null
  const running = data.filter(({ replicas }) => replicas.running > 0)
  const mine = running.filter(({ deploymentId, asReleased }) => deploymentId === deployment.id && !asReleased)
  if (active === null)
    return mine.length > 0 ? 'No release yet; what came up of this one runs.' : 'Visitors get nothing yet.'
  const release = `#${active.number}`
  if (running.length === 0)
    return deployment.active ? 'Nothing of it runs now.' : `Nothing runs now, not even ${release}.`
  if (mine.length > 0) return movingInWords(deployment, release, names(mine))
  const others = running.filter(({ asReleased }) => !asReleased)
  if (others.length > 0) return `${names(others)} ${others.length === 1 ? 'is' : 'are'} not what ${release} has.`
  if (deployment.active) return null
  return stillInWords(deployment, active.number)
}

const names = (rows: Serving['data']) => listed([...new Set(rows.map(({ service }) => service))])
const isOnTheWay = ({ status }: Seen) => !isFinished(status)

function movingInWords({ status, decision }: Seen, release: string, moved: string): string {
  if (decision === 'pending') return `Visitors get what came up of this one, and ${release} for the rest.`
  if (status === 'deploying') return `Services move from ${release} to this one, one after the other.`
  return `${moved} of this one still runs; the active release is ${release}.`
}

function stillInWords(deployment: Seen, active: number): string {
  if (isOnTheWay(deployment)) return `Visitors get #${active} until this one is ready.`
  return deployment.number < active ? `Visitors get #${active}, which is newer.` : `Visitors still get #${active}.`
}

import { scriptWeights } from '../test-kit/script-weight.ts'
import { provedDashboard } from './parts/dashboard/proved-dashboard.ts'

export const claim =
  'A first visit to any page of the dashboard loads at most 300 kB of script, as it is sent with gzip.'
export const kind = 'figure'
export const quick = true

const MOST_KB = 300
/** Whatever weighs less was not built. */
const LEAST_KB = 50

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const weights = scriptWeights(provedDashboard()).map(({ page, bytes }) => ({ page, kb: Math.round(bytes / 1000) }))
  const [lightest, ...rest] = weights.toSorted((a, b) => a.kb - b.kb)
  const heaviest = rest.at(-1)
  const ok = lightest !== undefined && heaviest !== undefined && lightest.kb > LEAST_KB && heaviest.kb <= MOST_KB
  const told = (one: typeof lightest) => `${one?.kb} kB (${one?.page.split('/').at(-1)})`
  return { ok, figure: `${weights.length} pages, from ${told(lightest)} to ${told(heaviest)}; bar ${MOST_KB}` }
}

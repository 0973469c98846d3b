import { CONDITIONS } from './conditions.ts'
import { judged, ROUTES, shownWanted, wantedOf } from './matrix.ts'
import type { Stage, Tenant } from './stage.ts'

/** The same questions while the host is fine, held against what another state of it would have answered: all must be noticed. */
export async function control(stage: Stage, org: Tenant): Promise<{ made: number; missed: number }> {
  const states = CONDITIONS.filter(({ sources, wanted, isLast }) => sources.includes('app') && wanted && !isLast)
  const asking = ROUTES.filter((route) => route.asksHost('app') && route.name !== 'GET clone-token')
  let [made, missed] = [0, 0]
  for (const route of asking) {
    const fine = CONDITIONS[0]
    if (!fine) throw new Error('there is no state in which the host is fine')
    const answer = await route.ask({ stage, org, source: 'app', condition: fine })
    for (const condition of states) {
      const wanted = wantedOf(route, 'app', condition)
      made++
      if (JSON.stringify(judged(answer, wanted)) === JSON.stringify(shownWanted(wanted))) missed++
    }
  }
  return { made, missed }
}

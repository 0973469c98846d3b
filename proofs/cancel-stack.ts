import { openBench, openSite } from './parts/faults/bench.ts'
import { cancelStack } from './parts/faults/cancel-stack.ts'
import { verdict } from './parts/faults/cancel-verdict.ts'
import { installHolds } from './parts/faults/hold.ts'

export const claim =
  'a cancel ends the deployment of a stack of six services within 5 s at any step, and all six are as they were; one that is being put back is not cancelled'
export const kind = 'story'
export const quick = false

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const site = await openSite({ name: 'cancels' })
  try {
    await site.start()
    await site.addLocalServer()
    const bench = await openBench(site)
    await installHolds(bench.pool)
    return await verdict(bench, await cancelStack(bench))
  } finally {
    await site.close()
  }
}

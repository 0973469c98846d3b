import { isOver } from '../../../test-kit/deployment.ts'
import { engineAt } from '../../../test-kit/engine.ts'
import { openSite, type Site } from '../../../test-kit/site.ts'
import { type Bench, openBench } from '../faults/bench.ts'

/** Something that happens around an instance, and what must hold then. Tells what did not. */
export type Story = { name: string; run(): Promise<string[]> }

type Options = Parameters<typeof openSite>[0] & {
  before?: (site: Site) => Promise<void>
  /** Into a PostgreSQL of the story's own. */
  pool?: Bench['pool']
}
type Work = (bench: Bench, site: Site) => Promise<string[]>

/** An instance of its own with a release that is asked for all the time: no visitor may notice anything. */
export async function onSite({ before, pool, ...options }: Options, work: Work): Promise<string[]> {
  const site = await openSite(options)
  try {
    await before?.(site)
    await site.start()
    await site.addLocalServer()
    const bench = await openBench(site, pool)
    const wrong = await work(bench, site)
    const { failed, asked } = await bench.prober.stop()
    const lost = failed.length === 0 ? [] : [`${failed.length} of ${asked} visitors got nothing: ${failed[0]}`]
    return [...wrong, ...lost, ...(await untrue(bench, site))]
  } finally {
    await site.close()
  }
}

/** Whether the release that is called active is the one that the engine runs and visitors see. */
async function untrue({ steady }: Bench, site: Site): Promise<string[]> {
  const { data } = await site.ask('GET', `/api/deployments?projectId=${steady}&limit=50`)
  const active = data.filter((one: { active: boolean }) => one.active)
  const unfinished = data.filter((one: { status: string }) => !isOver(one as never))
  const label = [`slipway.project=${steady}`, 'slipway.service']
  const [service] = await engineAt(site.engine.socket).listServices({ filters: { label } })
  const runs = service?.Spec?.Labels?.['slipway.deployment']
  const { status } = await site.visit('steady')
  return [
    ...(active.length === 1 ? [] : [`${active.length} releases are called active`]),
    ...(runs === active[0]?.id ? [] : [`the engine runs ${runs}, and ${active[0]?.id} is called active`]),
    ...(unfinished.length === 0 ? [] : [`${unfinished.length} deployments never end`]),
    ...(status === 200 ? [] : [`a visitor gets ${status}`]),
  ]
}

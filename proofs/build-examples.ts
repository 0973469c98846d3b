import { acceptedByBuildKit } from './parts/dockerfile-check.ts'
import { type HttpCheck, partsOf, type Runnable } from './parts/examples.ts'
import { openSite, type Site } from './parts/site.ts'

export const claim =
  'Every Node, static and Dockerfile example is built, runs and answers; the other Dockerfiles are accepted by BuildKit.'
export const quick = false

/** As many as a server builds at a time. */
const AT_ONCE = 2
const MOST_SECONDS = 20 * 60

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const { run, checked, later } = partsOf()
  const began = performance.now()
  const site = await openSite({ name: 'examples' })
  const faults: string[] = []
  try {
    await site.start()
    await site.addLocalServer()
    const waiting = run.values()
    const worker = async () => {
      for (const part of waiting) faults.push(...(await deployAndAsk(site, part)))
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    for (const part of checked) faults.push(...(await acceptedByBuildKit(site.engine, part)))
  } finally {
    await site.close()
  }
  for (const fault of faults) console.log(`  WRONG ${fault}`)
  const minutes = ((performance.now() - began) / 60_000).toFixed(0)
  const figure = `${run.length} built, run and asked, ${checked.length} Dockerfiles of other stacks parsed by BuildKit and begun, ${faults.length} faults, in ${minutes} min; left for later: ${later.length} with a compose file`
  return { ok: faults.length === 0, figure }
}

/** One example through the whole product: upload, build, rollout, edge. What went wrong, as sentences. */
async function deployAndAsk(site: Site, { name, files, test }: Runnable): Promise<string[]> {
  const began = performance.now()
  try {
    const projectId = await site.project(name)
    const service = { name: 'web', ...(test.rootDirectory != null && { rootDirectory: test.rootDirectory }) }
    const id = await site.deploy(projectId, files, { services: [service] })
    const deployed = await site.ended(id, MOST_SECONDS)
    if (deployed.status !== 'ready') return [`${name}: ${deployed.status}: ${JSON.stringify(deployed.error)}`]
    const checks = [test.httpCheck, ...(test.alsoCheck ?? [])].filter((check) => check !== undefined)
    const faults = (await Promise.all(checks.map((check) => ask(site, name, check)))).filter((fault) => fault !== null)
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    console.log(
      `  ${faults.length === 0 ? 'ok' : 'WRONG'} ${name} in ${seconds} s, build ${deployed.timing.buildMs} ms`,
    )
    await site.call('DELETE', `/api/deployments/${id}?force=true`)
    return faults
  } catch (error) {
    return [`${name}: ${(error as Error).message}`]
  }
}

const ASK_MS = 30_000

async function ask(site: Site, name: string, { path, status, body }: HttpCheck): Promise<string | null> {
  const deadline = Date.now() + ASK_MS
  for (;;) {
    const seen = await site.visit(name, path).catch((error: Error) => ({ status: 0, text: error.message }))
    if (seen.status === status && seen.text.includes(body)) return null
    if (Date.now() > deadline)
      return `${name}: ${path} answered ${seen.status} ${JSON.stringify(seen.text.slice(0, 200))}`
    await new Promise((done) => setTimeout(done, 250))
  }
}

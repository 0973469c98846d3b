import type { HttpCheck, Runnable } from '../../test-kit/examples.ts'
import type { Site } from '../../test-kit/site.ts'
import { until } from '../../test-kit/until.ts'

const MOST_SECONDS = 15 * 60
const ASK_MS = 30_000
const LAST_LINES = 12

/** One example through the whole product: upload, build, rollout, edge. What went wrong, as sentences. */
export async function deployAndAsk(site: Site, { name, files, test }: Runnable): Promise<string[]> {
  const began = performance.now()
  const checks = [test.httpCheck, ...(test.alsoCheck ?? [])].filter((check) => check !== undefined)
  if (checks.length === 0) return ['its test.json has no httpCheck']
  try {
    const id = await site.deploy(await site.project(name), files, { services: servicesOf(test) })
    const { status, error, timing } = await site.ended(id, MOST_SECONDS)
    if (status !== 'ready') return [`${status}: ${JSON.stringify(error)}${await lastLines(site, id)}`]
    const answers = await Promise.all(checks.map((check) => ask(site, name, check)))
    const faults = answers.filter((fault) => fault !== null)
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    const built = ((timing.buildMs ?? 0) / 1000).toFixed(1)
    console.log(`  ${faults.length === 0 ? 'ok' : 'WRONG'} ${name} in ${seconds} s, of which build ${built} s`)
    const gone = await site.call('DELETE', `/api/deployments/${id}?force=true`)
    return gone.status < 300 ? faults : [...faults, `it could not be removed: ${gone.status} ${gone.text}`]
  } catch (error) {
    return [(error as Error).message]
  }
}

/** A compose file says itself which services there are; the name of the project leads to the one that is asked. */
function servicesOf({ strategy, rootDirectory, httpCheck }: Runnable['test']): object[] {
  if (strategy !== 'compose') return [{ name: 'web', ...(rootDirectory != null && { rootDirectory }) }]
  return httpCheck?.service === undefined ? [] : [{ name: httpCheck.service, exposed: true }]
}

async function ask(site: Site, name: string, { path, status, body }: HttpCheck): Promise<string | null> {
  let seen = { status: 0, text: '' }
  const answers = async () => {
    seen = await site.visit(name, path).catch((error: Error) => ({ status: 0, text: error.message }))
    return seen.status === status && seen.text.includes(body)
  }
  return until(`${path} answers`, ASK_MS, answers, { everyMs: 250 }).then(
    () => null,
    () => `${path} answered ${seen.status} ${JSON.stringify(seen.text.slice(0, 200))}`,
  )
}

async function lastLines(site: Site, id: string): Promise<string> {
  const { text } = await site.call('GET', `/api/deployments/${id}/logs?format=text`)
  return ['', ...text.trim().split('\n').slice(-LAST_LINES)].join('\n      ')
}

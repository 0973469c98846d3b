import type { Site } from '../../../test-kit/site.ts'
import { until } from '../../../test-kit/until.ts'
import { visit } from '../../../test-kit/visit.ts'
import { type Arrived, quoted } from './arrive.ts'
import { type Hostile, names, sample } from './samples.ts'

/** Spaces and control characters are in no name. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const isWord = (text: string) => text !== '' && text.length < 200 && !/[\s\0-\x1f\x7f]/.test(text)

/**
 * Images, repositories and branches that are not there: each deployment must end as failed, with words that are not our
 * own fault's. What was said on the way there is in the records.
 */
export async function throughSources(site: Site, hostile: Hostile, count: number): Promise<Arrived> {
  const words = sample(hostile, count, isWord)
  const wishes = words.flatMap((word, n) => [
    { what: 'image', value: word, project: {}, body: { image: word } },
    { what: 'image', value: `host.invalid/${word}`, project: {}, body: { image: `host.invalid/${word}` } },
    { what: 'branch', value: word, project: { repository: `https://127.0.0.1:1/${n}.git` }, body: { branch: word } },
    { what: 'repository', value: word, project: { repository: `https://127.0.0.1:1/${word}` }, body: {} },
    { what: 'repository', value: word, project: { repository: `git@127.0.0.1:${word}` }, body: {} },
    { what: 'repository', value: word, project: { repository: `ssh://git@${word}/a.git` }, body: {} },
  ])
  const faults: string[] = []
  let taken = 0
  const one = async ({ what, value, project, body }: (typeof wishes)[number], n: number) => {
    const made = await site.call('POST', '/api/projects', { name: `source ${n}`, ...project })
    if (made.status >= 300) return
    const asked = await site.call('POST', '/api/deployments/build/access', { projectId: made.body.id, ...body })
    if (asked.status >= 500) faults.push(`${what} ${quoted(value)}: ${asked.status}`)
    if (asked.status >= 300) return
    taken++
    const { status, error } = await site.ended(asked.body.deployment_id, 120)
    if (status !== 'failed' || error === null || error.code === 'internal' || error.hint === null)
      faults.push(`${what} ${quoted(value)} ended as ${status}: ${JSON.stringify(error)}`)
  }
  await inParallel(wishes, 16, one)
  return { values: taken, faults }
}

/** Projects and services with names that an engine would not take, at host names and paths: each answers at its address. */
export async function throughNames(site: Site, hostile: Hostile, count: number): Promise<Arrived> {
  const projects = sample(
    hostile,
    300,
    (text) => /^[^\p{Cc}\p{Cf}]+$/u.test(text) && text.trim() !== '' && text.length <= 80,
  )
  const services = names(hostile, count, /^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$/)
  const labels = names(hostile, count, /^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/)
  const paths = names(hostile, count, /^(\/[A-Za-z0-9_~-]{1,20}){1,4}$/)
  const faults: string[] = []
  const chosen = projects.filter((_, n) => n % Math.ceil(projects.length / count) === 0).slice(0, count)
  await inParallel(chosen, 3, async (name, n) => {
    const id = await site.project(`${name.trim().slice(0, 70)} ${n}`)
    const host = `${labels[n]}-${n}.example`
    const command = ['httpd', '-f', '-p', '8080', '-h', '/']
    const service = { name: services[n], port: 8080, memoryMb: 16, command }
    const publicEndpoints = [{ domainType: 'free' }, { customDomain: host, targetPath: paths[n] }]
    const body = { projectId: id, image: 'busybox:1', services: [service], publicEndpoints }
    const made = await site.ask('POST', '/api/deployments/build/access', body)
    const { status, error, urls } = await site.ended(made.deployment_id)
    if (status !== 'ready')
      return void faults.push(`${quoted(name)} with ${services[n]} ended as ${status}: ${JSON.stringify(error)}`)
    for (const url of urls) {
      const { hostname, pathname } = new URL(url)
      const answer = await answering(site, hostname, pathname)
      if (answer !== 404) faults.push(`${url} of ${quoted(name)} with ${services[n]} answers ${answer}`)
    }
    await site.ask('DELETE', `/api/deployments/${made.deployment_id}?force=true`)
  })
  return { values: 4 * chosen.length, faults }
}

/** busybox has no page at such a path and says so itself: 404 with its own words. The edge would say nothing. */
async function answering(site: Site, host: string, path: string): Promise<number> {
  const at = { address: site.engine.address, port: site.httpPort }
  let seen = { status: 0, text: '' }
  const answers = async () => {
    seen = await visit(at, host, `${path.replace(/\/$/, '')}/nothing-here`)
    return seen.status === 404 && seen.text.includes('404')
  }
  await until('busybox answers', 10_000, answers, { everyMs: 200 }).catch(() => {})
  return seen.status
}

/** Answers to a question that a deployment waits at: only the right name is one. */
export async function throughPrompts(site: Site, hostile: Hostile, count: number): Promise<Arrived> {
  const id = await site.project('asked', { settings: { approveBuild: true } })
  const body = { projectId: id, image: 'host.invalid/none' }
  const { deployment_id } = await site.ask('POST', '/api/deployments/build/access', body)
  await site.until(deployment_id, ({ waitingOn }) => waitingOn?.promptId === 'approve_build')
  const faults: string[] = []
  const respond = (answer: object) => site.call('POST', `/api/deployments/${deployment_id}/build/respond`, answer)
  for (const promptId of sample(hostile, count)) {
    const { status } = await respond({ promptId, action: 'approve', value: promptId.slice(0, 1000) })
    if (status !== 400) faults.push(`the prompt ${quoted(promptId)} was answered with ${status}`)
  }
  const [value = ''] = sample(hostile, 1)
  const { status } = await respond({ promptId: 'approve_build', action: 'approve', value })
  if (status !== 202) faults.push(`the right prompt with the value ${quoted(value)} was answered with ${status}`)
  await site.ended(deployment_id)
  return { values: count + 1, faults }
}

async function inParallel<T>(all: T[], most: number, work: (one: T, n: number) => Promise<void>): Promise<void> {
  const left = all.entries()
  await Promise.all(
    Array.from({ length: most }, async () => {
      for (const [n, one] of left) await work(one, n)
    }),
  )
}

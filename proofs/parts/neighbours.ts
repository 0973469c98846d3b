import type { Site } from '../../test-kit/site.ts'
import { visit } from '../../test-kit/visit.ts'

/** `answered`: how many of them were asked after all had come, and answered. */
export type Neighbours = { answered: number; seconds: number }

const AT_ONCE = 2

/** A prebuilt image that is on every engine of the lab; checked rarely once it runs, for there are many of them. */
const service = {
  name: 'web',
  command: ['httpd', '-f', '-p', '8080', '-h', '/etc'],
  port: 8080,
  healthcheck: { intervalMs: 600_000 },
}

/** Adds small projects with names of their own, a few at a time; each must answer as soon as it is said to be ready. */
export async function addNeighbours(site: Site, count: number): Promise<Neighbours> {
  const began = performance.now()
  const names = Array.from({ length: count }, (_, n) => `neighbour-${n + 1}`)
  const waiting = names.values()
  const lane = async () => {
    for (const name of waiting) await add(site, name)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  const seconds = (performance.now() - began) / 1000
  const answers = await Promise.all(names.map((name) => answersAt(site, name)))
  console.log(`  ${count} projects added in ${seconds.toFixed(0)} s`)
  return { answered: answers.filter(Boolean).length, seconds }
}

async function add(site: Site, name: string): Promise<void> {
  const projectId = await site.project(name)
  const wanted = { projectId, image: 'busybox:1', services: [service] }
  const { deployment_id } = await site.ask('POST', '/api/deployments/build/access', wanted)
  const { status, error } = await site.ended(deployment_id)
  if (status !== 'ready') throw new Error(`${name}: ${status} ${JSON.stringify(error)}`)
  if (!(await answersAt(site, name))) throw new Error(`${name} is ready and does not answer`)
}

async function answersAt(site: Site, name: string): Promise<boolean> {
  const at = { address: site.engine.address, port: site.httpPort }
  const { status } = await visit(at, site.host(name), '/hostname')
  return status === 200
}

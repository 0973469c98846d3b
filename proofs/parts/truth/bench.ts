import type { Deployment } from '@slipway/contract/deployment-shape'
import { isOver } from '../../../test-kit/deployment.ts'
import { engineAt } from '../../../test-kit/engine.ts'
import type { Site } from '../../../test-kit/site.ts'
import { application } from './application.ts'

/** What is to be deployed: the application of the lab's Node image by default. */
export type Wish = {
  /** How it behaves; see `application.ts`. */
  env?: Record<string, string>
  /** Of the service. */
  config?: object
  /** Instead of the default image. */
  from?: object
}

/** Short times, so that a failed check shows within seconds. */
const health = { path: '/healthz', intervalMs: 500, timeoutMs: 3000, retries: 3, startPeriodMs: 4000 }

export type Serving = { slug: string; projectId: string; first: Deployment }
export type Bench = ReturnType<typeof openBench>

/** What the cases have in common: deploying, looking, and asking through the edge. */
export function openBench(site: Site, serverId: string) {
  const docker = engineAt(site.engine.socket)

  const send = async (projectId: string, { env = {}, config = {}, from }: Wish): Promise<string> => {
    const source = from ?? { image: 'node:24-slim' }
    const own = from === undefined ? { command: ['node', '-e', application], port: 3000, healthcheck: health } : {}
    const service = { name: 'web', ...own, ...config, ...(from === undefined && { environment: env }) }
    const body = { projectId, services: [service], ...source }
    return (await site.ask('POST', '/api/deployments/build/access', body)).deployment_id
  }
  const end = (id: string): Promise<Deployment> => site.until(id, isOver, 170)

  /** A project whose first release serves. */
  const serving = async (slug: string, more: Wish = {}): Promise<Serving> => {
    const projectId = await site.project(slug, { serverId })
    const first = await end(await send(projectId, { ...more, env: { VERSION: 'v1', ...more.env } }))
    if (first.status !== 'ready') throw new Error(`the first release is not up: ${JSON.stringify(first.error)}`)
    return { slug, projectId, first }
  }
  const idle: Serving[] = []
  let made = 0
  /** Of all visitors while something failed: how many asked, and the longest time without an answer. */
  const visits = { asked: 0, gapMs: 0 }

  return {
    site,
    docker,
    visits,
    send,
    end,
    deploy: async (projectId: string, wish: Wish) => end(await send(projectId, wish)),
    project: (name: string, more: object = {}) => site.project(name, { serverId, ...more }),
    serving,
    /** The same for one case after the other: what has survived one failure is there for the next. */
    borrow: async (work: (serving: Serving) => Promise<string[]>): Promise<string[]> => {
      const lent = idle.pop() ?? (await serving(`lent-${++made}`))
      const complaints = await work(lent)
      if (complaints.length === 0) idle.push(lent)
      return complaints
    },
    /** The engine's service of a project, if there is one. */
    service: async (projectId: string) => {
      const label = [`slipway.project=${projectId}`, 'slipway.service']
      const [found] = await docker.listServices({ filters: { label } })
      return found
    },
    /** Containers of a deployment that run now. */
    containers: (deploymentId: string) =>
      docker.listContainers({ filters: { label: [`slipway.deployment=${deploymentId}`] } }),
    /** The line of a deployment's log with this number. */
    line: async (id: string, seq: number): Promise<string | undefined> => {
      const { data } = await site.ask('GET', `/api/deployments/${id}/logs?limit=5000`)
      return data.find((one: { seq: number }) => one.seq === seq)?.line
    },
    lines: async (id: string): Promise<string[]> => {
      const { data } = await site.ask('GET', `/api/deployments/${id}/logs?limit=5000`)
      return data.map((one: { line: string }) => one.line)
    },
  }
}

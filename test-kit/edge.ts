import { randomBytes } from 'node:crypto'
import { type Agent, request } from 'node:http'
import type Docker from 'dockerode'
import { alias } from '../server/src/drivers/edge/alias.ts'
import { NAME_LABEL } from '../server/src/drivers/edge/container.ts'
import type { Edge, EdgeRoute, EdgeSettings } from '../server/src/drivers/edge/edge.ts'
import { until } from './until.ts'

// For the tests of the edge: services behind an edge, and questions to it. It knows no lab; they pass that in.

export type EdgeBench = { name: string; project: string; settings: EdgeSettings }

/** Names and ports that no other run has. */
export function edgeBench(image: string): EdgeBench {
  const run = randomBytes(3).toString('hex')
  const httpPort = 20_000 + Math.floor(Math.random() * 5000) * 2
  const name = `edge-test-${run}`
  return { name, project: `prj_e${run}`, settings: { image, httpPort, httpsPort: httpPort + 1, instance: name } }
}

const networkOf = (name: string) => `${name}-project`

/** The network of the project and the way into it, as the runtime and a deployment make them. */
export async function openProject(docker: Docker, edge: Edge<null>, { name, project, settings }: EdgeBench) {
  await docker.createNetwork({ Name: networkOf(name), Driver: 'overlay', Internal: true })
  await edge.gateways.open(null, { project, org: 'org_e', network: networkOf(name) }, settings, { wait: true })
}

/** Says which version it is, finishes what it has begun when told to stop, and can try to open connections. */
const program = `
  const http = require('node:http'), net = require('node:net')
  const server = http.createServer((request, response) => {
    const url = new URL(request.url, 'http://x')
    const answer = (more) => response.end(JSON.stringify({ version: process.env.VERSION, path: request.url, host: request.headers.host, ...more }))
    request.resume().on('end', () => {
      if (url.pathname === '/headers') return answer({ headers: request.headers })
      if (url.pathname !== '/connect') return answer({})
      const socket = net.connect(Number(url.searchParams.get('port')), url.searchParams.get('host'))
      socket.on('connect', () => { socket.destroy(); answer({ result: 'open' }) }).on('error', (error) => answer({ result: error.code }))
    })
  }).listen(8080)
  process.on('SIGTERM', () => server.close(() => process.exit(0)))`

const SECOND = 1e9
export function appSpec({ name, project }: EdgeBench, service: string, version: string, replicas: number) {
  const order = { Parallelism: 1, Order: 'start-first' as const, Monitor: SECOND, FailureAction: 'pause' as const }
  const Healthcheck = {
    Test: ['CMD', 'wget', '-q', '-O', '/dev/null', 'http://127.0.0.1:8080/'],
    ...{ Interval: SECOND, Timeout: 5 * SECOND, Retries: 3, StartPeriod: 20 * SECOND, StartInterval: SECOND / 2 },
  }
  return {
    Name: `${name}-${service}`,
    Mode: { Replicated: { Replicas: replicas } },
    EndpointSpec: { Mode: 'dnsrr' as const },
    UpdateConfig: order,
    TaskTemplate: {
      ContainerSpec: {
        Image: 'node:24-slim',
        Command: ['node', '-e', program],
        Env: [`VERSION=${version}`],
        Init: true,
        StopGracePeriod: 10 * SECOND,
        Healthcheck,
      },
      Networks: [{ Target: networkOf(name), Aliases: [alias(project, service)] }],
    },
  }
}

export const routeTo = (
  { project }: EdgeBench,
  host: string,
  service = 'web',
  pathPrefix: string | null = null,
): EdgeRoute => ({ host, pathPrefix, project, service, port: 8080 })

export type Answer = { status: number; body: string; json: Record<string, string>; location: string | undefined }
export type Question = {
  address: string
  port: number
  host: string
  path?: string
  agent?: Agent | false
  method?: string
  headers?: Record<string, string>
}

export function ask(question: Question): Promise<Answer> {
  const { address, port, host, path = '/', agent = false, method = 'GET', headers = {} } = question
  return new Promise((resolve, reject) => {
    const where = { host: address, port, agent, method, path, timeout: 10_000 }
    const call = request(
      { ...where, headers: { ...headers, host, connection: agent ? 'keep-alive' : 'close' } },
      (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (chunk) => {
          body += chunk
        })
        response.on('error', reject)
        response.on('end', () => {
          const json = body.startsWith('{') ? JSON.parse(body) : {}
          resolve({ status: response.statusCode ?? 0, body, json, location: response.headers.location })
        })
      },
    )
    call.on('timeout', () => call.destroy(new Error('no answer for 10 s')))
    call.on('error', reject).end(method === 'POST' ? 'abcd' : undefined)
  })
}

export const answers = (question: Question, status = 200) =>
  until(`${question.host} answers ${status}`, 30_000, async () => {
    const answer = await ask(question).catch(() => undefined)
    return answer?.status === status && answer
  })

/** The container that answers now; the task list still names one that was just killed. */
export async function containerOf(docker: Docker, name: string) {
  const filters = { label: [`${NAME_LABEL}=${name}`], health: ['healthy'] }
  const found = await until('the edge runs', 30_000, async () => (await docker.listContainers({ filters }))[0])
  return docker.getContainer(found.Id)
}

/** The edge and all services that were put behind it. */
export async function servicesGone(docker: Docker, { name }: EdgeBench): Promise<void> {
  const services = await docker.listServices({ filters: { name: [`${name}-`] } })
  await Promise.all(services.map(({ ID }) => docker.getService(ID).remove()))
  await until('the network of the project is free', 30_000, () =>
    docker
      .getNetwork(networkOf(name))
      .remove()
      .then(
        () => true,
        (error) => error.statusCode === 404,
      ),
  )
}

import { get } from 'node:http'
import { expect, test } from 'vitest'
import { labPart } from '../../../lab/ask.ts'
import { startSite } from '../../../test-kit/site-in-process.ts'

const site = await startSite('entries')
/** Below every port that an edge of the tests may have: 20,000 and up. */
const published = 10_000 + (site.httpPort % 5000)
const FRONT = `FROM busybox:1
COPY page /page
CMD mkdir -p /data/x; cp /page /data/x/index.html; echo "$GREETING" > /data/greeting; exec httpd -f -p 8080 -h /data
`
const services = [
  {
    name: 'back',
    image: 'busybox:1',
    command: ['httpd', '-f', '-p', '9090', '-h', '/shared'],
    port: 9090,
    dependsOn: ['front'],
    volumes: ['data:/shared:ro'],
  },
  {
    name: 'front',
    build: 'parts',
    dockerfile: 'Other.dockerfile',
    port: 8080,
    exposed: true,
    ports: [`${published}:8080`],
    environment: { GREETING: 'moin' },
    volumes: ['data:/data'],
  },
]
const publicEndpoints = [
  { port: 8080 },
  { port: 9090, domainType: 'custom', customDomain: 'back.entries.example', targetPath: '/x' },
]

/** Without the edge: what listens on a port of the engine itself. */
const direct = (path: string) =>
  new Promise<string>((done, fail) => {
    get({ host: labPart('engine').address, port: published, path }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      answer.on('end', () => done(text))
    }).on('error', fail)
  })

type Task = {
  service: string
  image: string
  startedAt: string
  ports: object[]
  volumes: { name: string; target: string; readOnly: boolean }[]
}

test('services run as build/access describes them: image, build, Dockerfile, ports, order, environment and volumes', async () => {
  const projectId = await site.project('Entries', { bakeSeconds: 0 })
  const files = { 'parts/Other.dockerfile': FRONT, 'parts/page': 'the page' }
  const id = await site.start(projectId, files, { services, publicEndpoints })
  const seen = await site.ended(id)
  expect(seen, JSON.stringify(seen.error)).toMatchObject({ status: 'ready', active: true })

  expect(await site.ask('entries.entries.test', '/greeting')).toEqual({ status: 200, text: 'moin\n' })
  expect(await direct('/x/')).toBe('the page')
  expect(await site.ask('back.entries.example', '/x/')).toEqual({ status: 200, text: 'the page' })
  expect((await site.ask('back.entries.example', '/')).status).toBe(404)

  const tasks = (await site.api('GET', `/api/deployments/${id}/info`)).body.data as Task[]
  const of = (name: string) => tasks.find(({ service }) => service === name)
  const [front, back] = [of('front'), of('back')]
  expect(back?.image).toContain('busybox:1')
  expect(front?.ports).toEqual([{ target: 8080, published, protocol: 'tcp' }])
  expect(front?.volumes).toMatchObject([{ target: '/data', readOnly: false }])
  expect(back?.volumes).toEqual([{ name: front?.volumes[0]?.name, target: '/shared', readOnly: true }])
  expect(Date.parse(back?.startedAt ?? '')).toBeGreaterThan(Date.parse(front?.startedAt ?? ''))

  expect((await site.api('DELETE', `/api/deployments/${id}?force=true`)).status).toBe(200)
  expect((await site.api('DELETE', `/api/projects/${projectId}?volumes=delete`)).status).toBe(200)
}, 180_000)

test('a port of the server that another project has is refused, and the failure names it', async () => {
  const port = published + 5000
  const web = { name: 'web', command: ['httpd', '-f', '-p', '8080'], port: 8080, ports: [`${port}:8080`] }
  const deployed = async (name: string) => {
    const projectId = await site.project(name, { bakeSeconds: 0 })
    const body = { projectId, image: 'busybox:1', services: [web] }
    const { deployment_id } = (await site.api('POST', '/api/deployments/build/access', body)).body
    return site.ended(deployment_id)
  }
  const first = await deployed('first')
  expect(first, JSON.stringify(first.error)).toMatchObject({ status: 'ready' })
  const { status, error } = await deployed('second')
  expect([status, error?.code]).toEqual(['failed', 'port_taken'])
  expect(error?.message).toContain(String(port))
}, 120_000)

import { engineAt } from '../../../test-kit/engine.ts'
import type { Site } from '../../../test-kit/site.ts'
import { until } from '../../../test-kit/until.ts'
import type { Markers } from './markers.ts'

/** Everything of the victim that an attacker may know, or guess. */
export type Victim = {
  project: string
  host: string
  volume: string
  network: string
  container: string
  image: { tag: string; id: string }
  /** Addresses of its containers, and on which ports they answer. */
  addresses: string[]
}

const PROGRAM = `
const { createServer: serve, request } = require('node:http')
const { createServer: listen, connect } = require('node:net')
const { MARK_VARIABLE, MARK_PORT, MARK_DATABASE, MARK_PASSWORD, MARK_OUTSIDE, MARK_VOLUME, ROLE } = process.env
const send = (host, port, text) => connect(port, host, function () { this.end(text) }).on('error', () => {})
if (ROLE === 'db') listen((socket) => socket.on('error', () => {}).end(MARK_DATABASE + '\\n')).listen(5432)
else {
  require('node:fs').writeFileSync('/data/secret', MARK_VOLUME + '\\n')
  serve((q, r) => r.end('victim answers\\n')).listen(8000)
  serve((q, r) => r.end(MARK_PORT + '\\n')).listen(9999)
  setInterval(() => {
    send('db', 5432, 'password ' + MARK_PASSWORD + '\\n')
    send('api.payments.example', 80, 'POST / HTTP/1.1\\r\\nAuthorization: ' + MARK_OUTSIDE + '\\r\\n\\r\\n')
  }, 3000)
}
`

const files = (markers: Markers) => ({
  'main.js': PROGRAM,
  'secret-in-image': `${markers.image}\n`,
  'secret-of-cache': `${markers.cache}\n`,
  Dockerfile: [
    'FROM node:24',
    'COPY main.js /main.js',
    'COPY secret-in-image /secret-in-image',
    'RUN --mount=type=bind,target=/src --mount=type=cache,id=shared,target=/c cp /src/secret-of-cache /c/secret',
    'CMD ["node", "/main.js"]\n',
  ].join('\n'),
  'compose.yaml': `services:
  web:
    build: .
    expose: ["8000"]
    volumes: ["data:/data"]
    depends_on: [db]
    environment: {MARK_VARIABLE: , MARK_PORT: , MARK_PASSWORD: , MARK_OUTSIDE: , MARK_VOLUME: }
  db:
    build: .
    environment: {ROLE: db, MARK_DATABASE: }
volumes: {data: {}}
`,
})

/** Another project of the same server: it holds a secret in every place there is, and talks as applications do. */
export async function deployVictim(site: Site, serverId: string, markers: Markers): Promise<Victim> {
  const name = 'victim'
  const project = await site.project(name, { serverId })
  const kept = ['variable', 'port', 'database', 'password', 'outside', 'volume'] as const
  const variables = kept.map((kind) => ({ name: `MARK_${kind.toUpperCase()}`, value: markers[kind] }))
  await site.ask('PUT', `/api/projects/${project}/variables`, { variables })
  const id = await site.deploy(project, files(markers), { publicEndpoints: [{ port: 8000 }] })
  const { status, error, services } = await site.ended(id, 300)
  if (status !== 'ready') throw new Error(`The victim did not come up: ${JSON.stringify(error)}`)
  await until('the victim answers', 30_000, async () => (await site.visit(name)).text.includes('victim answers'))
  const web = services.find((service) => service.name === 'web')
  return {
    project,
    host: site.host(name),
    image: { tag: web?.image ?? '', id: (web?.digest ?? '').replace('sha256:', '') },
    ...(await onEngine(site, project)),
  }
}

/** What it is called on the engine, and where. */
async function onEngine(site: Site, project: string) {
  const docker = engineAt(site.engine.socket)
  const label = [`slipway.project=${project}`]
  const containers = await docker.listContainers({ filters: { label } })
  const web = containers.find(({ Names }) => Names.some((one) => one.includes('web')))
  const { Volumes } = await docker.listVolumes({ filters: { label } })
  const networks = await docker.listNetworks({ filters: { label } })
  const addresses = containers.flatMap(({ NetworkSettings }) =>
    Object.values(NetworkSettings.Networks).map(({ IPAddress }) => IPAddress),
  )
  const gateways = await bridgeAddresses(
    docker,
    containers.map(({ Id }) => Id),
  )
  return {
    container: web?.Names[0]?.slice(1) ?? '',
    volume: Volumes[0]?.Name ?? '',
    network: networks.find(({ Name }) => !Name.endsWith('-edge'))?.Name ?? '',
    addresses: [...addresses, ...gateways].filter(Boolean),
  }
}

/** Every container is on this bridge, too; it is in no list of a container's networks. */
async function bridgeAddresses(docker: ReturnType<typeof engineAt>, ids: string[]): Promise<string[]> {
  const { Containers = {} } = await docker.getNetwork('docker_gwbridge').inspect()
  const all = Object.entries(Containers as Record<string, { Name: string; IPv4Address: string }>)
  return all
    .filter(([id, { Name }]) => ids.includes(id) || ids.some((one) => Name.includes(one.slice(0, 12))))
    .map(([, { IPv4Address }]) => IPv4Address.split('/')[0] ?? '')
}

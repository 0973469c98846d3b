import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readConfig } from '../../drivers/runtime/reading/read-config.ts'
import { readContainer } from '../../drivers/runtime/reading/read-container.ts'
import { readCompose } from '../../source/compose/read.ts'
import { type Running, reconcile } from './reconcile.ts'

const NETWORKS = { Networks: { blog_default: { Aliases: ['a'] } } }
/** As compose would have started it from `services: {a: {image: x}}`. */
const asStarted = (change: { config?: object; host?: object; mounts?: object[]; id?: string } = {}) =>
  readContainer({
    Id: 'f'.repeat(64),
    Name: '/blog-a-1',
    Image: change.id ?? 'sha256:1',
    Config: { Image: 'x', Env: ['PATH=/bin'], Cmd: ['run'], ...change.config },
    HostConfig: { RestartPolicy: { Name: 'no' }, ...change.host },
    Mounts: change.mounts ?? [],
    NetworkSettings: NETWORKS,
    State: { Status: 'running' },
  })
const image = {
  id: 'sha256:1',
  tags: ['x:latest'],
  digests: [],
  config: readConfig({ Env: ['PATH=/bin'], Cmd: ['run'], Volumes: { '/state': {} } }),
}

async function differences(service: string, container = asStarted(), more: Partial<Running> = {}, rest = '') {
  const text = `services: {a: {image: x, ${service}}}\n${rest}`
  const { project, warnings } = await readCompose(
    {
      entries: [{ kind: 'file', path: 'srv/blog/compose.yaml', size: text.length }],
      read: async () => Readable.from([Buffer.from(text)]),
      machine: { missed: () => {} },
    },
    { files: ['/srv/blog/compose.yaml'], environment: { PWD: '/srv/blog' }, projectName: 'blog', profiles: ['*'] },
  )
  const running = { service: 'a', containers: [container], image, tagged: 'sha256:1', ...more }
  const unknown = warnings.filter(({ message }) => message.includes('is not set; '))
  return reconcile(project, [running], unknown).map(({ service, kind, detail }) => `${service} ${kind}: ${detail}`)
}

test('what runs as its file says has no differences', async () => {
  expect(await differences('')).toEqual([])
  const host = { PortBindings: { '80/tcp': [{ HostIp: '', HostPort: '8080' }] }, Memory: 64 * 1024 ** 2, NanoCpus: 5e8 }
  const config = { Env: ['PATH=/bin', 'A=1'] }
  const mounts = [
    { Type: 'bind', Source: '/srv/blog/conf', Destination: '/conf' },
    { Type: 'volume', Name: 'blog_data', Destination: '/data' },
    { Type: 'volume', Name: 'e'.repeat(64), Destination: '/state' },
  ]
  const said =
    'environment: {A: "1"}, ports: ["8080:80"], mem_limit: 64m, cpus: 0.5, volumes: ["./conf:/conf", "data:/data"]'
  expect(await differences(said, asStarted({ host, config, mounts }), {}, 'volumes: {data: {}}')).toEqual([])
})

test('names of variables are told, and none of their values', async () => {
  const config = { Env: ['PATH=/bin', 'A=secret-1', 'C=secret-2'] }
  const found = await differences('environment: {A: "secret-3", B: "secret-4"}', asStarted({ config }))
  expect(found).toEqual(['a environment: +B, -C, A'])
})

test('a variable that the file leaves to the shell is no difference', async () => {
  const config = { Env: ['PATH=/bin', 'FROMSHELL=yes'] }
  expect(await differences('environment: {FROMSHELL: }', asStarted({ config }))).toEqual([])
})

test('what takes a variable that nobody knows is unclear, and not different', async () => {
  const config = { Env: ['PATH=/bin', 'FOO=bar'] }
  expect(await differences('environment: {FOO: "$FOO"}', asStarted({ config }))).toEqual([
    'a unclear: environment: FOO',
  ])
  const mounts = [{ Type: 'bind', Source: '/somewhere/h', Destination: '/h' }]
  expect(await differences('volumes: ["$HOME/h:/h"]', asStarted({ mounts }))).toEqual([
    'a unclear: mounts: the file takes it from a variable that is not known.',
  ])
})

test.each([
  ['image: y', {}, 'image'],
  ['command: [other]', {}, 'command'],
  ['ports: ["81:80"]', {}, 'ports'],
  ['volumes: ["/x:/x"]', {}, 'mounts'],
  ['networks: [other]', {}, 'networks'],
  ['restart: always', {}, 'restart'],
  ['mem_limit: 1g', {}, 'limits'],
  ['deploy: {replicas: 2}', {}, 'replicas'],
  ['user: "7"', {}, 'user'],
  ['hostname: h', {}, 'hostname'],
  ['', { tagged: 'sha256:2' }, 'image_moved'],
  ['', { containers: [asStarted(), asStarted({ config: { Cmd: ['other'] } })] }, 'replicas_differ'],
])('%s differs in its %s', async (said, more, kind) => {
  const found = await differences(
    said.replace('image: y', ''),
    asStarted(said === 'image: y' ? { config: { Image: 'y' } } : {}),
    more,
    said.includes('other]') && said.startsWith('networks') ? 'networks: {other: {}}' : '',
  )
  expect(found.map((one) => one.split(':')[0])).toContain(`a ${kind}`)
})

test('a service of which nothing is there is told, unless a profile keeps it away', async () => {
  const text = 'services: {a: {image: x}, b: {image: x}, c: {image: x, profiles: [debug]}, d: {image: x, scale: 0}}'
  const { project } = await readCompose(
    {
      entries: [{ kind: 'file', path: 'compose.yaml', size: text.length }],
      read: async () => Readable.from([Buffer.from(text)]),
    },
    { environment: {}, projectName: 'blog', profiles: ['*'] },
  )
  const running = { service: 'z', containers: [asStarted()], image, tagged: null }
  expect(reconcile(project, [running], []).map(({ service, kind }) => `${service} ${kind}`)).toEqual([
    'a not_running',
    'b not_running',
    'z not_in_file',
  ])
})

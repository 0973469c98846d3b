import { createServer, type Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { startSite } from '../../../test-kit/site-in-process.ts'
import { generateKeyPair } from '../../src/drivers/ssh/key-pair.ts'

/** What listens on this machine's loopback is nobody's business; it counts who comes. */
const visits: number[] = []
const sockets = new Set<Socket>()
const listener = createServer((socket) => {
  visits.push(Date.now())
  sockets.add(socket.on('error', () => {}))
})
await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
const { port } = listener.address() as { port: number }
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  listener.close()
})

const site = await startSite('reach')
const key = generateKeyPair('reach')

test.each([
  ['https', `https://127.0.0.1:${port}/app.git`, null],
  ['https by a name', `https://localhost:${port}/app.git`, null],
  ['ssh', `ssh://git@127.0.0.1:${port}/app.git`, { kind: 'key', hostKeys: [key.publicKey] }],
])('a repository over %s on loopback is not connected to', async (name, repository, gitCredential) => {
  const { body } = await site.api('POST', '/api/projects', {
    name: `git ${name}`,
    repository,
    branch: 'main',
    gitCredential,
  })
  const { deployment_id } = (await site.api('POST', '/api/deployments', { projectId: body.id })).body
  const { error } = await site.ended(deployment_id)
  expect(error).toMatchObject({
    code: 'git_address_refused',
    hint: expect.stringContaining('SLIPWAY_ALLOWED_NETWORKS'),
  })
  expect(visits).toEqual([])
})

test.each(['127.0.0.1', 'localhost', '0.0.0.0'])('a server at %s is not connected to', async (host) => {
  const made = await site.api('POST', '/api/servers', { kind: 'ssh', name: `at ${host}`, host, port, user: 'root' })
  const { report } = (await site.api('POST', `/api/servers/${made.body.id}/check`)).body
  expect(report.checks[0]).toMatchObject({ state: 'failed', found: expect.stringContaining('may not be used') })
  expect(visits).toEqual([])
})

test('a backup destination on loopback is refused, whatever way it is written', async () => {
  const bucket = { kind: 's3_compatible', bucket: 'b', accessKeyId: 'a', secretAccessKey: 's' }
  const login = { kind: 'sftp', sshUser: 'u', sftpPassword: 'p', sshPort: port }
  for (const [n, host] of ['127.0.0.1', '127.1', 'localhost', '[::1]', '0.0.0.0'].entries()) {
    const bodies = [
      { ...bucket, name: `bucket ${n}`, endpoint: `http://${host}:${port}` },
      { ...login, name: `login ${n}`, sshHost: host.replace(/[[\]]/g, '') },
    ]
    for (const body of bodies) {
      const answer = await site.api('POST', '/api/backup-destinations', body)
      expect([host, answer.status, answer.body.code]).toEqual([host, 400, 'address_refused'])
    }
  }
  expect(visits).toEqual([])
})

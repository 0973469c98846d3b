import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import Docker from 'dockerode'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { tool } from '../../../../lab/tools.ts'
import {
  answers,
  appSpec,
  ask,
  containerOf,
  edgeBench,
  openProject,
  routeTo,
  servicesGone,
} from '../../../../test-kit/edge.ts'
import { SshAgent } from '../ssh/agent.ts'
import { openSsh } from '../ssh/connection.ts'
import { hostKeyOfLine } from '../ssh/host-key.ts'
import { upload } from './archive.ts'
import { caddyEdge } from './caddy.ts'
import type { EdgeEngine } from './edge.ts'
import { nameFor } from './route-file.ts'

// An edge on a server that is reached only over SSH, and its two other doors: certificates and challenges.
const bench = edgeBench(labPart('caddy').image)
const { name, settings } = bench
const { address, socket: socketPath } = labPart('host1')
const docker = new Docker({ socketPath })
const at = { address, port: settings.httpPort }
const never = new AbortController().signal
let folder: string

const engine: EdgeEngine<null> = {
  async connect(_, signal) {
    const { address: host, port, user, keyFile, hostKeyFile, remoteSocket } = labPart('host1')
    const hostKey = hostKeyOfLine(readFileSync(hostKeyFile, 'utf8'))
    const ssh = { host, port, user, privateKey: readFileSync(keyFile, 'utf8'), hostKey }
    const connection = await openSsh(ssh, { signal, deadlineMs: 10_000 })
    const agent = new SshAgent(connection, remoteSocket)
    const close = () => {
      agent.destroy()
      connection.close()
    }
    // dockerode's types know no agent.
    const way: object = { protocol: 'http', host: 'engine', port: 80, agent }
    return { docker: new Docker(way), explain: async (error) => error, close }
  },
}
const edge = caddyEdge(engine, { name })

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-edge-'))
  expect(await edge.ensure(null, settings)).toBe('created')
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await servicesGone(docker, bench)
  await edge.remove(null)
})

test('an edge over SSH routes, is repaired and removed like one at hand', async () => {
  await openProject(docker, edge, bench)
  await docker.createService(appSpec(bench, 'web', 'far', 1))
  const wanted = [routeTo(bench, 'far.test'), routeTo(bench, 'far.test', 'api', '/api')]
  expect(await edge.reconcile(null, wanted)).toEqual({ written: 2, removed: 0 })
  expect((await answers({ ...at, host: 'far.test' })).json.version).toBe('far')
  expect(await edge.reconcile(null, wanted)).toEqual({ written: 0, removed: 0 })
  expect(await edge.state(null)).toHaveLength(2)
  expect(await edge.ensure(null, settings)).toBe('unchanged')
  const gone = new AbortController()
  gone.abort(new Error('the caller left'))
  await expect(edge.reconcile(null, wanted, gone.signal)).rejects.toThrow('the caller left')
})

describe('TLS', () => {
  test('is served from the newest certificate of the name, and a name without one is refused', async () => {
    const first = await install('tls.test', 'one')
    expect(await handshake('tls.test')).toBe(first)
    const second = await install('tls.test', 'two')
    expect(await handshake('tls.test')).toBe(second)
    expect(second).not.toBe(first)
    for (const unknown of ['unknown.test', 'x.tls.test', '..', '']) {
      await expect(handshake(unknown)).rejects.toThrow(/alert|SSL|reset/i)
    }
  })

  test('a pem whose pointer is missing does not count yet', async () => {
    const container = await containerOf(docker, name)
    await upload(
      container,
      [{ path: `pem/half.test/${nameFor('one', Date.now())}.pem`, body: makeCertificate('half.test').pem }],
      never,
    )
    await expect(handshake('half.test')).rejects.toThrow(/alert|SSL|reset/i)
  })
})

test('a challenge is answered for any host, and nothing else of the volume is', async () => {
  await edge.challenges.put(null, 'token-1', 'token-1.thumb')
  const asked = (path: string) =>
    ask({ ...at, host: 'not-yet-routed.test', path: `/.well-known/acme-challenge/${path}` })
  expect(await asked('token-1')).toMatchObject({ status: 200, body: 'token-1.thumb' })
  for (const path of ['token-2', '', '../pem/tls.test/one.pem', '%2e%2e/pem/tls.test/one.pem']) {
    expect(await asked(path)).toMatchObject({ status: 404 })
  }
  await edge.challenges.remove(null, 'token-1')
  expect(await asked('token-1')).toMatchObject({ status: 404 })
  for (const token of ['../pem', '', 'a/b']) {
    await expect(edge.challenges.put(null, token, 'x')).rejects.toMatchObject({ code: 'challenge_invalid' })
  }
})

function makeCertificate(host: string): { pem: string; fingerprint: string } {
  const [key, chain] = [join(folder, 'key.pem'), join(folder, 'chain.pem')]
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`, '-days', '2']
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  execFileSync(tool('openssl'), [...made, '-keyout', key, '-out', chain, ...subject], { stdio: 'pipe' })
  const certificate = readFileSync(chain, 'utf8')
  const { fingerprint256 } = new X509Certificate(certificate)
  return { pem: certificate + readFileSync(key, 'utf8'), fingerprint: fingerprint256 }
}

async function install(host: string, id: string): Promise<string> {
  const { pem, fingerprint } = makeCertificate(host)
  await edge.certificates.put(null, [{ host, id, pem }])
  return fingerprint
}

function handshake(servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port: settings.httpsPort, servername, rejectUnauthorized: false })
    socket.setTimeout(10_000, () => socket.destroy(new Error('no handshake for 10 s')))
    socket.on('error', reject).on('secureConnect', () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '')
      socket.destroy()
    })
  })
}

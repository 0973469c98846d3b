import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect as connectPlain } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import Docker from 'dockerode'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { labPart } from '../../../../../lab/ask.ts'
import { tool } from '../../../../../lab/tools.ts'
import { ask, containerOf, edgeBench, routeTo } from '../../../../../test-kit/edge.ts'
import { until } from '../../../../../test-kit/until.ts'
import { caddyEdge } from '../caddy.ts'
import type { EdgeCertificate } from '../edge.ts'
import { execute } from '../inside.ts'

const bench = edgeBench(labPart('caddy').image)
const { name, settings } = bench
const { address, socket: socketPath } = labPart('engine')
const docker = new Docker({ socketPath })
const signal = new AbortController().signal
const edge = caddyEdge(
  { connect: async () => ({ docker, explain: async (error) => error, close: () => {} }) },
  { name },
)
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-edge-'))
  await edge.ensure(null, settings)
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await edge.remove(null)
})

type Made = EdgeCertificate & { serial: string }

function make(host: string, id: string): Made {
  const [key, chain] = [join(folder, 'key.pem'), join(folder, 'chain.pem')]
  const subject = ['-subj', '/CN=test', '-addext', `subjectAltName=DNS:${host}`, '-days', '2']
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  execFileSync(tool('openssl'), [...made, '-keyout', key, '-out', chain, ...subject], { stdio: 'pipe' })
  const certificate = readFileSync(chain, 'utf8')
  const serial = new X509Certificate(certificate).serialNumber
  return { host, id, pem: certificate + readFileSync(key, 'utf8'), serial }
}

/** The serial of what is shown. */
function handshake(servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port: settings.httpsPort, servername, rejectUnauthorized: false })
    socket.setTimeout(10_000, () => socket.destroy(new Error('no handshake for 10 s')))
    socket.on('error', reject).on('secureConnect', () => {
      resolve(socket.getPeerX509Certificate()?.serialNumber ?? '')
      socket.destroy()
    })
  })
}

const inside = async (...argv: string[]) => (await execute(await containerOf(docker, name), argv, signal)).printed
const refused = (host: string) => expect(handshake(host)).rejects.toThrow(/alert|SSL|reset/i)
const sorted = (all: { host: string; id: string }[]) => all.map(({ host, id }) => `${host} ${id}`).toSorted()

test('each name is shown its own certificate, a wildcard covers one label, and no other name gets any', async () => {
  const [a, b, any, own] = [make('a.test', '1'), make('b.test', '1'), make('*.w.test', '1'), make('own.w.test', '1')]
  await edge.certificates.put(null, [a, b, any, own])
  const shown = { 'a.test': a, 'b.test': b, 'x.w.test': any, 'y.w.test': any, 'own.w.test': own }
  for (const [host, { serial }] of Object.entries({ ...shown, 'A.Test': a })) expect(await handshake(host)).toBe(serial)
  for (const host of ['c.test', 'w.test', 'x.y.w.test', 'x.own.w.test', 'x.a.test', 'test', '..', ''])
    await refused(host)
  expect(sorted(await edge.certificates.state(null))).toEqual(['*.w.test 1', 'a.test 1', 'b.test 1', 'own.w.test 1'])
  const files = (await inside('find', '/edge/pem', '-type', 'f')).trim().split('\n')
  expect(files).toHaveLength(4)
  const modes = await inside('stat', '-c', '%a', ...files)
  expect(new Set(modes.trim().split('\n'))).toEqual(new Set(['600']))
})

test('20 renewals under fresh handshakes: none fails, and each is shown on the next', async () => {
  const renewals = Array.from({ length: 20 }, (_, n) => make('renew.test', `r${n}`))
  await edge.certificates.put(null, [make('renew.test', 'first')])
  const failed: string[] = []
  let [count, slowest, renewing] = [0, 0, true]
  const client = async () => {
    while (renewing || count < 200) {
      await handshake('renew.test').catch((error: Error) => failed.push(error.message))
      count += 1
    }
  }
  const clients = [client(), client(), client()]
  for (const [n, renewal] of renewals.entries()) {
    await edge.certificates.put(null, [renewal])
    // Caddy lets handshakes for one name share a look that is under way, so one that meets others may be shown the former.
    const begin = performance.now()
    await until('the new one is shown', 20_000, async () => (await handshake('renew.test')) === renewal.serial)
    slowest = Math.max(slowest, performance.now() - begin)
    if (n % 5 === 4) await edge.certificates.reconcile(null, [renewal])
  }
  renewing = false
  await Promise.all(clients)
  // With nobody else about, it is the very next one.
  const quiet = make('renew.test', 'quiet')
  await edge.certificates.put(null, [quiet])
  expect(await handshake('renew.test')).toBe(quiet.serial)
  console.log(
    `renewals: ${failed.length} of ${count} handshakes failed; the new one shown within ${Math.round(slowest)} ms`,
  )
  expect(failed).toEqual([])
  expect(count).toBeGreaterThanOrEqual(200)
}, 120_000)

test('they become exactly those wanted; an emptied volume is filled, and old files go later', async () => {
  const [a, b, wild] = [make('a.test', '2'), make('b.test', '2'), make('*.w.test', '2')]
  await edge.certificates.reconcile(null, async () => [a, b, wild])
  expect(sorted(await edge.certificates.state(null))).toEqual(['*.w.test 2', 'a.test 2', 'b.test 2'])
  const never = { ...a, pem: () => Promise.reject(new Error('nobody needs it')) }
  expect(await edge.certificates.reconcile(null, [never, wild])).toEqual({ written: 0, removed: 1 })
  await refused('b.test')
  await inside('rm', '-rf', '/edge/pem')
  await refused('a.test')
  expect(await edge.certificates.state(null)).toEqual([])
  expect(await edge.certificates.reconcile(null, [a, wild])).toEqual({ written: 2, removed: 0 })
  expect([await handshake('a.test'), await handshake('x.w.test')]).toEqual([a.serial, wild.serial])
  await edge.challenges.put(null, 'kept', 'kept.thumb')
  await edge.challenges.put(null, 'old', 'old.thumb')
  await inside('touch', '-d', '2020-01-01 00:00:00', '/edge/challenge/old')
  const now = Date.now() + 60_000
  vi.spyOn(Date, 'now').mockReturnValue(now)
  await edge.certificates.reconcile(null, [a, wild]).finally(() => vi.restoreAllMocks())
  const left = await inside('find', '/edge/certs', '/edge/pem', '/edge/challenge', '-type', 'f')
  expect(left.trim().split('\n'), left).toHaveLength(5)
  expect(left).toContain('/edge/challenge/kept')
  expect(await handshake('a.test')).toBe(a.serial)
})

test('what cannot be used is refused, and what was there stays', async () => {
  const [good, other] = [make('good.test', '1'), make('other.test', '1')]
  await edge.certificates.put(null, [good])
  const bad: EdgeCertificate[] = [
    { ...good, id: '2', pem: 'garbage' },
    { ...good, id: '2', pem: other.pem },
    { ...good, id: '../2' },
    { ...good, host: '../good.test' },
    { ...good, host: '*.*.test' },
  ]
  for (const one of bad) {
    await expect(edge.certificates.put(null, [one])).rejects.toMatchObject({ code: 'certificate_invalid' })
  }
  expect(await handshake('good.test')).toBe(good.serial)
})

test('a marked route sends plain HTTP to https, and a challenge is answered all the same', async () => {
  await edge.reconcile(null, [{ ...routeTo(bench, 'safe.test'), secure: 'hsts' }])
  expect(await edge.state(null)).toEqual([{ ...routeTo(bench, 'safe.test'), secure: 'hsts' }])
  const at = { address, port: settings.httpPort, host: 'safe.test' }
  expect((await ask({ ...at, path: '/x?y=1' })).status).toBe(308)
  const moved = await fetchPlain('/x?y=1')
  expect(moved).toContain(`Location: https://safe.test:${settings.httpsPort}/x?y=1\r\n`)
  await edge.challenges.put(null, 'marked', 'marked.thumb')
  expect(await ask({ ...at, path: '/.well-known/acme-challenge/marked' })).toMatchObject({ body: 'marked.thumb' })
})

test('an edge that is made anew knows its names and certificates from its first moment on', async () => {
  const made = make('first.test', 'first')
  await edge.remove(null)
  const contents = {
    routes: async () => [routeTo(bench, 'first.test')],
    certificates: async () => [made],
  }
  // Nothing is written once it runs.
  expect(await edge.ensure(null, settings, undefined, contents)).toBe('created')
  expect(await handshake('first.test')).toBe(made.serial)
  expect(await edge.state(null)).toEqual([routeTo(bench, 'first.test')])
  expect(await edge.certificates.reconcile(null, await contents.certificates())).toEqual({ written: 0, removed: 0 })
})

/** The whole answer, headers as they were sent. */
function fetchPlain(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    const socket = connectPlain({ host: address, port: settings.httpPort }, () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: Safe.test\r\nConnection: close\r\n\r\n`)
    })
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer for 10 s')))
    socket.setEncoding('utf8').on('data', (part) => {
      said += part
    })
    socket.on('error', reject).on('end', () => resolve(said))
  })
}

import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../test-kit/until.ts'
import { labPart } from '../ask.ts'
import { lastLines, run } from '../run.ts'
import { tool } from '../tools.ts'
import { type Child, freePorts, startChild } from './child.ts'
import { type TestDns, testDns } from './dns.ts'

export interface CaOptions {
  /** Where it looks for HTTP-01 answers: the edge's own port, at the address its DNS gives for the name. */
  httpPort: number
  tlsPort?: number
  /** Whether an account needs a key that the CA gave out beforehand; `eab` of the result is one. */
  eab?: boolean
  validitySeconds?: number
  /** host:port of the name server it believes, instead of its own. */
  dnsServer?: string
  env?: Record<string, string>
}

export interface TestCa {
  directoryUrl: string
  /** Whom to trust when talking to it. */
  roots: string
  /** Its own TLS certificate and key, for a stand-in in front of it. */
  tls: { cert: string; key: string }
  /** Whom to trust to believe the certificates it issues. */
  issuingRoots(): Promise<string>
  eab: { kid: string; hmacKey: string }
  dns: TestDns
  log(): string
  stop(): Promise<void>
}

const ATTEMPTS = 3

/** No waiting before it validates, no nonces refused for practice, no authorization remembered. */
const plain = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0', PEBBLE_AUTHZREUSE: '0' }

/**
 * A certificate authority and a DNS server of the caller's own, on loopback. They end with the process that asked for
 * them; their files are gone as soon as they run. `blocked.test` is a name it will not sign.
 */
export async function startCa(options: CaOptions): Promise<TestCa> {
  for (let attempt = 1; ; attempt += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-ca-'))
    try {
      return await startIn(folder, options)
    } catch (error) {
      // A port that was free a moment ago may be taken by now.
      if (attempt === ATTEMPTS || !/address already in use/.test(String(error))) throw error
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

async function startIn(folder: string, options: CaOptions): Promise<TestCa> {
  const { pebble, dns } = labPart('acme')
  const [api = 0, management = 0, dnsPort = 0, dnsManagement = 0] = await freePorts(4)
  const tls = await serverCertificate(folder)
  const eab = { kid: 'lab-1', hmacKey: randomBytes(32).toString('base64url') }
  writeFileSync(join(folder, 'pebble.json'), JSON.stringify(settings(folder, { api, management, eab }, options)))
  const dnsAddress = `127.0.0.1:${dnsPort}`
  const dnsManagementAddress = `127.0.0.1:${dnsManagement}`
  const off = ['http01', 'https01', 'tlsalpn01', 'doh', 'defaultIPv4', 'defaultIPv6'].flatMap((name) => [
    `-${name}`,
    '',
  ])
  const env = { ...plain, ...options.env }
  const children = [
    startChild([dns, '-dns01', dnsAddress, '-management', dnsManagementAddress, ...off], env),
    startChild([pebble, '-config', join(folder, 'pebble.json'), '-dnsserver', options.dnsServer ?? dnsAddress], env),
  ]
  const stop = async () => {
    await Promise.all(children.map((child) => child.stop()))
  }
  const directoryUrl = `https://127.0.0.1:${api}/dir`
  try {
    await until('the CA: waiting for it to answer', 20_000, () => ready(children, directoryUrl, tls.cert))
    const names = testDns(dnsAddress, dnsManagementAddress)
    await until('the DNS: waiting for it to answer', 20_000, () => answers(names))
    const issuingRoots = () => get(`https://127.0.0.1:${management}/roots/0`, tls.cert)
    const log = () => children.map((child) => child.printed()).join('')
    return { directoryUrl, roots: tls.cert, tls, issuingRoots, eab, dns: names, log, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Own = { api: number; management: number; eab: { kid: string; hmacKey: string } }

function settings(folder: string, { api, management, eab }: Own, options: CaOptions): object {
  return {
    pebble: {
      listenAddress: `127.0.0.1:${api}`,
      managementListenAddress: `127.0.0.1:${management}`,
      certificate: join(folder, 'tls.pem'),
      privateKey: join(folder, 'tls.key'),
      httpPort: options.httpPort,
      tlsPort: options.tlsPort ?? 1,
      ocspResponderURL: '',
      externalAccountBindingRequired: options.eab ?? false,
      externalAccountMACKeys: { [eab.kid]: eab.hmacKey },
      domainBlocklist: ['blocked.test'],
      // In seconds: what it tells those who ask how an order or a proof goes.
      retryAfter: { authz: 1, order: 1 },
      ...(options.validitySeconds !== undefined && { certificateValidityPeriod: options.validitySeconds }),
    },
  }
}

async function serverCertificate(folder: string): Promise<{ cert: string; key: string }> {
  const [cert, key] = [join(folder, 'tls.pem'), join(folder, 'tls.key')]
  const name = ['-subj', '/CN=lab CA', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-days', '2']
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  await run([tool('openssl'), ...made, ...name, '-keyout', key, '-out', cert])
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
}

async function ready(children: Child[], url: string, trust: string): Promise<true | undefined> {
  const ended = children.find(({ process }) => process.exitCode !== null || process.signalCode !== null)
  if (ended) throw new Error(`the CA did not start:\n${lastLines(ended.printed(), 8)}`)
  return get(url, trust).then(
    () => true as const,
    () => undefined,
  )
}

const answers = (dns: TestDns) =>
  dns.clear('nobody.test').then(
    () => true as const,
    () => undefined,
  )

function get(url: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request(url, { ca, agent: false, timeout: 5000 }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        body += chunk
      })
      response.on('error', reject).on('end', () => {
        if (response.statusCode === 200) resolve(body)
        else reject(new Error(`${url} answered ${response.statusCode}: ${body}`))
      })
    })
    call
      .on('timeout', () => call.destroy(new Error(`${url} does not answer`)))
      .on('error', reject)
      .end()
  })
}

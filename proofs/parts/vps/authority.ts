import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { startCa } from '../../../lab/ca/start.ts'
import { needNetwork } from '../../../lab/network.ts'
import { partDir } from '../../../lab/paths.ts'
import { run } from '../../../lab/run.ts'
import { tool } from '../../../lab/tools.ts'
import { frontOf } from '../../../test-kit/acme.ts'

export type Authority = Awaited<ReturnType<typeof startAuthority>>

/** A certificate authority and a name server, where a machine without a way out can reach them: on the lab's bridge. */
export async function startAuthority() {
  const { gateway } = await needNetwork()
  const ca = await startCa({ httpPort: 80 })
  const tls = await certificateFor(gateway)
  const front = await frontOf({ ...ca, tls })
  const api = await passOn(gateway, Number(new URL(front.directoryUrl).port))
  const names = await passDatagrams(gateway, Number(ca.dns.address.split(':')[1]))
  return {
    ca,
    /** What an instance there is told, and whom it has to believe. */
    settings: {
      SLIPWAY_ACME_DIRECTORY: `https://${gateway}:${api.port}${new URL(front.directoryUrl).pathname}`,
      SLIPWAY_DNS_SERVERS: `${gateway}:${names.port}`,
      SLIPWAY_ALLOWED_NETWORKS: '198.18.0.0/15',
    },
    tls: tls.cert,
    issuing: await ca.issuingRoots(),
    async stop() {
      api.stop()
      names.stop()
      await front.stop()
      await ca.stop()
    },
  }
}

async function certificateFor(address: string): Promise<{ cert: string; key: string }> {
  const [cert, key] = [join(partDir('releases'), 'front.pem'), join(partDir('releases'), 'front.key')]
  const name = ['-subj', '/CN=lab CA', '-addext', `subjectAltName=IP:${address}`, '-days', '2']
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  await run([tool('openssl'), ...made, ...name, '-keyout', key, '-out', cert])
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
}

function passOn(host: string, port: number): Promise<{ port: number; stop(): void }> {
  const server: Server = createServer((socket) => {
    const onward = connect({ host: '127.0.0.1', port })
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      one.on('error', () => other.destroy())
      one.pipe(other)
    }
  })
  return new Promise((done) => {
    server.listen(0, host, () => done({ port: (server.address() as AddressInfo).port, stop: () => server.close() }))
  })
}

/** Each question by a socket of its own, so that its answer finds back. */
async function passDatagrams(host: string, port: number): Promise<{ port: number; stop(): void }> {
  const socket = createSocket('udp4')
  socket.on('message', (question, from) => {
    const onward = createSocket('udp4')
    const late = setTimeout(() => onward.close(), 5_000)
    onward.once('message', (answer) => {
      clearTimeout(late)
      socket.send(answer, from.port, from.address)
      onward.close()
    })
    onward.send(question, port, '127.0.0.1')
  })
  await new Promise<void>((done) => socket.bind(0, host, done))
  return { port: socket.address().port, stop: () => socket.close() }
}

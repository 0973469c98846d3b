import { connect, type Socket } from 'node:net'
import { until } from '../../../test-kit/until.ts'
import { uploader } from '../uploader.ts'
import { brokenSecrets, linesThatCommand, rawPackets, type Told } from './printed.ts'
import type { Row, Stage } from './stage.ts'
import { zerosTar } from './tar.ts'

/** What takes more than one thing sent once. */
export async function specialRows(stage: Stage, wanted: (name: string) => boolean): Promise<Row[]> {
  const all: Record<string, (stage: Stage) => Promise<Told>> = {
    'dom-many-300': manyNames,
    'edge-slowloris-400': halfRequests,
    'up-zeros-600mb': manyZeros,
    'log-injection': linesThatCommand,
    'redact-bypass': brokenSecrets,
    'net-raw-arp-edge-on-gwbridge': rawPackets,
    'net-raw-arp-victim-on-edge-net': rawPackets,
  }
  const rows: Row[] = []
  for (const [name, work] of Object.entries(all).filter(([key]) => wanted(key))) {
    const row = await work(stage).catch((error) => ({ verdict: 'no result' as const, words: String(error) }))
    rows.push({ name, door: 'special', ...row })
  }
  return rows
}

async function manyNames(stage: Stage): Promise<Told> {
  const attacker = await stage.attacker('many-names')
  let taken = 0
  for (let n = 0; n < 300; n++) {
    const host = `n${n}.many.example.com`
    const { status, text } = await attacker.call('POST', `/api/projects/${attacker.project}/domains`, { host })
    if (status >= 300) return { verdict: 'refused', words: `after ${taken} names: ${text.slice(0, 200)}` }
    taken++
  }
  return { verdict: 'WORKED', words: `${taken} names, and no end` }
}

/** Connections that never finish their question take nothing from those that do. */
async function halfRequests({ site, victim }: Stage): Promise<Told> {
  const sockets: Socket[] = []
  try {
    for (let n = 0; n < 400; n++) {
      const socket = connect(site.httpPort, site.engine.address).on('error', () => {})
      socket.on('connect', () => socket.write(`GET / HTTP/1.1\r\nHost: ${victim.host}\r\nX-`))
      sockets.push(socket)
    }
    await until('all connections', 30_000, async () => sockets.every((socket) => !socket.connecting))
    const visits = await Promise.all(Array.from({ length: 50 }, () => site.visit('victim')))
    const slow = Math.max(...visits.map(({ ms }) => ms))
    const good = visits.filter(({ text }) => text.includes('victim answers')).length
    const words = `${good} of 50 visitors answered beside them, the slowest in ${Math.round(slow)} ms`
    return { verdict: good === 50 && slow < 5000 ? 'harmless' : 'WORKED', words }
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

const ZEROS = 600 * 1024 ** 2

/** Small on the way, large where it is unpacked. */
async function manyZeros(stage: Stage): Promise<Told> {
  const attacker = await stage.attacker('many-zeros')
  const answer = await uploader(stage.site.base(), attacker.token).sendTar(zerosTar(ZEROS))
  const { text } = await stage.site.visit('victim')
  if (!text.includes('victim answers')) return { verdict: 'WORKED', words: 'the victim no longer answers' }
  const { error = '' } = answer as { error?: string }
  return error === '' ? { verdict: 'harmless', words: 'taken' } : { verdict: 'refused', words: error }
}

import { connect } from 'node:net'
import type { Case } from './cases.ts'
import type { Stage } from './stage.ts'
import type { Outcome } from './try.ts'

const PATIENCE_MS = 8000

/** Sends bytes to the edge as they are. */
export async function tryBytes({ site }: Stage, one: Case): Promise<Outcome> {
  const bytes = Buffer.from(one.entries[0]?.text ?? '', 'latin1')
  const heard = await sendBytes(site.engine.address, site.httpPort, bytes)
  const statuses = [...heard.matchAll(/^HTTP\/1\.\d (\d{3})/gm)].map(([, status]) => Number(status))
  const words = heard.split('\r\n', 1)[0] || 'closed without a word'
  const answered = statuses.some((status) => status < 400)
  return { verdict: answered ? 'harmless' : 'refused', words, seen: heard }
}

export function sendBytes(host: string, port: number, bytes: Buffer): Promise<string> {
  return new Promise((done) => {
    let heard = ''
    const socket = connect(port, host)
    const end = () => {
      socket.destroy()
      done(heard)
    }
    socket.setTimeout(PATIENCE_MS, end)
    socket.on('connect', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      if (heard.length < 1 << 20) heard += chunk.toString('latin1')
    })
    socket.on('error', end).on('end', end)
  })
}

import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

type At = { address: string; port: number; host: string }
export type QuietPosts = { end(): Promise<{ sent: number; failures: string[] }> }

/** Node's servers give an idle connection up after 5 s, and one more for what is on its way. */
const IDLE_MS = 6000
const AROUND_MS = 30
const AT_ONCE = 32

/**
 * Bursts of POSTs with just so much silence in between that an application closes its idle connections in this very
 * moment: one sent over such a connection is lost, and nobody may send it again.
 */
export function startQuietPosts(at: At): QuietPosts {
  const over = new AbortController()
  const agent = new Agent({ keepAlive: true })
  const failures: string[] = []
  let sent = 0
  const burst = async () => {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => post(at, agent)))
    sent += AT_ONCE
    failures.push(...answers.filter((answer) => answer !== 'ok'))
  }
  const go = async () => {
    while (!over.signal.aborted) {
      await burst()
      await sleep(IDLE_MS - AROUND_MS / 2 + Math.random() * AROUND_MS, undefined, { signal: over.signal }).catch(
        () => {},
      )
    }
    agent.destroy()
  }
  const done = go()
  return {
    async end() {
      over.abort()
      await done
      return { sent, failures }
    },
  }
}

function post({ address, port, host }: At, agent: Agent): Promise<string> {
  return new Promise((done) => {
    const headers = { host, 'content-length': 5, 'x-order': -1 }
    const asked = request({ host: address, port, agent, method: 'POST', path: '/orders', headers, timeout: 30_000 })
    asked.on('timeout', () => asked.destroy(new Error('no answer within 30 s')))
    asked.on('error', (error) => done(error.message))
    asked.on('response', (answer) => {
      answer.on('error', (error) => done(error.message))
      answer.resume().on('end', () => done(answer.statusCode === 200 ? 'ok' : `answered ${answer.statusCode}`))
    })
    asked.end('quiet')
  })
}

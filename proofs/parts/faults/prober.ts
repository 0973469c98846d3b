import { request } from 'node:http'

export type Probed = { asked: number; failed: string[]; seen: Record<string, number> }

type At = { address: string; port: number; host: string; path?: string }

const LATE_MS = 10_000

/**
 * Asks the edge for a name at a steady rate, each time on a connection of its own and without trying again, until told to
 * stop. Whatever is not a 200 is a failed request, with the time at which it was asked.
 */
export function startProber(at: At, everyMs = 50) {
  const probed: Probed = { asked: 0, failed: [], seen: {} }
  const open = new Set<Promise<void>>()
  const once = () => {
    probed.asked++
    const began = new Date()
    const asked = ask(at).then(
      (text) => {
        probed.seen[text] = (probed.seen[text] ?? 0) + 1
      },
      (error: Error) => void probed.failed.push(`${began.toISOString()} ${error.message}`),
    )
    open.add(asked)
    void asked.finally(() => open.delete(asked))
  }
  const timer = setInterval(once, everyMs)
  return {
    probed,
    async stop(): Promise<Probed> {
      clearInterval(timer)
      await Promise.all(open)
      return probed
    },
  }
}

function ask({ address, port, host, path = '/' }: At): Promise<string> {
  return new Promise((done, fail) => {
    const asked = request({ host: address, port, path, agent: false, timeout: LATE_MS, headers: { host } })
    asked.on('response', (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      answer.on('error', fail)
      answer.on('end', () => {
        if (answer.statusCode === 200) done(text)
        else fail(new Error(`${answer.statusCode} ${text.slice(0, 80)}`))
      })
    })
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${LATE_MS / 1000} s`)))
    asked.on('error', fail).end()
  })
}

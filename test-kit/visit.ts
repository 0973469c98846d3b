import { get } from 'node:http'

export type Visit = { status: number; text: string; ms: number }

/** Asks the edge for a name as a browser does, on a connection of its own. Rejects when nothing answers. */
export function visit(at: { address: string; port: number }, host: string, path = '/'): Promise<Visit> {
  const began = performance.now()
  return new Promise((done, fail) => {
    const asked = get({ host: at.address, port: at.port, path, agent: false, timeout: 30_000, headers: { host } })
    asked.on('response', (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      answer.on('end', () => done({ status: answer.statusCode ?? 0, text, ms: performance.now() - began }))
      answer.on('error', fail)
    })
    asked.on('timeout', () => asked.destroy(new Error('no answer within 30 s')))
    asked.on('error', fail)
  })
}

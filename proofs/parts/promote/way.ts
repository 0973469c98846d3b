import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

type Stop = { step: string; nth: number; met(): void; held?: ServerResponse }

/** What an instance asks its cloud whether it promotes or not. */
const ASIDE = /^\/(healthz|api\/relay\/)/

/**
 * A way from the instance to its cloud that counts calls by the step that makes them, and can keep an answer back. `stepNow`: what the run
 * under way is at; `onCredential`: what the instance shows the cloud, once each.
 */
export async function openWay(stepNow: () => Promise<string | undefined>, onCredential: (text: string) => void) {
  const shown = new Set<string>()
  let port = 0
  let stop: Stop | undefined
  const counts = new Map<string, number>()
  const sockets = new Set<Socket>()
  const pass = (asked: IncomingMessage, answer: ServerResponse, step: string | undefined) => {
    const { method, headers, url: path } = asked
    const nth = step === undefined ? 0 : (counts.get(step) ?? 0) + 1
    if (step !== undefined) counts.set(step, nth)
    const onward = request({ host: '127.0.0.1', port, method, headers, path, agent: false }, (answered) => {
      // The cloud has done it, and nobody here will hear so.
      if (stop && stop.step === step && stop.nth === nth && stop.held === undefined) {
        stop.held = answer
        answered.resume()
        return stop.met()
      }
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      return answered.on('error', () => answer.destroy()).pipe(answer)
    })
    onward.once('error', () => answer.destroy())
    asked.on('error', () => onward.destroy()).pipe(onward)
  }
  const server = createServer((asked, answer) => {
    const credential = asked.headers.authorization?.replace(/^Bearer /, '')
    if (credential && !shown.has(credential)) {
      shown.add(credential)
      onCredential(credential)
    }
    answer.on('error', () => {})
    stepNow().then(
      (step) => pass(asked, answer, ASIDE.test(asked.url ?? '') ? undefined : step),
      () => answer.destroy(),
    )
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    to(url: string) {
      port = Number(new URL(url).port)
    },
    /** How many calls each step has made since it was asked for last. */
    counted() {
      const seen = new Map(counts)
      counts.clear()
      return seen
    },
    /** The answer to the nth call of a step is kept back; `met` resolves when there is one. `release` ends its connection. */
    keepBack(step: string, nth: number) {
      counts.clear()
      let met = () => {}
      const reached = new Promise<void>((done) => {
        met = done
      })
      const mine: Stop = { step, nth, met }
      stop = mine
      return {
        met: () => reached,
        async release() {
          if (stop === mine) stop = undefined
          mine.held?.destroy()
        },
      }
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

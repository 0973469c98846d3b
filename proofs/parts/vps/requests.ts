import { Agent, request } from 'node:http'

export type Counted = { sent: number; failed: Record<string, number>; slowestMs: number }

type Target = { socketPath?: string; host?: string; port?: number; headers: Record<string, string>; paths: string[] }

/**
 * Requests at a steady pace, half of them on connections that are kept and half on new ones. None is tried twice: what is refused,
 * cut off or answered with a failure is counted as what it was.
 */
export function requesting(target: Target, perSecond: number) {
  const { paths, ...where } = target
  const kept = new Agent({ keepAlive: true, maxSockets: 8 })
  const fresh = new Agent({ keepAlive: false, maxSockets: 64 })
  const counted: Counted = { sent: 0, failed: {}, slowestMs: 0 }
  const open = new Set<Promise<void>>()
  const one = (agent: Agent, path: string) =>
    new Promise<void>((done) => {
      const began = performance.now()
      const end = (failure?: string) => {
        counted.slowestMs = Math.max(counted.slowestMs, Math.round(performance.now() - began))
        if (failure) counted.failed[failure] = (counted.failed[failure] ?? 0) + 1
        done()
      }
      const asked = request({ ...where, path, agent, timeout: 30_000 }, (answer) => {
        answer.resume()
        answer.on('end', () => end((answer.statusCode ?? 0) < 400 ? undefined : `${path} ${answer.statusCode}`))
        answer.on('error', (error) => end(error.message))
      })
      asked.on('timeout', () => asked.destroy(new Error('no answer within 30 s')))
      asked.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
      asked.end()
    })
  const timer = setInterval(() => {
    const path = paths[counted.sent % paths.length] ?? '/'
    const going = one(counted.sent++ % 2 === 0 ? kept : fresh, path)
    open.add(going)
    void going.then(() => open.delete(going))
  }, 1000 / perSecond)
  return {
    async stop(): Promise<Counted> {
      clearInterval(timer)
      await Promise.all(open)
      kept.destroy()
      return counted
    },
  }
}

export const failuresOf = ({ failed }: Counted): number => Object.values(failed).reduce((sum, count) => sum + count, 0)

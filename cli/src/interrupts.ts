import type { Io } from './command.ts'
import { EXIT } from './failure.ts'

/** Ctrl-C: the first one asks a command to leave, the next one is for whoever waits for it, or ends the process. */
export function interrupts(process: NodeJS.Process): Pick<Io, 'signal' | 'again'> & { signal: AbortSignal } {
  const left = new AbortController()
  let waiting: (() => void) | undefined
  process.on('SIGINT', () => {
    if (!left.signal.aborted) left.abort()
    else if (waiting) waiting()
    else process.exit(EXIT.interrupted)
  })
  process.once('SIGTERM', () => left.abort())
  const again = (ms: number) =>
    new Promise<boolean>((done) => {
      const end = (said: boolean) => {
        clearTimeout(timer)
        waiting = undefined
        done(said)
      }
      const timer = setTimeout(() => end(false), ms)
      waiting = () => end(true)
    })
  return { signal: left.signal, again }
}

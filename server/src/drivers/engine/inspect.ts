import { connectEngine } from './connect.ts'
import { type EngineInspector, engineFailure } from './engine.ts'
import { gather } from './gather.ts'

/** The real inspector. The deadline covers everything; SSH gets two thirds of it, so that its own failure is the one seen. */
export function dockerInspector({ deadlineMs = 15_000 } = {}): EngineInspector {
  return {
    async inspect(target, { signal, ...options }) {
      const deadline = AbortSignal.timeout(deadlineMs)
      const either = AbortSignal.any([signal, deadline])
      try {
        const connection = await connectEngine(target, {
          ...options,
          signal: either,
          deadlineMs: Math.round((deadlineMs * 2) / 3),
        })
        try {
          return await gather(connection, either)
        } catch (error) {
          throw either.aborted ? error : await connection.explain(error)
        } finally {
          connection.close()
        }
      } catch (error) {
        signal.throwIfAborted()
        if (!deadline.aborted) throw error
        const message = `The Docker Engine at ${target.socketPath} did not answer within ${deadlineMs / 1000} s.`
        throw engineFailure('engine_timeout', message, error)
      }
    },
  }
}

import { isFailure } from '../../errors.ts'
import { EngineRefusal } from '../engine/ask-socket.ts'
import type { LocalSocket } from '../engine/local-socket.ts'
import { builderFailure } from './builder.ts'

/** Words for what stopped a build at its engine. What is already a failure stays as it is. */
export async function explain(engine: LocalSocket, thrown: unknown): Promise<unknown> {
  if (isFailure(thrown, 'builder')) return thrown
  const error = engine.reasonOf(thrown)
  if (isFailure(error, 'ssh')) return engine.explain(error)
  const { at } = engine
  if (error instanceof EngineRefusal) {
    return builderFailure('engine_failed', `The Docker Engine at ${at} refused: ${error.message}.`, error)
  }
  const { code, name } = error as { code?: string; name?: string }
  if (name === 'TimeoutError' || name === 'AbortError') {
    return builderFailure('engine_timeout', `The Docker Engine at ${at} does not answer.`, error)
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return builderFailure('engine_lost', `The Docker Engine at ${at} closed the connection.`, error)
  }
  return engine.explain(error)
}

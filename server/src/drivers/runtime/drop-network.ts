import type Docker from 'dockerode'
import type { NetworkAnswer } from '../engine/answers.ts'
import { callEngine, unlessMissing, wordsOf } from '../engine/ask.ts'
import { runtimeFailure } from './failure.ts'

/** A network that was in a list, by its id: what was made under its name since stays. One that is in use is a failure. */
export async function dropNetwork(docker: Docker, { Id, Name }: NetworkAnswer, signal: AbortSignal): Promise<void> {
  try {
    await unlessMissing(callEngine(docker, { method: 'DELETE', path: `/networks/${Id}` }, signal))
  } catch (error) {
    if (!/in use|active endpoints/i.test(wordsOf(error))) throw error
    throw runtimeFailure('in_use', `The network ${Name} is in use.`, error)
  }
}

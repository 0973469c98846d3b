import { setTimeout as sleep } from 'node:timers/promises'
import type { Epoch } from '../db/epoch.ts'
import { databaseOutage } from '../errors.ts'

type Log = Record<'warn' | 'error', (facts: object, words: string) => void>
export type Working = {
  /** Hands everything over to others. */
  drain(): Promise<void>
  /** Stops, and says nothing to anybody: what it holds is not its own any more. */
  drop(): Promise<void>
}
type Options = { epoch: Epoch; log: Log; start(): Promise<Working> }

const AGAIN_MS = 1000

/**
 * Works until drained. When the database's history becomes another one, everything in hand is dropped and begun anew: by
 * whom it is to be continued is for the database to say, which may not know of us.
 */
export async function keepWorking({ epoch, log, start }: Options): Promise<{ drain(): Promise<void> }> {
  const ending = new AbortController()
  let current: Working | undefined = await start()
  let turn: Promise<void> = Promise.resolve()

  const beginAnew = async () => {
    if (ending.signal.aborted) return
    log.warn({}, 'the database lost its newest transactions: this process drops what it holds and begins anew')
    const over = current
    current = undefined
    await over?.drop()
    while (!ending.signal.aborted && current === undefined) {
      current = await start().catch(async (error) => {
        if (!databaseOutage(error)) log.error({ err: error }, 'work could not begin anew')
        await sleep(AGAIN_MS, undefined, { signal: ending.signal }).catch(() => {})
        return undefined
      })
    }
  }
  epoch.onChange((change) => {
    if (change === 'another history') turn = turn.then(beginAnew)
  })

  return {
    async drain() {
      ending.abort()
      await turn
      await current?.drain()
    },
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningServer } from '../../../test-kit/built-server.ts'
import type { PrivatePostgres } from '../../../test-kit/private-postgres.ts'
import { until } from '../../../test-kit/until.ts'
import type { Blow } from './crash-once.ts'
import { type Pair, takeover } from './pair.ts'
import { runRow } from './run-rows.ts'

/** Both processes are killed; one is started again, and it counts from when that one answers. */
export const killBoth: Blow = async (pair, id) => {
  const { fence } = await pair.ownerOf(id)
  for (const { child } of pair.living()) child.kill('SIGKILL')
  await pair.site.start()
  const ms = await takeover(pair, id, fence, performance.now())
  await pair.complete()
  return ms
}

/** The owner is stopped until another has taken over, and goes on as if nothing had happened. */
export const pause: Blow = async (pair, id) => {
  const { owner, ms } = await stop(pair, id)
  owner.child.kill('SIGCONT')
  return ms
}

/** The owner is stopped for longer than the whole deployment takes. What it does then must be nothing at all. */
export function oversleep() {
  const asleep: RunningServer[] = []
  const blow: Blow = async (pair, id) => {
    const { owner, ms } = await stop(pair, id)
    asleep.push(owner)
    return ms
  }
  const wake = async (pair: Pair, id: string): Promise<string[]> => {
    const before = await runRow(pair.pool, id)
    const wrong: string[] = []
    for (const { child, url } of asleep) {
      child.kill('SIGCONT')
      const answers = async () => (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) })).ok
      await until('it answers again', 20_000, () => answers().catch(() => false))
      // Time for whatever it had begun.
      await sleep(4000)
      if (JSON.stringify(await runRow(pair.pool, id)) !== JSON.stringify(before))
        wrong.push('its run changed afterwards')
    }
    return wrong
  }
  return { blow, wake }
}

async function stop(pair: Pair, id: string) {
  const { owner, fence } = await pair.ownerOf(id)
  // Nobody is to ask the one that cannot answer.
  const { replicas } = pair.site
  replicas.splice(replicas.indexOf(owner), 1)
  replicas.unshift(owner)
  const since = performance.now()
  owner.child.kill('SIGSTOP')
  return { owner, ms: await takeover(pair, id, fence, since) }
}

const DOWN_MS = 10_000

/** PostgreSQL is gone for ten seconds. Nobody died, so nobody must be declared dead: `same` says whether it has its owner still. */
export function outage(postgres: PrivatePostgres) {
  let struck: { id: string; fence: number } | undefined
  const blow: Blow = async (pair, id) => {
    struck = { id, fence: (await pair.ownerOf(id)).fence }
    await postgres.stop('SIGQUIT')
    await sleep(DOWN_MS)
    await postgres.start()
    return null
  }
  const same = async (pair: Pair): Promise<string[]> => {
    const row = struck && (await runRow(pair.pool, struck.id))
    return row?.fence === struck?.fence ? [] : ['an owner that lived was declared dead']
  }
  return { blow, same }
}

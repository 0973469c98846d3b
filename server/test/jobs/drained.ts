import { expect, type TestContext } from 'vitest'
import { HEARTBEAT_SECONDS } from '../../src/jobs/transport.ts'
import { openYard } from './yard.ts'

export async function drained({ onTestFinished }: TestContext): Promise<void> {
  const yard = await openYard()
  onTestFinished(yard.close)
  const [first, second, third, replacement] = await Promise.all([4, 4, 4, 8].map(yard.forkIdle))
  if (!first || !second || !third || !replacement) throw new Error('four were asked for')
  const [early] = await Promise.all([yard.submit(), first.start(), second.start(), third.start()])
  await yard.untilStatus(early, 'succeeded')
  const queues = await yard.query<{ name: string; policy: string }>('select name, policy from pgboss.queue')
  expect(queues).toEqual([{ name: 'run', policy: 'singleton' }])
  await third.end('SIGTERM')

  const ids = await Promise.all(Array.from({ length: 8 }, () => yard.submit({ firstMs: 30_000 })))
  const started = await Promise.all(ids.map((id) => yard.untilEffect(id, 'start:build')))
  const leaving = ids.filter((_, k) => started[k]?.pid === first.pid)
  expect(leaving).toHaveLength(4)
  await replacement.start()
  const askedAt = Date.now()
  const gone = first.end('SIGTERM').then(() => Date.now() - askedAt)
  const resumed = await Promise.all(leaving.map((id) => yard.untilEffect(id, 'start:build', 2)))
  const times = resumed.map((event) => event.at - askedAt)
  console.log(
    `SIGTERM → continues elsewhere: ${times.map((ms) => ms.toFixed(0)).join(', ')} ms; process gone after ${await gone} ms`,
  )
  // Handed over: nobody waits until a heart has stopped for long enough.
  expect(Math.max(...times)).toBeLessThan(HEARTBEAT_SECONDS * 1000)
  expect(resumed.every((event) => event.pid === replacement.pid)).toBe(true)
  for (const id of leaving) expect(await yard.row(id)).toMatchObject({ fence: 2 })

  for (const id of leaving) await yard.untilStatus(id, 'succeeded')
  await second.end('SIGKILL')
  const heir = await yard.fork(8)
  const undoing = await yard.submit({ buildMs: 600_000, undoMs: 2500 })
  await yard.untilEffect(undoing, 'start:build')
  await yard.cancel(undoing)
  const undo = await yard.untilEffect(undoing, 'start:undo:build')
  await Promise.all([heir, replacement].filter(({ pid }) => pid === undo.pid).map((worker) => worker.end('SIGTERM')))
  const again = await yard.untilEffect(undoing, 'start:undo:build', 2)
  expect(again.pid).not.toBe(undo.pid)
  expect(again.at - undo.at).toBeLessThan(HEARTBEAT_SECONDS * 1000)
  await yard.untilStatus(undoing, 'cancelled')
}

import { expect, type TestContext } from 'vitest'
import { openYard } from './yard.ts'

export async function paused({ onTestFinished }: TestContext): Promise<void> {
  const yard = await openYard()
  onTestFinished(yard.close)
  const [first, second] = await Promise.all([yard.fork(), yard.forkIdle()])
  const obedient = await yard.submit({ firstMs: 60_000, buildMs: 500 })
  // Ends its step when it wakes as if nothing had happened.
  const deaf = await yard.submit({ firstMs: 12_000, buildMs: 500, deaf: true })
  const undoing = await yard.submit({ firstMs: 60_000 })
  // Stopped in the middle of a transaction, with the run's row locked.
  const writing = await yard.submit({ holdAt: 'build:end' })
  await yard.untilEffect(obedient, 'start:build')
  await yard.untilEffect(deaf, 'start:build')
  await yard.untilEffect(undoing, 'start:build')
  await yard.cancel(undoing)
  await yard.untilEffect(undoing, 'start:undo:build')
  await yard.untilEffect(writing, 'hold:build:end')
  await second.start()
  await first.end('SIGSTOP')
  const runs = [obedient, deaf, undoing, writing]
  const steps = ['start:build', 'start:build', 'start:undo:build', 'start:build']
  for (const [k, id] of runs.entries()) {
    const taken = await yard.untilEffect(id, steps[k] ?? '', 2)
    expect(taken).toMatchObject({ pid: second.pid })
  }
  const wokenAt = Date.now()
  await first.end('SIGCONT')
  const aborted = await yard.untilEffect(obedient, 'abort:build')
  console.log(`woken after a takeover → stale step aborted: ${(aborted.at - wokenAt).toFixed(0)} ms`)
  expect(aborted.fence).toBe(1)
  await yard.untilEffect(deaf, 'threw:build:LeaseLost')
  await yard.untilStatus(obedient, 'succeeded')
  await yard.untilStatus(deaf, 'succeeded')
  await yard.untilStatus(undoing, 'cancelled')
  await yard.untilStatus(writing, 'succeeded')
  for (const id of [obedient, deaf, writing]) {
    const notes = await yard.notes(id)
    expect(notes.filter((note) => note.startsWith('end:'))).toHaveLength(5)
    expect(notes.filter((note) => note === 'written')).toHaveLength(1)
    expect((await yard.effects(id)).filter((event) => event.what === 'start:rollout')).toHaveLength(1)
  }
  expect((await yard.notes(undoing)).filter((note) => note === 'cancelled')).toHaveLength(1)
  const late = 'select 1 from note a join note b using (run_id) where b.seq < a.seq and b.fence > a.fence'
  expect(await yard.query(late)).toEqual([])
  // It is a worker like any other again.
  await second.end('SIGTERM')
  const next = await yard.submit()
  await yard.untilStatus(next, 'succeeded')
}

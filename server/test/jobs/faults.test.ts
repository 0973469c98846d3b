import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../../test-kit/until.ts'
import { HEARTBEAT_SECONDS } from '../../src/jobs/transport.ts'
import { drained } from './drained.ts'
import { databaseAway } from './outage.ts'
import { paused } from './paused.ts'
import { silentTransaction } from './silent-transaction.ts'
import { openYard, type Yard } from './yard.ts'

// Most of the time here is waiting for a heart to have stopped, so all of it waits at once.
describe.concurrent('other ways to lose a worker', { timeout: 150_000 }, () => {
  test('paused until another takes over, it writes nothing more when it wakes', paused)
  test('stopped in a transaction of any kind, it keeps its locks no longer than it passes for alive', silentTransaction)
  test('replicas that start at once on an empty database all work, and SIGTERM hands runs over', drained)
  test('PostgreSQL away for 12 s: no running step is repeated, what ended meanwhile is written once', databaseAway)
})

/** Everything that can be under way when a worker is killed without a word, killed once for all of it. */
describe.concurrent('a worker killed with -9', { timeout: 120_000 }, () => {
  let yard: Yard
  let killedAt = 0
  let deadPid = 0
  const run: Record<string, string> = {}
  const id = (name: string) => run[name] ?? ''

  beforeAll(async () => {
    yard = await openYard()
    const first = await yard.fork(30)
    deadPid = first.pid
    const points: Record<string, string> = {
      inside: 'build',
      starting: 'build:start',
      ending: 'build:end',
      between: 'after:build',
      cancelled: 'build',
      hopeless: 'build',
      lost: 'build',
    }
    for (const [name, holdAt] of Object.entries(points)) run[name] = await yard.submit({ holdAt })
    run.undoing = await yard.submit({ failAt: 'rollout', holdAt: 'undo:build' })
    run.parked = await yard.submit({ gate: true })
    run.limited = await yard.submit({ holdAt: 'build', limit: { name: 'one', most: 1 } })
    run.follower = await yard.submit({}, { lane: id('inside') })
    for (const [name, point] of Object.entries(points)) await yard.untilEffect(id(name), `hold:${point}`)
    await yard.untilEffect(id('undoing'), 'hold:undo:build')
    await yard.untilEffect(id('limited'), 'hold:build')
    await yard.untilStatus(id('parked'), 'parked')
    await yard.query('update run set attempts = 5 where id = $1', [id('hopeless')])
    await yard.fork(30)
    run.waiting = await yard.submit({ limit: { name: 'one', most: 1 } })
    await yard.untilEffect(id('waiting'), 'done:detect')
    killedAt = Date.now()
    await first.end('SIGKILL')
    await yard.query('delete from pgboss.job where singleton_key = $1', [id('lost')])
    expect(await yard.cancel(id('cancelled'))).toBe('cancelling')
  }, 120_000)

  afterAll(() => yard.close())

  const starts = async (name: string, step: string) =>
    (await yard.effects(id(name))).filter((event) => event.what === `start:${step}`)
  const count = async (name: string, note: string) =>
    (await yard.notes(id(name))).filter((each) => each === note).length

  test('inside a step: the step starts again elsewhere when the heart has stopped, finished steps do not', async () => {
    const again = await yard.untilEffect(id('inside'), 'start:build', 2)
    console.log(`kill -9 → step restarts: ${((again.at - killedAt) / 1000).toFixed(1)} s`)
    // On a busy machine; how soon it is otherwise, bin/prove crash says.
    expect(again.at - killedAt).toBeLessThan(3 * HEARTBEAT_SECONDS * 1000)
    expect(again.pid).not.toBe(deadPid)
    await yard.untilStatus(id('inside'), 'succeeded')
    expect(await starts('inside', 'fetch')).toHaveLength(1)
    expect(await starts('inside', 'detect')).toHaveLength(1)
    expect(await yard.row(id('inside'))).toMatchObject({ fence: 2, attempts: 0 })
    await yard.untilStatus(id('follower'), 'succeeded')
  })

  test('in the transaction that starts a step: nothing of it was written, then everything once', async () => {
    await yard.untilStatus(id('starting'), 'succeeded')
    expect(await count('starting', 'start:build')).toBe(1)
    expect(await starts('starting', 'build')).toHaveLength(1)
  })

  test('in the transaction that ends a step: the step runs again and its end is written once', async () => {
    await yard.untilStatus(id('ending'), 'succeeded')
    expect(await starts('ending', 'build')).toHaveLength(2)
    expect(await count('ending', 'end:build')).toBe(1)
  })

  test('between two steps: neither of them runs twice', async () => {
    await yard.untilStatus(id('between'), 'succeeded')
    expect(await starts('between', 'build')).toHaveLength(1)
    expect(await starts('between', 'rollout')).toHaveLength(1)
  })

  test('while undoing: the rest is undone, what was undone is not undone again, and no step starts anew', async () => {
    await yard.untilStatus(id('undoing'), 'failed')
    expect(await starts('undoing', 'undo:rollout')).toHaveLength(1)
    expect(await starts('undoing', 'undo:build')).toHaveLength(2)
    expect(await starts('undoing', 'build')).toHaveLength(1)
    expect((await yard.notes(id('undoing'))).filter((note) => /unwind|failed/.test(note))).toEqual([
      'unwind:failed',
      'failed',
    ])
  })

  test('a cancel accepted while nobody owned the run holds', async () => {
    await yard.untilStatus(id('cancelled'), 'cancelled')
    expect(await starts('cancelled', 'build')).toHaveLength(1)
    expect(await starts('cancelled', 'undo:build')).toHaveLength(1)
  })

  test('a run that has lost five workers without progress is given up and undone', async () => {
    await yard.untilStatus(id('hopeless'), 'failed')
    expect((await yard.row(id('hopeless')))?.outcomeReason).toMatchObject({ code: 'run_abandoned' })
    expect(await starts('hopeless', 'build')).toHaveLength(1)
    expect(await starts('hopeless', 'undo:build')).toHaveLength(1)
  })

  test('a run whose job was deleted is found and finished', async () => {
    await yard.untilStatus(id('lost'), 'succeeded')
    expect(await starts('lost', 'build')).toHaveLength(2)
  })

  test('at a gate: the answer is taken by another worker at once', async () => {
    const asked = Date.now()
    expect(await yard.respond(id('parked'))).toBe(true)
    const { at } = await yard.untilEffect(id('parked'), 'start:rollout')
    expect(at - asked).toBeLessThan(HEARTBEAT_SECONDS * 1000)
    await yard.untilStatus(id('parked'), 'succeeded')
  })

  test('holding a limit: the place comes free, and never do two runs hold it', async () => {
    await yard.untilStatus(id('limited'), 'succeeded')
    await yard.untilStatus(id('waiting'), 'succeeded')
    const events = [...(await yard.effects(id('limited'))), ...(await yard.effects(id('waiting')))]
    const alive = events.filter((event) => event.pid !== deadPid && /^(start|done):build$/.test(event.what))
    const order = alive.sort((a, b) => a.at - b.at).map((event) => event.what)
    expect(order.slice(-4)).toEqual(['start:build', 'done:build', 'start:build', 'done:build'])
    expect(await yard.query('select 1 from run_limit')).toEqual([])
  })

  test('nothing is left open, and no fence wrote after a newer one', async () => {
    await until('every run is over', 40_000, async () => {
      const open = await yard.query('select id from run where finished_at is null')
      return open.length === 0 ? true : undefined
    })
    const late = `select 1 from note a join note b using (run_id) where b.seq < a.seq and b.fence > a.fence`
    expect(await yard.query(late)).toEqual([])
  })
})

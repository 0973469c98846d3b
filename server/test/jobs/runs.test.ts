import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../../test-kit/until.ts'
import { transaction } from '../../src/db/database.ts'
import { newId } from '../../src/db/ids.ts'
import { submit } from '../../src/jobs/enqueue.ts'
import { sweepRuns } from '../../src/jobs/sweep.ts'
import { HEARTBEAT_SECONDS } from '../../src/jobs/transport.ts'
import { ORG, openYard, type Yard } from './yard.ts'

let yard: Yard
beforeAll(async () => {
  yard = await openYard()
  await yard.inProcess(20)
})
afterAll(() => yard.close())

const ALL_ENDS = ['fetch', 'detect', 'build', 'rollout', 'health']
const ends = (notes: string[]) => notes.filter((note) => note.startsWith('end:')).map((note) => note.slice(4))

test('a submission that is rolled back leaves no run and no job', async () => {
  const id = newId('dep')
  const attempt = transaction(yard.db, async (tx) => {
    await submit(tx, yard.transport, { id, lane: id, kind: 'test', orgId: ORG, input: {} })
    throw new Error('changed my mind')
  })
  await expect(attempt).rejects.toThrow('changed my mind')
  expect(await yard.row(id)).toBeUndefined()
  expect(await yard.jobs(id)).toEqual([])
})

test('a run starts only when its transaction commits, and then at once', async () => {
  const id = newId('dep')
  let seen = -1
  await transaction(yard.db, async (tx) => {
    await submit(tx, yard.transport, { id, lane: id, kind: 'test', orgId: ORG, input: {} })
    await new Promise((next) => setTimeout(next, 1500))
    seen = (await yard.effects(id)).length
  })
  expect(seen).toBe(0)
  await yard.untilStatus(id, 'succeeded')
  const times: number[] = []
  for (let i = 0; i < 7; i++) {
    const submitted = Date.now()
    const next = await yard.submit()
    times.push((await yard.untilEffect(next, 'start:fetch')).at - submitted)
    await yard.untilStatus(next, 'succeeded')
  }
  const median = times.sort((a, b) => a - b)[3] ?? Number.POSITIVE_INFINITY
  console.log(`submit → first step: median ${median.toFixed(0)} ms, most ${times.at(-1)?.toFixed(0)} ms`)
  expect(median).toBeLessThan(1000)
})

test('every step and the end are written once, and the lane has no job left', async () => {
  const id = await yard.submit()
  await yard.untilStatus(id, 'succeeded')
  const notes = await yard.notes(id)
  expect(ends(notes)).toEqual(ALL_ENDS)
  expect(notes.filter((note) => note === 'written')).toHaveLength(1)
  expect(notes.at(-1)).toBe('succeeded')
  expect(await yard.row(id)).toMatchObject({ fence: 1, attempts: 0, outcome: null, gate: null })
  await until('the job is completed', 20_000, async () =>
    (await yard.jobs(id)).every((job) => job.state === 'completed') ? true : undefined,
  )
})

test('a gate is answered once, by its own organization, when it waits, and holds no job meanwhile', async () => {
  const id = await yard.submit({ gate: true, stepMs: 100 })
  expect(await yard.respond(id)).toBe(false)
  await yard.untilStatus(id, 'parked')
  expect((await yard.jobs(id)).filter((job) => ['created', 'retry', 'active'].includes(job.state))).toEqual([])
  expect(await yard.respond(id, { gate: 'other' })).toBe(false)
  expect(await yard.respond(id, { orgId: 'org_2' })).toBe(false)
  const answers = await Promise.all(['yes', 'no', 'perhaps'].map((answer) => yard.respond(id, { answer })))
  expect(answers.filter(Boolean)).toHaveLength(1)
  await yard.untilStatus(id, 'succeeded')
  expect(await yard.respond(id)).toBe(false)
  expect((await yard.row(id))?.answers).toEqual({ approve: ['yes', 'no', 'perhaps'][answers.indexOf(true)] })
  expect(ends(await yard.notes(id))).toEqual(ALL_ENDS)
  expect((await yard.effects(id)).filter((event) => event.what === 'start:build')).toHaveLength(1)
})

test('a failing step ends the run with its reason, after what was started is undone backwards', async () => {
  const id = await yard.submit({ failAt: 'rollout' })
  await yard.untilStatus(id, 'failed')
  const undone = (await yard.effects(id)).filter((event) => event.what.startsWith('done:undo:'))
  expect(undone.map((event) => event.what)).toEqual(['done:undo:rollout', 'done:undo:build'])
  expect((await yard.notes(id)).slice(-2)).toEqual(['unwind:failed', 'failed'])
  const reason = { code: 'test', message: 'rollout does not work', step: 'rollout' }
  expect((await yard.row(id))?.outcomeReason).toEqual(reason)
  expect(await yard.cancel(id)).toBeNull()
})

test('an undo that fails is told, and the rest is undone all the same', async () => {
  const id = await yard.submit({ failAt: 'undo:rollout', stepMs: 300 })
  await yard.untilEffect(id, 'start:rollout')
  expect(await yard.cancel(id)).toBe('cancelling')
  await yard.untilStatus(id, 'cancelled')
  expect((await yard.notes(id)).at(-1)).toBe('cancelled!rollout')
  expect((await yard.effects(id)).map((event) => event.what)).toContain('done:undo:build')
})

test('an undo that leaves the rest to others has not failed, but is told; it knows why it is done', async () => {
  const id = await yard.submit({ failAt: 'rollout', laterAt: 'rollout' })
  await yard.untilStatus(id, 'failed')
  expect((await yard.notes(id)).at(-1)).toBe('failed!rollout')
  const effects = (await yard.effects(id)).map((event) => event.what)
  expect(effects).toContain('done:undo:build')
  expect(effects.filter((what) => what.startsWith('because:'))).toEqual(['because:failed', 'because:failed'])
})

test('a cancel aborts the running step at once; the run ends cancelled and undone', async () => {
  const times: number[] = []
  for (let i = 0; i < 5; i++) {
    const id = await yard.submit({ buildMs: 600_000 })
    await yard.untilEffect(id, 'start:build')
    const asked = Date.now()
    expect(await yard.cancel(id, 'org_2')).toBeNull()
    expect(await yard.cancel(id)).toBe('cancelling')
    times.push((await yard.untilEffect(id, 'abort:build')).at - asked)
    await yard.untilStatus(id, 'cancelled')
    expect(await yard.cancel(id)).toBeNull()
    expect((await yard.notes(id)).slice(-2)).toEqual(['unwind:cancelled', 'cancelled'])
  }
  console.log(`cancel → abort: ${times.map((ms) => ms.toFixed(0)).join(', ')} ms`)
  expect(Math.min(...times)).toBeLessThan(500)
})

test('a cancel is heard soon even if its notification is lost', async () => {
  const id = await yard.submit({ buildMs: 600_000 })
  await yard.untilEffect(id, 'start:build')
  const asked = Date.now()
  await yard.query('update run set cancel = true where id = $1', [id])
  const { at } = await yard.untilEffect(id, 'abort:build')
  expect(at - asked).toBeLessThan(HEARTBEAT_SECONDS * 1000)
  await yard.untilStatus(id, 'cancelled')
})

test('a parked run that is cancelled is undone by a worker; its answer comes too late', async () => {
  const id = await yard.submit({ gate: true })
  await yard.untilStatus(id, 'parked')
  expect(await yard.cancel(id)).toBe('cancelling')
  expect(await yard.respond(id)).toBe(false)
  await yard.untilStatus(id, 'cancelled')
  expect((await yard.effects(id)).map((event) => event.what)).toContain('done:undo:build')
})

test('a parked run whose caller undoes it is over at once, without a worker, and its lane goes on', async () => {
  const id = await yard.submit({ gate: true })
  await yard.untilStatus(id, 'parked')
  const after = await yard.submit({}, { lane: id })
  expect(await yard.cancel(id, undefined, { endParked: true })).toBe('cancelled')
  expect(await yard.statusOf(id)).toBe('cancelled')
  await yard.untilStatus(after, 'succeeded')
  expect((await yard.effects(id)).map((event) => event.what)).not.toContain('start:undo:build')
})

test('a queued run that is cancelled is over at once and never starts', async () => {
  const first = await yard.submit({ gate: true })
  await yard.untilStatus(first, 'parked')
  const second = await yard.submit({}, { lane: first })
  expect(await yard.cancel(second)).toBe('cancelled')
  expect(await yard.statusOf(second)).toBe('cancelled')
  await yard.respond(first)
  await yard.untilStatus(first, 'succeeded')
  expect(await yard.effects(second)).toEqual([])
})

test('of 40 runs cancelled at random moments, exactly those whose cancel was accepted end cancelled', async () => {
  const jobs = Array.from({ length: 40 }, async (_, k) => {
    const id = await yard.submit({ gate: k % 4 === 0, ...(k % 5 === 0 && { failAt: 'rollout' }) })
    await new Promise((next) => setTimeout(next, Math.random() * 700))
    const accepted = await yard.cancel(id)
    if (!accepted) await until('an answer', 10_000, async () => (await answerOrEnd(id)) || undefined)
    const status = await until('the end', 20_000, async () => (await ended(id)) ?? undefined)
    return { accepted: accepted !== null, cancelled: status === 'cancelled' }
  })
  const done = await Promise.all(jobs)
  expect(done.filter((run) => run.accepted !== run.cancelled)).toEqual([])
  console.log(`${done.filter((run) => run.accepted).length} of 40 cancels accepted`)
})
const ended = async (id: string) => {
  const status = await yard.statusOf(id)
  return status && ['succeeded', 'failed', 'cancelled'].includes(status) ? status : null
}
const answerOrEnd = async (id: string) => (await yard.respond(id)) || (await ended(id)) !== null

test('runs of a lane go one at a time, in order, and a parked one holds the rest back', async () => {
  const lane = newId('prj')
  const first = await yard.submit({ gate: true }, { lane })
  await yard.untilStatus(first, 'parked')
  const others = [await yard.submit({}, { lane }), await yard.submit({}, { lane })]
  await until('their calls were answered', 10_000, async () =>
    (await yard.jobs(lane)).every((job) => job.state === 'completed') ? true : undefined,
  )
  expect(await Promise.all(others.map(yard.statusOf))).toEqual(['queued', 'queued'])
  await yard.respond(first)
  for (const id of [first, ...others]) await yard.untilStatus(id, 'succeeded')
  const spans = await Promise.all([first, ...others].map(yard.effects))
  for (const [k, span] of spans.entries()) {
    expect(span[0]?.at).toBeGreaterThan(spans[k - 1]?.at(-1)?.at ?? 0)
  }
})

test('a superseding run ends those that have not started, and only those', async () => {
  const lane = newId('prj')
  const [a, b, c, d] = [
    await yard.submit({ gate: true }, { lane, supersede: ['test'] }).then(async (id) => {
      await yard.untilStatus(id, 'parked')
      return id
    }),
    await yard.submit({}, { lane, supersede: ['test'] }),
    await yard.submit({}, { lane, supersede: ['test'] }),
    await yard.submit({}, { lane, supersede: ['test'] }),
  ]
  expect(await Promise.all([a, b, c, d].map(yard.statusOf))).toEqual(['parked', 'superseded', 'superseded', 'queued'])
  await yard.respond(a)
  await yard.untilStatus(d, 'succeeded')
  expect([await yard.effects(b), await yard.effects(c)]).toEqual([[], []])
})

test('a run that is under way is superseded by nobody, and goes on to its end', async () => {
  const lane = newId('prj')
  const first = await yard.submit({ buildMs: 2000 }, { lane })
  await yard.untilEffect(first, 'start:build')
  const next = await yard.submit({}, { lane, supersede: ['test'] })
  expect(await yard.statusOf(first)).toBe('running')
  await yard.untilStatus(first, 'succeeded')
  await yard.untilStatus(next, 'succeeded')
})

test('only runs of the kinds that were named are superseded', async () => {
  const lane = newId('prj')
  const first = await yard.submit({ gate: true }, { lane })
  await yard.untilStatus(first, 'parked')
  const other = await yard.submit({}, { lane })
  await yard.submit({}, { lane, supersede: ['deploy'] })
  expect(await yard.statusOf(other)).toBe('queued')
  await yard.cancel(first)
})

test('old runs with an id of their own are deleted, those of others and young ones stay', async () => {
  const week = 7 * 24 * 3600_000
  const old = newId('run', Date.now() - week - 1000)
  const ids = [old, newId('run'), newId('dep', Date.now() - 2 * week), newId('run', Date.now() - 2 * week)]
  const over = { kind: 'x', orgId: ORG, input: '{}', status: 'failed', finishedAt: new Date() } as const
  for (const id of ids)
    await yard.db
      .insertInto('run')
      .values({ id, lane: id, ...over })
      .execute()
  await yard.query('update run set finished_at = null, status = $2 where id = $1', [ids[3], 'queued'])
  expect(await sweepRuns(yard.db, new AbortController().signal)).toBe(1)
  expect(await Promise.all(ids.map(yard.statusOf))).toEqual([undefined, 'failed', 'failed', 'queued'])
  await yard.query('delete from run where id = any($1)', [ids])
})

test('of 20 superseding submissions at once, the last one runs', async () => {
  const lane = newId('prj')
  const ids = await Promise.all(
    Array.from({ length: 20 }, () => yard.submit({ buildMs: 100 }, { lane, supersede: ['test'] })),
  )
  await until('all are over', 20_000, async () => {
    const open = await yard.query(`select 1 from run where lane = $1 and finished_at is null`, [lane])
    return open.length === 0 ? true : undefined
  })
  const [last] = await yard.query<{ status: string }>(
    'select status from run where lane = $1 order by position desc limit 1',
    [lane],
  )
  expect(last?.status).toBe('succeeded')
  const all = await Promise.all(ids.map(yard.statusOf))
  expect(all.every((status) => status === 'succeeded' || status === 'superseded')).toBe(true)
})

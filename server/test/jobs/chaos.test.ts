import { expect, test } from 'vitest'
import { until } from '../../../test-kit/until.ts'
import { newId } from '../../src/db/ids.ts'
import type { Input } from './pipeline.ts'
import { openYard, type WorkerProcess, type Yard } from './yard.ts'

const RUNS = 60
const LANES = 30
const DISTURBANCES = 9
const EVERY_MS = 1500

type Planned = { id: string; input: Input; accepted: Promise<boolean> }

test('60 runs under kills, pauses and SIGTERMs: none lost, none ends wrongly, one active per lane', {
  timeout: 240_000,
}, async ({ onTestFinished }) => {
  const yard = await openYard()
  onTestFinished(yard.close)
  const workers = await Promise.all([yard.fork(8), yard.fork(8), yard.fork(8)])
  const lanes = Array.from({ length: LANES }, () => newId('prj'))
  const plan: Planned[] = []
  for (let k = 0; k < RUNS; k++) plan.push(await planned(yard, k, lanes[k % LANES] ?? ''))
  const done = new AbortController()
  const looking = watchLanes(yard, done.signal)
  const answering = answerGates(yard, done.signal)
  const disturbed = await disturb(yard, workers)
  await until('every run is over', 150_000, async () => {
    const open = await yard.query('select 1 from run where finished_at is null')
    return open.length === 0 ? true : undefined
  })
  done.abort()
  await answering
  expect(await looking).toBe(1)
  const wrong = (await Promise.all(plan.map((run) => judge(yard, run)))).flat()
  expect(wrong).toEqual([])
  const late = 'select 1 from note a join note b using (run_id) where b.seq < a.seq and b.fence > a.fence'
  expect(await yard.query(late)).toEqual([])
  const ends = await yard.query<{ status: string; n: number }>('select status, count(*)::int n from run group by 1')
  const [claims] = await yard.query<{ n: number }>('select sum(fence)::int n from run')
  console.log(
    `chaos: ${disturbed.join(' ')} → ${ends.map((end) => `${end.n} ${end.status}`).join(', ')}; ${claims?.n} claims`,
  )
})

async function planned(yard: Yard, k: number, lane: string): Promise<Planned> {
  const failing = k % 7 === 3 && { failAt: 'health' }
  const limited = k % 4 === 2 && { limit: { name: `build:${k % 3}`, most: 2 } }
  const resting = k % 4 === 1 && { rest: { ms: 800, workMs: 2500 } }
  const input: Input = {
    ...{ buildMs: 700, stepMs: 150, undoMs: 300, gate: k % 5 === 0 },
    ...{ ...failing, ...limited, ...resting },
  }
  const id = await yard.submit(input, { lane })
  const cancel = async () => {
    await new Promise((next) => setTimeout(next, 500 + Math.random() * 12_000))
    return (await yard.cancel(id)) !== null
  }
  return { id, input, accepted: k % 6 === 1 ? cancel() : Promise.resolve(false) }
}

/** A third each of: killed and replaced, asked to leave and replaced, paused for longer than a heartbeat. */
async function disturb(yard: Yard, workers: WorkerProcess[]): Promise<string[]> {
  const how: string[] = []
  for (let k = 0; k < DISTURBANCES; k++) {
    await new Promise((next) => setTimeout(next, EVERY_MS * (0.5 + Math.random())))
    const place = k % workers.length
    const worker = workers[place]
    if (!worker) continue
    const signal = (['SIGKILL', 'SIGTERM', 'SIGSTOP'] as const)[Math.floor(k / 3 + k) % 3] ?? 'SIGKILL'
    how.push(signal.slice(3))
    if (signal === 'SIGSTOP') {
      setTimeout(() => worker.child.kill('SIGCONT'), 13_000)
      await worker.end(signal)
    } else {
      void worker.end(signal)
    }
    workers[place] = await yard.fork(8)
  }
  return how
}

async function answerGates(yard: Yard, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const { id } of await yard.query<{ id: string }>(`select id from run where status = 'parked'`)) {
      if (Math.random() < 0.3) await yard.respond(id)
    }
    await new Promise((next) => setTimeout(next, 150))
  }
}

/** The most runs of one lane whose steps were under way at once, looked at again and again. */
async function watchLanes(yard: Yard, signal: AbortSignal): Promise<number> {
  let most = 0
  while (!signal.aborted) {
    const [row] = await yard.query<{ n: number }>(
      `select max(n)::int n from (select count(*) n from run where status in ('running', 'parked') group by lane) x`,
    )
    most = Math.max(most, row?.n ?? 0)
    await new Promise((next) => setTimeout(next, 40))
  }
  return most
}

async function judge(yard: Yard, { id, input, accepted }: Planned): Promise<string[]> {
  const wrong: string[] = []
  const status = await yard.statusOf(id)
  const wanted = (await accepted) ? 'cancelled' : input.failAt ? 'failed' : 'succeeded'
  if (status !== wanted) wrong.push(`${id} is ${status}, not ${wanted}`)
  const notes = await yard.notes(id)
  const times = (note: string) => notes.filter((each) => each === note).length
  const steps = ['fetch', 'detect', 'build', 'rollout', 'health']
  for (const step of steps) if (times(`end:${step}`) > 1) wrong.push(`${id} ended ${step} twice`)
  if (status === 'succeeded' && steps.some((step) => times(`end:${step}`) !== 1)) wrong.push(`${id} left out a step`)
  const queued = status === 'cancelled' && notes.length === 0
  if (!queued && notes.filter((note) => note === status).length !== 1) wrong.push(`${id} has not one end`)
  const effects = await yard.effects(id)
  const once = effects.filter((event) => event.what.startsWith('start:')).map((event) => `${event.what}/${event.fence}`)
  if (new Set(once).size !== once.length) wrong.push(`${id} started a step twice under one fence`)
  if (status !== 'succeeded') {
    for (const step of ['build', 'rollout']) {
      const begun = notes.includes(`start:${step}`)
      if (begun && !effects.some((event) => event.what === `done:undo:${step}`)) wrong.push(`${id} kept ${step}`)
    }
  }
  return wrong
}

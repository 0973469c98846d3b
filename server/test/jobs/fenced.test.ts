import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../../test-kit/until.ts'
import { openDatabase, type Tx } from '../../src/db/database.ts'
import { Fenced } from '../../src/jobs/fenced.ts'
import { Limits } from '../../src/jobs/limit.ts'
import { Cancelled, LeaseLost } from '../../src/jobs/steps.ts'
import { type ClaimedRun, claimRun, runnableLanes } from '../../src/jobs/store.ts'
import { cuttingProxy } from './cutting-proxy.ts'
import { openYard, type Yard } from './yard.ts'

let yard: Yard
beforeAll(async () => {
  yard = await openYard()
})
afterAll(() => yard.close())

const never = new AbortController().signal
const claimed = async (): Promise<ClaimedRun> => {
  const id = await yard.submit()
  const run = await claimRun(yard.db, id, ['test'], 'me')
  if (!run) throw new Error('nothing to claim')
  return run
}
const noteIn = (tx: Tx, runId: string, what: string) =>
  tx.withTables<{ note: { runId: string; what: string } }>().insertInto('note').values({ runId, what }).execute()

test('a commit whose answer is lost is not written twice, and returns what it returned', async () => {
  const proxy = await cuttingProxy(yard.url)
  const { db, close } = openDatabase({ url: proxy.url, connections: 2, onError: () => {} })
  const run = await claimed()
  const fenced = new Fenced(db, run, never, () => {})
  let calls = 0
  const write = (what: string) =>
    fenced.commit({}, async (tx) => {
      calls++
      await noteIn(tx, run.id, what)
      return `${what} ${calls}`
    })
  expect(await write('first')).toBe('first 1')
  proxy.cutNext()
  expect(await write('second')).toBe('second 2')
  expect(await write('third')).toBe('third 3')
  expect(await yard.notes(run.id)).toEqual(['first', 'second', 'third'])
  expect(await yard.row(run.id)).toMatchObject({ writes: 3 })
  await close()
  proxy.close()
})

test('writes of one run made at once follow one another and are all there', async () => {
  const run = await claimed()
  const fenced = new Fenced(yard.db, run, never, () => {})
  const names = Array.from({ length: 20 }, (_, k) => `n${k}`)
  await Promise.all(names.map((name) => fenced.commit({}, (tx) => noteIn(tx, run.id, name))))
  expect(await yard.notes(run.id)).toEqual(names)
})

test('a write that fails leaves nothing, and the next one goes on', async () => {
  const run = await claimed()
  const fenced = new Fenced(yard.db, run, never, () => {})
  const failing = fenced.commit({}, async (tx) => {
    await noteIn(tx, run.id, 'gone')
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  await fenced.commit({}, (tx) => noteIn(tx, run.id, 'kept'))
  expect(await yard.notes(run.id)).toEqual(['kept'])
})

test('after a takeover every write is refused', async () => {
  const run = await claimed()
  const fenced = new Fenced(yard.db, run, never, () => {})
  expect(await claimRun(yard.db, run.lane, ['test'], 'me')).toMatchObject({ id: run.id, fence: run.fence + 1 })
  await expect(fenced.commit({}, (tx) => noteIn(tx, run.id, 'late'))).rejects.toBeInstanceOf(LeaseLost)
  expect(await yard.notes(run.id)).toEqual([])
})

test('two owners with the same fence after a failover: only the one that the database knows writes', async () => {
  const lost = await claimed()
  const stale = new Fenced(yard.db, lost, never, () => {})
  // What a replica says that was promoted before it heard of the claim.
  await yard.query(`update run set status = 'queued', fence = 0, attempts = 0, claim = null where id = $1`, [lost.id])
  const known = await claimRun(yard.db, lost.lane, ['test'], 'other')
  expect(known).toMatchObject({ id: lost.id, fence: lost.fence })
  if (!known) return
  const current = new Fenced(yard.db, known, never, () => {})
  await expect(stale.commit({}, (tx) => noteIn(tx, lost.id, 'stale'))).rejects.toBeInstanceOf(LeaseLost)
  await current.commit({}, (tx) => noteIn(tx, lost.id, 'current'))
  await expect(stale.commit({}, (tx) => noteIn(tx, lost.id, 'stale'))).rejects.toBeInstanceOf(LeaseLost)
  expect(await yard.notes(lost.id)).toEqual(['current'])
})

test('a place of a limit is not taken or given back by another owner with the same fence', async () => {
  const lost = await claimed()
  const limits = new Limits(yard.db, yard.transport, never)
  const waiting = { idle: async () => {}, isParking: () => false }
  const ticketOf = ({ id, fence, claim }: ClaimedRun) => ({ name: 'one', most: 1, runId: id, fence, claim })
  const held = async () => {
    await yard.query(`update run set status = 'queued', fence = 0, claim = null where id = $1`, [lost.id])
    await yard.query('delete from run_limit')
    const known = await claimRun(yard.db, lost.lane, ['test'], 'other')
    if (!known) throw new Error('nothing to claim')
    void limits.hold(ticketOf(known), never, () => new Promise(() => {}), waiting)
    await until('it has its place', 20_000, async () =>
      (await yard.query('select 1 from run_limit where held')).length > 0 ? known : undefined,
    )
  }
  await limits.hold(ticketOf(lost), never, held, waiting)
  expect(await yard.query('select 1 from run_limit where held')).toHaveLength(1)
})

test('an accepted cancel forbids parking and success, and nothing else', async () => {
  const run = await claimed()
  const fenced = new Fenced(yard.db, run, never, () => {})
  await yard.cancel(run.id)
  const nothing = async () => {}
  await expect(fenced.commit({ status: 'parked', gate: 'g' }, nothing)).rejects.toBeInstanceOf(Cancelled)
  await expect(fenced.commit({ status: 'succeeded' }, nothing)).rejects.toBeInstanceOf(Cancelled)
  await fenced.commit({}, (tx) => noteIn(tx, run.id, 'fine'))
  expect(await yard.notes(run.id)).toEqual(['fine'])
})

test('a write inside a write is refused instead of waiting for itself', async () => {
  const run = await claimed()
  const fenced = new Fenced(yard.db, run, never, () => {})
  const nested = fenced.commit({}, () => fenced.commit({}, async () => {}))
  await expect(nested).rejects.toThrow('inside a fenced write')
})

test('a run that was begun as a newer version is left to builds that know it, and its call is theirs to give', async () => {
  const id = await yard.submit({}, { version: 2 })
  expect(await claimRun(yard.db, id, ['test'], 'old')).toBeUndefined()
  expect(await runnableLanes(yard.db, ['test'], '', 1000)).not.toContain(id)
  expect(await runnableLanes(yard.db, ['test'], '', 1000, { test: 2 })).toContain(id)
  expect(await claimRun(yard.db, id, ['test'], 'new', 0, { test: 2 })).toMatchObject({ id, version: 2 })
  // Nor is it taken over when its owner falls silent.
  expect(await claimRun(yard.db, id, ['test'], 'old')).toBeUndefined()
  const older = await yard.submit()
  expect(await claimRun(yard.db, older, ['test'], 'new', 0, { test: 2 })).toMatchObject({ version: 1 })
})

test('a worker leaves runs of kinds it does not know', async () => {
  const id = await yard.submit()
  expect(await claimRun(yard.db, id, ['other'], 'me')).toBeUndefined()
  expect(await yard.statusOf(id)).toBe('queued')
})

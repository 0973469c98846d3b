import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { startWorld } from '../../../test-kit/world.ts'
import type { DeployParts } from '../../src/core/deployments/parts.ts'
import { watchAfterRelease } from '../../src/core/deployments/watch/watch-after-release.ts'
import { engineFailure } from '../../src/drivers/engine/engine.ts'
import type { RunningTask } from '../../src/drivers/runtime/running/tasks.ts'
import { makeDeployment } from './made.ts'

const world = await startWorld()
const org = await world.org()
const { db } = world.platform
const SECRET = 'correct-horse-battery'
const signal = new AbortController().signal
const away = engineFailure('engine_unreachable', 'No Docker Engine listens there.')

let logged: string[] = []
let asked = 0
/** What the engine answers next. */
let answer: () => RunningTask[]
const parts = {
  ...world.platform,
  transport: { wake: async () => {} },
  log: { ...world.platform.log, warn: (_: object, words: string) => logged.push(words) },
  runtime: {
    tasks: async () => {
      asked++
      return answer()
    },
  },
} as unknown as DeployParts

/** A release whose time ends so many seconds from now. */
async function release(seconds: number) {
  const { id, projectId } = await makeDeployment(world, org, { ended: new Date(), active: true })
  await sql`update deployment set bake_until = clock_timestamp() + ${seconds}::int * interval '1 second'
    where id = ${id}`.execute(db)
  await org.owner.api('PUT', `/api/projects/${projectId}/variables`, { variables: [{ name: 'KEY', value: SECRET }] })
  return { id, projectId, dying: [dying(id)] }
}

const dying = (deployment: string) =>
  ({
    service: 'web',
    deployment,
    restarts: 9,
    deaths: Array.from({ length: 9 }, (_, n) => ({ taskId: `task${n}`, byEngine: false })),
    state: 'running',
    health: null,
    error: `no ${SECRET} here`,
  }) as RunningTask

async function isWatched(id: string): Promise<boolean> {
  const row = db.selectFrom('deployment').select('bakeUntil').where('id', '=', id)
  return (await row.executeTakeFirstOrThrow()).bakeUntil !== null
}

const restores = (projectId: string) =>
  db.selectFrom('run').select('input').where('lane', '=', projectId).where('kind', '=', 'restore').execute()

beforeEach(async () => {
  await sql`update deployment set bake_until = null`.execute(db)
  logged = []
  asked = 0
  answer = () => []
})

test('a look after its end ends the watch, one before does not', async () => {
  const [early, late] = [await release(60), await release(-1)]
  await watchAfterRelease(parts)(signal)
  expect([await isWatched(early.id), await isWatched(late.id)]).toEqual([true, false])
})

test('a release is watched on while its engine is away, and what it did meanwhile is seen', async () => {
  const { id, projectId, dying } = await release(-1)
  const watch = watchAfterRelease(parts)
  answer = () => {
    throw away
  }
  await watch(signal)
  await watch(signal)
  expect([await isWatched(id), logged]).toEqual([true, []])
  answer = () => dying
  await watch(signal)
  expect(await restores(projectId)).toHaveLength(0)
  await watch(signal)
  expect(await restores(projectId)).toHaveLength(1)
})

test('what ended with its engine is not held against a release, however often the engine is restarted', async () => {
  const { id, projectId } = await release(60)
  const watch = watchAfterRelease(parts)
  const withDeaths = (deaths: RunningTask['deaths']) =>
    [{ ...dying(id), restarts: deaths.length, deaths, state: 'starting' }] satisfies RunningTask[]
  const [first, second] = ['one', 'two'].map((taskId) => ({ taskId, byEngine: true }))
  if (!first || !second) throw new Error('no deaths')
  answer = () => withDeaths([first])
  await watch(signal)
  await watch(signal)
  // Of the restart before the last one only the watch itself knows.
  answer = () => withDeaths([{ ...first, byEngine: false }, second])
  await watch(signal)
  await watch(signal)
  expect(await restores(projectId)).toHaveLength(0)
  answer = () => withDeaths([first, second, { taskId: 'three', byEngine: false }])
  await watch(signal)
  await watch(signal)
  expect(await restores(projectId)).toHaveLength(1)
})

test('an engine that was away for a day is not waited for, and that is said', async () => {
  const { id } = await release(-25 * 3600)
  answer = () => {
    throw away
  }
  await watchAfterRelease(parts)(signal)
  expect(await isWatched(id)).toBe(false)
  expect(logged).toEqual([expect.stringContaining('not watched any more')])
})

test('what else keeps it from looking is logged, once', async () => {
  const { id } = await release(-1)
  answer = () => {
    throw engineFailure('engine_denied', 'Slipway may not use it.')
  }
  const watch = watchAfterRelease(parts)
  await watch(signal)
  await watch(signal)
  expect([await isWatched(id), logged]).toEqual([true, ['a release that went live could not be looked at']])
})

test('an engine that is away is asked once a round, however many projects it has', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, () => release(60)))
  const { serverId } = await db
    .selectFrom('deployment')
    .select('serverId')
    .where('id', '=', made[0]?.id ?? '')
    .executeTakeFirstOrThrow()
  await db.updateTable('deployment').set({ serverId }).where('bakeUntil', 'is not', null).execute()
  answer = () => {
    throw away
  }
  await watchAfterRelease(parts)(signal)
  // As many as look side by side.
  expect(asked).toBeLessThanOrEqual(8)
})

test('the words of the engine are stored without the values of variables', async () => {
  const { projectId, dying } = await release(60)
  answer = () => dying
  const watch = watchAfterRelease(parts)
  await watch(signal)
  await watch(signal)
  const [restore] = await restores(projectId)
  expect(JSON.stringify(restore)).toContain('The engine says: no ••• here')
  expect(JSON.stringify(restore)).not.toContain(SECRET)
})

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { until } from '../../../test-kit/until.ts'
import { startWorld } from '../../../test-kit/world.ts'
import { expireLogs, moveLogs, sweepArchive } from '../../src/core/deployments/events/history/retention.ts'
import type { Archive } from '../../src/drivers/archive/archive.ts'
import { firstFault, line, makeDeployment, parsed, store, story } from './made.ts'
import type { Moment } from './retention-program.ts'

const world = await startWorld()
const org = await world.org()
const { api } = org.owner
const { platform } = world
const HOUR = 3600_000
const yesterday = () => new Date(Date.now() - 25 * HOUR)

const stream = async (id: string, since = 0) => (await api('GET', `/api/deployments/${id}/stream?since=${since}`)).text
const logs = async (id: string, query = '') => (await api('GET', `/api/deployments/${id}/logs?${query}`)).body
const text = async (id: string) => (await api('GET', `/api/deployments/${id}/logs?format=text`)).text
const hot = async (id: string): Promise<number> =>
  Number(
    (await platform.pool.query('select count(*) from deployment_event where deployment_id = $1', [id])).rows[0].count,
  )
const segments = async (id: string): Promise<{ first: number; last: number; location: string | null }[]> =>
  (
    await platform.pool.query(
      `select first_seq::int as first, last_seq::int as last, location from deployment_segment
       where deployment_id = $1 order by first_seq`,
      [id],
    )
  ).rows
const fileOf = (location: string | null | undefined) => join(world.dataDir, 'logs', location ?? 'none')

async function archived(): Promise<string[]> {
  const keys: string[] = []
  for await (const batch of platform.archive.listOlderThan(-HOUR)) keys.push(...batch)
  return keys
}

async function finished(count: number, options: { active?: boolean; ended?: Date } = {}): Promise<string> {
  const { id } = await makeDeployment(world, org, { ended: yesterday(), ...options })
  await store(world, id, story(count))
  return id
}

describe('logs of a finished deployment', () => {
  test('leave the table and read the same afterwards, from every point', async () => {
    const id = await finished(25_000)
    const before = await stream(id)
    const lines = await text(id)
    const pages = await logs(id, 'limit=700')
    const windows = ['tail=700', 'before=10002&limit=30', 'around=20000&limit=30']
    const seen = await Promise.all(windows.map((window) => logs(id, window)))
    expect(parsed(before)).toHaveLength(25_001)
    expect(await moveLogs(platform)).toBeGreaterThanOrEqual(3)
    expect(await hot(id)).toBe(1)
    const parts = await segments(id)
    expect(parts.map(({ first }) => first)).toEqual([1, ...parts.slice(0, -1).map(({ last }) => last + 1)])
    expect(await stream(id)).toBe(before)
    expect(await text(id)).toBe(lines)
    expect(await logs(id, 'limit=700')).toEqual(pages)
    for (const [n, window] of windows.entries()) expect(await logs(id, window)).toEqual(seen[n])
    // Another process, which has nothing in memory.
    const fresh = await reopened()
    expect(await fresh.stream(id)).toBe(before)
    for (const since of [1, 255, 256, 9_999, 10_000, 10_001, 24_999, 25_000]) {
      const seen = parsed(await fresh.stream(id, since))
      expect(seen).toHaveLength(25_001 - since)
      expect(firstFault(seen, since)).toBeUndefined()
    }
    await fresh.close()
    expect((await api('GET', `/api/deployments/${id}/stream?since=25001`)).status).toBe(204)
  })

  test('page through the segments without losing or repeating a line', async () => {
    const id = await finished(12_000)
    await moveLogs(platform)
    const lines: { seq: number; line: string }[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await logs(id, `limit=1333${cursor && `&cursor=${cursor}`}`)
      lines.push(...page.data)
      cursor = page.nextCursor
    }
    expect(lines).toHaveLength(12_000 - 120)
    expect(lines.every(({ seq }, n) => n === 0 || seq > (lines[n - 1]?.seq ?? 0))).toBe(true)
  })

  test('stay while it is young, while it runs, and where nothing was printed', async () => {
    const young = await finished(10, { ended: new Date(Date.now() - HOUR) })
    const { id: running } = await makeDeployment(world, org)
    await store(world, running, [line('x')])
    const { id: quiet } = await makeDeployment(world, org, { ended: yesterday() })
    await store(world, quiet, story(1))
    await moveLogs(platform)
    expect([await hot(young), await hot(running), await hot(quiet)]).toEqual([11, 1, 2])
  })

  test('move again when it has printed and ended once more', async () => {
    const id = await finished(10)
    await moveLogs(platform)
    await store(world, id, story(10))
    await platform.db.updateTable('deployment').set({ finishedAt: new Date() }).where('id', '=', id).execute()
    await moveLogs({ ...platform, config: { ...platform.config, logs: { moveAfterMs: -HOUR, keepMs: HOUR } } })
    expect(await segments(id)).toMatchObject([
      { first: 1, last: 10 },
      { first: 11, last: 21 },
    ])
    expect(firstFault(parsed(await stream(id)))).toBeUndefined()
  })

  test('are moved once, whoever moves them at the same time', async () => {
    const ids = await Promise.all([finished(11_000), finished(500), finished(30)])
    const before = await Promise.all(ids.map((id) => stream(id)))
    const known = new Set(await archived())
    await Promise.all(Array.from({ length: 6 }, () => moveLogs(platform)))
    expect(await Promise.all(ids.map((id) => stream(id)))).toEqual(before)
    const named = (await Promise.all(ids.map(segments))).flat().map(({ location }) => location)
    expect((await archived()).filter((key) => !known.has(key)).sort()).toEqual(named.sort())
  })

  test('of one deployment that cannot be moved do not keep the others', async () => {
    const [bad, good] = [await finished(20), await finished(20)]
    const archive: Archive = {
      ...platform.archive,
      put: async (key, bytes) => {
        if (key.includes(bad)) throw new Error('no')
        await platform.archive.put(key, bytes)
      },
    }
    await expect(moveLogs({ ...platform, archive })).rejects.toThrow('no')
    expect([await hot(bad), await hot(good)]).toEqual([21, 1])
    await moveLogs(platform)
    expect(await hot(bad)).toBe(1)
  })
})

describe('what is gone', () => {
  test('is one gap with the number of its last event, and everything behind it is there', async () => {
    const id = await finished(25_000)
    await moveLogs(platform)
    const [, second] = await segments(id)
    await platform.archive.remove(second?.location ?? '')
    const fresh = await reopened()
    const seen = parsed(await fresh.stream(id))
    expect(firstFault(seen)).toBeUndefined()
    const gaps = seen.filter(({ event }) => event === 'gap')
    expect(gaps).toMatchObject([{ id: second?.last, data: { from: second?.first, to: second?.last } }])
    expect(seen.at(-1)).toMatchObject({ id: 25_001, event: 'end' })
    const inside = (second?.first ?? 0) + 7
    expect(parsed(await fresh.stream(id, inside))[0]).toMatchObject({ event: 'gap', data: { from: inside + 1 } })
    const words = `[events ${second?.first} to ${second?.last} are no longer kept]`
    expect((await fresh.text(id)).split('\n').filter((one) => one.startsWith('[events'))).toEqual([words])
    const page = await fresh.logs(id, `limit=2&cursor=${Buffer.from(String(inside)).toString('base64url')}`)
    expect(page.data).toMatchObject([
      { seq: second?.last, gap: { from: inside + 1, to: second?.last } },
      { stream: 'stdout' },
    ])
    // Read backwards it is one as well, however many pieces it is read in.
    const back = await fresh.logs(id, `before=${(second?.last ?? 0) + 3}&limit=5000`)
    const gone = back.data.flatMap(({ gap }: { gap?: object }) => gap ?? [])
    expect(gone).toEqual([{ from: second?.first, to: second?.last }])
    await fresh.close()
  })

  test('includes what was damaged', async () => {
    const id = await finished(50)
    await moveLogs(platform)
    const [only] = await segments(id)
    const bytes = (await platform.archive.get(only?.location ?? '')) ?? Buffer.alloc(0)
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0xff
    await platform.archive.put(only?.location ?? '', bytes)
    const fresh = await reopened()
    expect(parsed(await fresh.stream(id))).toMatchObject([{ event: 'gap', id: only?.last }, { event: 'end' }])
    await fresh.close()
  })

  test('goes by age, but not of a release that runs', async () => {
    const [old, running] = [await finished(40), await finished(40, { active: true })]
    await moveLogs({ ...platform, config: { ...platform.config, logs: { moveAfterMs: HOUR, keepMs: 24 * HOUR } } })
    await Promise.all([expireLogs(platform), expireLogs(platform)])
    const [gone] = await segments(old)
    expect(gone?.location).toBeNull()
    expect(parsed(await stream(old))).toMatchObject([{ event: 'gap', data: { from: 1, to: 40 } }, { event: 'end' }])
    expect((await archived()).filter((key) => key.includes(old))).toEqual([])
    expect(parsed(await stream(running))).toHaveLength(41)
  })

  test('goes with its deployment', async () => {
    const id = await finished(40)
    await moveLogs(platform)
    const [{ location } = { location: null }] = await segments(id)
    expect((await api('DELETE', `/api/deployments/${id}`)).status).toBe(200)
    expect(await segments(id)).toEqual([])
    expect((await api('GET', `/api/deployments/${id}/logs`)).status).toBe(404)
    await sweepArchive(platform)
    expect(await archived()).toContain(location)
    await utimes(fileOf(location), 1, 1)
    await sweepArchive(platform)
    expect((await archived()).filter((key) => key.includes(id))).toEqual([])
  })
})

describe('a process that is killed while it moves logs', () => {
  test.each<Moment>(['before', 'after'])('%s the object is written loses and doubles nothing', async (moment) => {
    const id = await finished(300)
    const before = await stream(id)
    const child = fork(join(import.meta.dirname, 'retention-program.ts'), [moment], {
      env: { ...process.env, SLIPWAY_TEST_DATABASE: world.database.url, SLIPWAY_TEST_DATA: world.dataDir },
    })
    await once(child, 'message')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await hot(id)).toBe(301)
    // The database notices a dead client in its own time.
    await until('the dead client is noticed', 30_000, async () => {
      await moveLogs(platform)
      return (await hot(id)) === 1
    })
    expect(await stream(id)).toBe(before)
    const strays = (await archived()).filter((key) => key.includes(id))
    expect(strays).toHaveLength(moment === 'before' ? 1 : 2)
    for (const key of strays) await utimes(fileOf(key), 1, 1)
    await sweepArchive(platform)
    expect((await archived()).filter((key) => key.includes(id))).toEqual(
      (await segments(id)).map((one) => one.location),
    )
    expect(await stream(id)).toBe(before)
  })
})

async function reopened() {
  const { buildApp } = await import('../../src/http/app.ts')
  const { createMetrics } = await import('../../src/http/metrics.ts')
  const { wire } = await import('../../src/process/wiring.ts')
  const { pino } = await import('pino')
  const logger = pino({ level: 'silent' })
  const other = wire(world.config, logger)
  const app = await buildApp({ platform: other.platform, logger, metrics: createMetrics(other.platform) })
  const ask = async (path: string) =>
    app.inject({
      method: 'GET',
      url: `/api/deployments/${path}`,
      headers: { authorization: `Bearer ${org.owner.token}` },
    })
  return {
    stream: async (id: string, since = 0) => (await ask(`${id}/stream?since=${since}`)).body,
    text: async (id: string) => (await ask(`${id}/logs?format=text`)).body,
    logs: async (id: string, query: string) => (await ask(`${id}/logs?${query}`)).json(),
    async close() {
      await app.close()
      await other.close()
    },
  }
}

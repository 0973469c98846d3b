import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { startWorld } from '../../../test-kit/world.ts'
import { eventWriter } from '../../src/core/deployments/events/events.ts'
import { readRows } from '../../src/core/deployments/events/events-store.ts'
import { redactor } from '../../src/core/deployments/events/redact.ts'
import { openDatabase } from '../../src/db/database.ts'
import { cuttingProxy } from '../jobs/cutting-proxy.ts'
import { CLAIM, line, makeDeployment, store, story } from './made.ts'

const world = await startWorld()
const org = await world.org()
const { platform } = world
const proxy = await cuttingProxy(world.database.url)
const behind = openDatabase({ url: proxy.url, connections: 2, onError: () => {} })
afterAll(async () => {
  proxy.close()
  await behind.close()
})

async function open({ db = platform.db, secrets = [] as string[] } = {}) {
  const { id } = await makeDeployment(world, org)
  let lost = 0
  const onLost = () => {
    lost++
  }
  const redact = redactor(secrets)
  const writer = eventWriter({ db, changes: platform.changes, id, fence: CLAIM, redact, onLost })
  const say = (text: string) => writer.write('log', { service: 'web', step: 'build', stream: 'stdout', line: text })
  const stored = async (): Promise<string[]> =>
    (
      await platform.pool.query<{ line: string; seq: string }>(
        `select seq, data ->> 'line' as line from deployment_event where deployment_id = $1 order by seq`,
        [id],
      )
    ).rows.map((row, n) => (Number(row.seq) === n + 1 ? row.line : `${row.seq} where ${n + 1} belongs`))
  return { id, writer, say, stored, lost: () => lost }
}

/** Nobody can number an event of this deployment until it lets go. */
async function hold(id: string): Promise<() => Promise<void>> {
  const client = await platform.pool.connect()
  await client.query('begin')
  await client.query('select 1 from deployment where id = $1 for update', [id])
  return async () => {
    await client.query('commit')
    client.release()
  }
}

describe('a writer', () => {
  test('stores what it is given, in order, whatever the number', async () => {
    const { writer, say, stored } = await open()
    const wanted = Array.from({ length: 20_000 }, (_, n) => `line ${n}`)
    for (const text of wanted) say(text)
    await writer.flush()
    expect(await stored()).toEqual(wanted)
  })

  test('makes whoever produces too much wait, and nobody else', async () => {
    const { id, writer, say, stored } = await open()
    const release = await hold(id)
    say('one')
    await writer.room()
    let produced = 0
    const producing = (async () => {
      for (; produced < 50_000; produced++) {
        say(String(produced))
        await writer.room()
      }
    })()
    await new Promise((next) => setTimeout(next, 300))
    expect(produced).toBeLessThan(5000)
    const leaving = AbortSignal.timeout(10)
    await writer.room(leaving)
    await release()
    await producing
    await writer.flush()
    expect((await stored()).length).toBe(50_001)
  })

  test('stores a batch once when the answer to its commit gets lost', async () => {
    const { writer, say, stored } = await open({ db: behind.db })
    say('first')
    await writer.flush()
    proxy.cutNext('unheard')
    for (let n = 0; n < 100; n++) say(`unheard ${n % 3}`)
    await new Promise((next) => setTimeout(next, 100))
    say('last')
    await writer.flush()
    expect(await stored()).toEqual(['first', ...Array.from({ length: 100 }, (_, n) => `unheard ${n % 3}`), 'last'])
  })

  test('waits for a database that is away, and tries again by itself', async () => {
    const { writer, say, stored } = await open({ db: behind.db })
    await platform.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
    say('survives')
    await writer.flush()
    expect(await stored()).toEqual(['survives'])
  })

  test('stops, and says so, when the run is another owner’s', async () => {
    const { id, writer, say, stored, lost } = await open()
    say('mine')
    await writer.flush()
    await sql`update run set fence = 2 where id = ${id}`.execute(platform.db)
    for (let n = 0; n < 10_000; n++) say('not mine')
    await writer.room()
    await writer.flush()
    expect(await stored()).toEqual(['mine'])
    expect(lost()).toBe(1)
  })

  test('stops, and says so, when another owner has the same fence after a failover', async () => {
    const { id, writer, say, stored, lost } = await open()
    await sql`update run set claim = gen_random_uuid() where id = ${id}`.execute(platform.db)
    say('not mine')
    await writer.flush()
    expect(await stored()).toEqual([])
    expect(lost()).toBe(1)
  })

  test('stores what PostgreSQL would refuse, and cuts what is too long after hiding secrets', async () => {
    const { writer, say, stored } = await open({ secrets: ['hunter2-is-secret'] })
    say('nul \0 and half a pair \ud83d')
    say(`${'x'.repeat(16_380)}hunter2-is-secret and more`)
    writer.write('service', { nested: { list: ['hunter2-is-secret', 1, null], at: new Date(0) } })
    await writer.flush()
    const [first, second] = await stored()
    expect(first).toBe('nul � and half a pair �')
    expect(second).not.toContain('hunter2')
    expect(second?.endsWith('more characters)')).toBe(true)
    const { rows } = await platform.pool.query(`select data from deployment_event where type = 'service'`)
    expect(rows[0].data).toEqual({ nested: { list: ['•••', 1, null], at: '1970-01-01T00:00:00.000Z' } })
  })
})

describe('the log', () => {
  const logs = async (id: string, query = '') => org.owner.api('GET', `/api/deployments/${id}/logs?${query}`)

  test('is text when it is asked for, whole or up to a limit', async () => {
    const { id } = await makeDeployment(world, org)
    await store(
      world,
      id,
      Array.from({ length: 3000 }, (_, n) => line(`line ${n}`)),
    )
    const whole = await logs(id, 'format=text')
    expect(whole.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(whole.text).toBe(Array.from({ length: 3000 }, (_, n) => `line ${n}\n`).join(''))
    expect((await logs(id, 'format=text&limit=2')).text).toBe('line 0\nline 1\n')
    const { body } = await logs(id, 'limit=2')
    expect((await logs(id, `format=text&limit=2&cursor=${body.nextCursor}`)).text).toBe('line 2\nline 3\n')
  })

  test('comes in rows, all at once, and compressed for those who take that', async () => {
    const { id } = await makeDeployment(world, org)
    await store(world, id, story(5000))
    const plain = await logs(id, 'format=rows')
    expect(plain.headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
    const rows = plain.text
      .trimEnd()
      .split('\n')
      .map((row) => JSON.parse(row))
    const pages = (await logs(id, 'limit=5000')).body.data as Record<string, unknown>[]
    expect(rows).toEqual(
      pages.map(({ seq, ts, stream, step, service, line }) => [seq, ts, stream, step, service, line]),
    )
    const zipped = async (encodings: string) => {
      const headers = { authorization: `Bearer ${org.owner.token}`, 'accept-encoding': encodings }
      const url = `/api/deployments/${id}/logs?format=rows`
      return world.app.inject({ method: 'GET', url, headers })
    }
    const answer = await zipped('br;q=1, gzip;q=0.8')
    expect(answer.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(answer.rawPayload).toString()).toBe(plain.text)
    expect(answer.rawPayload.length).toBeLessThan(plain.text.length / 5)
    for (const none of ['br', 'gzip;q=0', 'identity, gzip;q=0.0', ''])
      expect([none, (await zipped(none)).headers['content-encoding']]).toEqual([none, undefined])
    expect((await logs(id, 'kind=runtime&format=rows&follow=true')).status).toBe(400)
  })

  test('comes in rows a megabyte at a time, however long its lines are, and none is left out', async () => {
    const { id } = await makeDeployment(world, org)
    await store(
      world,
      id,
      Array.from({ length: 200 }, (_, n) => line(`${n} ${'x'.repeat(16_000)}`)),
    )
    const first = await readRows(world.platform.db, id, 0, { events: 1000, bytes: 1024 * 1024 })
    expect(first).toMatchObject({ first: 1, last: 66 })
    expect(await readRows(world.platform.db, id, 66, { events: 1000, bytes: 1 })).toMatchObject({ first: 67, last: 67 })
    const rows = (await logs(id, 'format=rows')).text.trimEnd().split('\n')
    expect(rows.map((row) => JSON.parse(row)[5].split(' ')[0])).toEqual(Array.from({ length: 200 }, (_, n) => `${n}`))
  })

  test('is read from its end, before an event and around one, whatever its length', async () => {
    const { id } = await makeDeployment(world, org)
    // A step at every hundredth event, and an end.
    await store(world, id, story(5000))
    const seqs = async (query: string) => (await logs(id, query)).body.data.map(({ seq }: { seq: number }) => seq)
    expect(await seqs('tail=3')).toEqual([4998, 4999, 5000])
    expect(await seqs('before=103&limit=4')).toEqual([98, 99, 100, 102])
    expect(await seqs('before=3')).toEqual([2])
    expect(await seqs('before=1')).toEqual([])
    expect(await seqs('before=999999&limit=1')).toEqual([5000])
    expect(await seqs('around=2500&limit=4')).toEqual([2498, 2499, 2500, 2502])
    expect(await seqs('around=3&limit=6')).toEqual([2, 3, 4, 5, 6, 7])
    expect(await seqs('tail=5000')).toHaveLength(4950)
    // All of it from its end to its beginning, a piece at a time.
    const all: number[] = []
    for (let before: number | null = 999_999; before !== null; ) {
      const page = (await logs(id, `before=${before}&limit=700`)).body as {
        data: { seq: number }[]
        before: number | null
      }
      all.unshift(...page.data.map(({ seq }) => seq))
      before = page.before
    }
    expect(all).toEqual(await seqs('limit=5000'))
    const { body } = await logs(id, 'before=51&limit=2')
    expect(await seqs(`cursor=${body.nextCursor}&limit=2`)).toEqual([51, 52])
    expect(await seqs('tail=5&service=other')).toEqual([])
    for (const wrong of ['tail=1&before=5', 'tail=1&cursor=MQ', 'kind=runtime&tail=1', 'format=text&tail=1', 'tail=0'])
      expect([wrong, (await logs(id, wrong)).status]).toEqual([wrong, 400])
  })

  test('as text is nothing that a terminal obeys, and everywhere else exactly what was printed', async () => {
    const { id } = await makeDeployment(world, org)
    const nasty = '\x1b]52;c;eA==\x07 \x9b31m \r\u202e\u2028 \t ok'
    await store(world, id, [line(nasty)])
    expect((await logs(id, 'format=text')).text).toBe('\\x1b]52;c;eA==\\x07 \\x9b31m \\x0d\\u202e\\u2028 \t ok\n')
    expect((await logs(id, '')).body.data).toMatchObject([{ line: nasty }])
  })

  test('shows the lines of one service, and looks no further for them than is reasonable', async () => {
    const { id } = await makeDeployment(world, org)
    await store(world, id, [line('a', 'api'), ...Array.from({ length: 21_000 }, () => line('noise')), line('b', 'api')])
    const first = (await logs(id, 'service=api')).body
    expect(first.data).toMatchObject([{ seq: 1, line: 'a', service: 'api' }])
    const second = (await logs(id, `service=api&cursor=${first.nextCursor}`)).body
    expect(second.data).toMatchObject([{ seq: 21_002, line: 'b' }])
    expect(second.nextCursor).toBeNull()
    expect((await logs(id, 'service=api&format=text')).text).toBe('a\nb\n')
  })

  test('of long lines comes in pages that are not too large', async () => {
    const { id } = await makeDeployment(world, org)
    await store(
      world,
      id,
      Array.from({ length: 1500 }, (_, n) => line(`${n} ${'x'.repeat(8000)}`)),
    )
    let lines = 0
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer = await logs(id, `limit=5000${cursor && `&cursor=${cursor}`}`)
      expect(answer.text.length).toBeLessThan(6_000_000)
      lines += answer.body.data.length
      cursor = answer.body.nextCursor
    }
    expect(lines).toBe(1500)
  })

  test.each([
    'cursor=nonsense',
    `cursor=${Buffer.from('-5').toString('base64url')}`,
    'follow=true',
    'follow=true&format=text',
  ])('of a build refuses %s', async (query) => {
    const { id } = await makeDeployment(world, org)
    const answer = await logs(id, query)
    expect([answer.status, answer.body.code, answer.body.field]).toEqual([400, 'invalid_request', query.split('=')[0]])
  })

  test('of a foreign deployment is not there, in any format', async () => {
    const { id } = await makeDeployment(world, org)
    const other = await world.org('other')
    for (const query of ['', 'format=text', 'kind=runtime', 'kind=runtime&follow=true'])
      expect((await other.owner.api('GET', `/api/deployments/${id}/logs?${query}`)).status).toBe(404)
  })
})

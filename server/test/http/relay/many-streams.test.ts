import { afterAll, expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import type { RelayEvent } from '../../../src/core/githost/relay/relays.ts'

const cloud = await startWorld({ mode: 'cloud' })
const { pool, relays, changes } = cloud.platform
const MANY = 3000
const WAIT = { timeout: 20_000, interval: 20 }

const { id: orgId } = await cloud.org('Many')
await pool.query(
  `insert into token (id, org_id, user_id, name, hash, hint)
   select 'tok_' || n, org_id, user_id, 'link', sha256(n::text::bytea), 'slp' from member, generate_series(1, $2::int) n where org_id = $1`,
  [orgId, MANY],
)
await pool.query(
  `insert into instance_link (id, org_id, token_id, instance_id, name, created_by)
   select 'lnk_' || n, $1, 'tok_' || n, 'ins_' || n, 'instance', 'usr' from generate_series(1, $2::int) n`,
  [orgId, MANY],
)
const put = (guid: string) =>
  pool.query(
    `with counted as (update instance_link set relayed = relayed + 1 where org_id = $1 returning id, relayed)
     insert into relay_delivery (link_id, number, guid, event, said) select id, relayed, $2, 'push', '{}' from counted`,
    [orgId, guid],
  )

/** Statements that were sent by this process while something happened. */
async function statementsDuring(work: () => Promise<unknown>): Promise<number> {
  let sent = 0
  const count = () => sent++
  pool.on('acquire', count)
  await work()
  pool.off('acquire', count)
  return sent
}

test('thousands of streams that begin, or hear something, at one moment ask the database a few questions', async () => {
  const leaving = new AbortController()
  afterAll(() => leaving.abort())
  const heard: RelayEvent[][] = []
  const begin = async (n: number) => {
    for await (const events of relays.follow(`lnk_${n}`, { number: 0, mark: null }, leaving.signal)) heard.push(events)
  }
  await put('first')
  const failed: unknown[] = []
  const begun = await statementsDuring(async () => {
    for (let n = 1; n <= MANY; n++) void begin(n).catch((error) => failed.push(error))
    await expect.poll(() => heard.length + failed.length, WAIT).toBe(MANY)
  })
  expect(failed).toEqual([])
  expect(begun).toBeLessThan(300)
  const woken = await statementsDuring(async () => {
    for (let n = 1; n <= MANY; n++) changes.send(`lnk_${n}`)
    await put('second')
    await expect.poll(() => heard.length + failed.length, WAIT).toBe(2 * MANY)
  })
  expect(failed).toEqual([])
  expect(woken).toBeLessThan(300)
  expect(new Set(heard.map((events) => events.length))).toEqual(new Set([1]))
}, 60_000)

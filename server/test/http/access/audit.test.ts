import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { record } from '../../../src/core/audit/record.ts'
import { newId } from '../../../src/db/ids.ts'

const world = await startWorld()
const org = await world.org()
const { api } = org.owner

test('a write records who, what and from where', async () => {
  const project = (await api('POST', '/api/projects', { name: 'audited' }, { 'x-request-id': 'find-me' })).body
  const { data } = (await api('GET', `/api/audit?target=${project.id}`)).body
  expect(data).toHaveLength(1)
  expect(data[0]).toMatchObject({
    action: 'project.create',
    target: project.id,
    actor: { kind: 'token', id: org.owner.userId, name: 'owner person' },
    address: '127.0.0.1',
    requestId: 'find-me',
    detail: { name: 'audited' },
  })
})

test('a write that is refused records nothing', async () => {
  await api('POST', '/api/projects', { name: 'twice' })
  const before = (await api('GET', '/api/audit')).body.data.length
  expect((await api('POST', '/api/projects', { name: 'TWICE' })).status).toBe(409)
  expect((await api('GET', '/api/audit')).body.data.length).toBe(before)
})

test('the log cannot be changed, not even by SQL', async () => {
  for (const sql of ['update audit set action = action', 'delete from audit', 'truncate audit']) {
    await expect(world.platform.pool.query(sql)).rejects.toThrow('append-only')
  }
})

test('pages are newest first, complete and without repeats', async () => {
  for (let i = 0; i < 7; i++) await api('POST', '/api/projects', { name: `page ${i}` })
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const page: { data: { id: string }[]; nextCursor: string | null } = (
      await api('GET', `/api/audit?limit=3${cursor ? `&cursor=${cursor}` : ''}`)
    ).body
    seen.push(...page.data.map((entry) => entry.id))
    cursor = page.nextCursor
  } while (cursor)
  expect(seen).toEqual([...new Set(seen)].sort().reverse())
  expect(seen.length).toBeGreaterThanOrEqual(8)
})

test('an organization sees only its own entries', async () => {
  const other = await world.org('Other')
  expect((await other.owner.api('GET', '/api/audit')).body.data).toEqual([])
})

test('entries filter by action', async () => {
  const { data } = (await api('GET', '/api/audit?action=project.create&limit=2')).body
  expect(data.map((entry: { action: string }) => entry.action)).toEqual(['project.create', 'project.create'])
})

test('entries filter by who did it, themselves or with a token; what the instance did is nobody’s', async () => {
  const team = await world.org('Team')
  const ada = await world.person(team.id, 'developer')
  await ada.api('POST', '/api/projects', { name: 'by ada' })
  await world.as(await world.tokenFor(ada))('POST', '/api/projects', { name: 'by a token of ada' })
  await team.owner.api('POST', '/api/projects', { name: 'by the owner' })
  await record(world.platform.db, { kind: 'system', name: 'sweep', orgId: team.id }, 'backup_destination.broke', null)
  const names = async (query: string) =>
    (await team.owner.api('GET', `/api/audit?${query}`)).body.data.map(
      ({ action, detail }: { action: string; detail: { name?: string } }) => detail.name ?? action,
    )
  expect(await names(`actor=${ada.userId}`)).toEqual(['by a token of ada', 'by ada'])
  expect(await names(`actor=${ada.userId}&limit=1`)).toEqual(['by a token of ada'])
  expect(await names('actor=system')).toEqual(['backup_destination.broke'])
  expect(await names(`actor=${org.owner.userId}`)).toEqual([])
})

test('entries filter by span: its beginning counts, its end does not', async () => {
  const spans = await world.org('Spans')
  const at = ['2026-03-01T00:00:00.000Z', '2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00.000Z']
  for (const [n, time] of at.entries()) {
    // The database began its transaction before a process, whose clock is ahead, drew the id.
    const id = newId('aud', Date.parse(time) + 120_000)
    const entry = { id, orgId: spans.id, action: `n${n}`, actorKind: 'system', actorName: 'test' } as const
    await world.platform.db
      .insertInto('audit')
      .values({ ...entry, at: time, detail: '{}' } as never)
      .execute()
  }
  const seen = async (query: string) =>
    (await spans.owner.api('GET', `/api/audit?${query}`)).body.data.map(({ action }: { action: string }) => action)
  const [from, , to] = at
  expect(await seen(`from=${from}&to=${to}`)).toEqual(['n1', 'n0'])
  expect(await seen(`from=${to}`)).toEqual(['n2'])
  expect(await seen(`to=${from}`)).toEqual([])
  expect(await seen('from=0001-01-01T00:00:00Z&to=9999-12-31T00:00:00Z')).toEqual(['n2', 'n1', 'n0'])
  expect(await spans.owner.api('GET', '/api/audit?from=yesterday')).toMatchObject({
    status: 400,
    body: { field: 'from' },
  })
})

import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'

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

import { LIMIT_KINDS } from '@slipway/contract/limits'
import { expect, test, vi } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { changeLimits } from '../../../src/admin-limits.ts'
import { limited } from './stage.ts'

const world = await startWorld(limited({ projects: 7 }))

test('every limit is shown to each member with what is used, its unit and what to do; a limit of none as null', async () => {
  const org = await world.org()
  await org.owner.api('POST', '/api/projects', { name: 'one' })
  const viewer = await world.person(org.id, 'viewer')
  const { status, body } = await viewer.api('GET', '/api/limits')
  expect(status).toBe(200)
  expect(body.limits.map(({ kind }: { kind: string }) => kind)).toEqual([...LIMIT_KINDS])
  expect(body.limits).toContainEqual(expect.objectContaining({ kind: 'projects', most: 7, used: 1, unit: 'count' }))
  expect(body.limits).toContainEqual(expect.objectContaining({ kind: 'members', most: null, used: 2, unit: 'count' }))
  for (const { hint } of body.limits) expect(hint).toMatch(/ask whoever runs this instance/)
})

test('a token of one project is not shown what the organization has', async () => {
  const org = await world.org()
  const { body } = await org.owner.api('POST', '/api/projects', { name: 'one' })
  const api = world.as(await world.tokenFor(org.owner, { projectId: body.id }))
  expect((await api('GET', '/api/limits')).body.code).toBe('project_restricted')
})

test('the operator sets limits of one organization by a command, which shows what it has; a wrong number is refused', async () => {
  const org = await world.org()
  const said: string[] = []
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  try {
    await changeLimits(org.id, { projects: '3', members: 'none' })(world.platform)
    await changeLimits(org.id, { projects: 'default', json: true })(world.platform)
  } finally {
    out.mockRestore()
  }
  expect(said[0]).toMatch(/^projects +0, of 3\nmembers +1, no limit\n/)
  expect(JSON.parse(said[1] ?? '').limits[0]).toMatchObject({ kind: 'projects', most: 7 })
  expect(() => changeLimits(org.id, { projects: 'many' })).toThrow('--projects must be a number')
  const { body } = await org.owner.api('GET', '/api/audit')
  expect(body.data[1]).toMatchObject({ action: 'organization.limits', detail: { projects: 3, members: null } })
})

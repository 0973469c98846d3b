import { expect, test } from 'vitest'
import { type Org, startWorld } from '../../../../test-kit/world.ts'
import { giveLimits, limited, shownLimit, statuses } from './stage.ts'

const world = await startWorld(limited({ projects: 2 }))
const home = await startWorld()

const create = ({ owner }: Org, name: string) => owner.api('POST', '/api/projects', { name })
const ensure = ({ owner }: Org, name: string) => owner.api('POST', '/api/projects/ensure', { name })

test('one project more than the organization may have is refused, with what it has, what it may have and what to do', async () => {
  const org = await world.org()
  expect(statuses([await create(org, 'one'), await ensure(org, 'two')])).toEqual([200, 201])
  const refused = await create(org, 'three')
  expect(refused.status).toBe(403)
  expect(refused.body).toMatchObject({
    success: false,
    code: 'limit_reached',
    error: 'The organization has 2 of the 2 projects that it may have.',
    hint: 'Delete a project that is no longer needed, or ask whoever runs this instance for more.',
    limit: 'projects',
    most: 2,
    used: 2,
  })
  expect((await ensure(org, 'three')).body.code).toBe('limit_reached')
  expect((await org.owner.api('GET', '/api/projects')).body.data).toHaveLength(2)
})

test('of many who make the last project at once exactly one succeeds', async () => {
  const org = await world.org()
  await create(org, 'first')
  const answers = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => create(org, name)))
  expect(statuses(answers)).toEqual([201, 403, 403, 403, 403, 403])
  expect(await shownLimit(org, 'projects')).toMatchObject({ used: 2, most: 2 })
})

test('all who ask for the same last project at once get it', async () => {
  const org = await world.org()
  await create(org, 'first')
  const answers = await Promise.all([1, 2, 3, 4].map(() => ensure(org, 'last')))
  expect(statuses(answers)).toEqual([200, 200, 200, 200])
  expect(new Set(answers.map(({ body }) => body.project.id)).size).toBe(1)
})

test('a name that is taken is told as such, and a project that exists is found, where there is room for no more', async () => {
  const org = await world.org()
  await create(org, 'one')
  await create(org, 'two')
  expect((await create(org, 'two')).body.code).toBe('name_taken')
  expect((await ensure(org, 'two')).body).toMatchObject({ created: false })
})

test('another organization is not affected', async () => {
  const [full, other] = [await world.org(), await world.org()]
  for (const name of ['one', 'two', 'three']) await create(full, name)
  expect((await create(other, 'one')).status).toBe(201)
})

test('a deleted project frees its place', async () => {
  const org = await world.org()
  const { body } = await create(org, 'one')
  await create(org, 'two')
  expect((await create(org, 'three')).status).toBe(403)
  expect((await org.owner.api('DELETE', `/api/projects/${body.id}`)).status).toBe(200)
  expect((await create(org, 'three')).status).toBe(201)
})

test('what the operator sets for one organization wins over what holds for all, until it is taken back', async () => {
  const [more, fewer, any] = [await world.org(), await world.org(), await world.org()]
  await giveLimits(world, more, { projects: 3 })
  await giveLimits(world, fewer, { projects: 0 })
  await giveLimits(world, any, { projects: null })
  for (const name of ['one', 'two', 'three']) expect((await create(more, name)).status).toBe(201)
  expect((await create(more, 'four')).body).toMatchObject({ limit: 'projects', most: 3, used: 3 })
  expect((await create(fewer, 'one')).body).toMatchObject({ limit: 'projects', most: 0, used: 0 })
  for (const name of ['one', 'two', 'three', 'four']) expect((await create(any, name)).status).toBe(201)
  await giveLimits(world, more, { projects: 'default' })
  expect(await shownLimit(more, 'projects')).toMatchObject({ most: 2, used: 3 })
  await expect(giveLimits(world, { id: 'org_nobody' }, { projects: 1 })).rejects.toThrow('There is no organization')
})

test('a self-hosted instance limits nothing but what its operator limits for an organization', async () => {
  const [free, kept] = [await home.org(), await home.org()]
  await giveLimits(home, kept, { projects: 1 })
  for (const name of ['one', 'two', 'three']) expect((await create(free, name)).status).toBe(201)
  expect(statuses([await create(kept, 'one'), await create(kept, 'two')])).toEqual([201, 403])
  expect(await shownLimit(free, 'projects')).toEqual({
    kind: 'projects',
    most: null,
    used: 3,
    unit: 'count',
    hint: expect.stringContaining('Delete a project'),
  })
})

import { expect, test } from 'vitest'
import { type Org, startWorld } from '../../../../test-kit/world.ts'
import { bootstrap } from '../../../src/core/operator/bootstrap.ts'
import { resetLink } from '../../../src/core/operator/reset-password.ts'
import { browsers } from '../access/people.ts'
import { giveLimits, limited, shownLimit, statuses } from './stage.ts'

const world = await startWorld({ ...limited({ members: 3 }), trustProxy: '127.0.0.1' })
const { accept } = browsers(world)

const invite = ({ owner }: Org, email: string) =>
  owner.api('POST', '/api/members/invitations', { email, role: 'developer' })

test('members and open invitations together are no more than the organization may have', async () => {
  const org = await world.org()
  const first = await invite(org, 'first@example.com')
  expect(statuses([first, await invite(org, 'second@example.com')])).toEqual([201, 201])
  const refused = await invite(org, 'third@example.com')
  expect(refused.status).toBe(403)
  expect(refused.body).toMatchObject({
    code: 'limit_reached',
    error: 'The organization has 3 of the 3 members that it may have, those invited included.',
    hint: 'Remove a member or withdraw an invitation that nobody used, or ask whoever runs this instance for more.',
    limit: 'members',
    most: 3,
    used: 3,
  })
  // Whoever was invited comes in: the place was theirs.
  expect((await accept(first.body.link)).status).toBe(200)
  expect(await shownLimit(org, 'members')).toMatchObject({ used: 3, most: 3 })
  expect((await invite(org, 'third@example.com')).status).toBe(403)
})

test('of many invitations to the last place at once exactly one is made', async () => {
  const org = await world.org()
  await invite(org, 'early@example.com')
  const answers = await Promise.all([1, 2, 3, 4].map((n) => invite(org, `late${n}@example.com`)))
  expect(statuses(answers)).toEqual([201, 403, 403, 403])
})

test('who is invited again, also twice at once, takes no second place', async () => {
  const org = await world.org()
  await invite(org, 'one@example.com')
  expect(statuses(await Promise.all([1, 2].map(() => invite(org, 'two@example.com'))))).toEqual([201, 201])
  expect((await invite(org, 'Two@example.com')).status).toBe(201)
  await giveLimits(world, org, { members: 1 })
  expect((await invite(org, 'two@example.com')).status).toBe(201)
  expect((await invite(org, 'three@example.com')).body).toMatchObject({ most: 1, used: 3 })
})

test('an invitation that is withdrawn or has expired, and a member who leaves, free a place; others are not affected', async () => {
  const [org, other] = [await world.org(), await world.org()]
  const member = await world.person(org.id, 'viewer')
  const { body } = await invite(org, 'one@example.com')
  expect((await invite(org, 'two@example.com')).status).toBe(403)
  expect((await invite(other, 'two@example.com')).status).toBe(201)
  await org.owner.api('DELETE', `/api/members/invitations/${body.invitation.id}`)
  expect((await invite(org, 'two@example.com')).status).toBe(201)
  await world.platform.pool.query(`update invitation set expires_at = now() where org_id = $1`, [org.id])
  expect((await invite(org, 'three@example.com')).status).toBe(201)
  await org.owner.api('DELETE', `/api/members/${member.userId}`)
  expect((await invite(org, 'four@example.com')).status).toBe(201)
})

test('the operator makes an owner and resets a password where an organization has all members that it may have', async () => {
  const email = 'owner@example.com'
  const { orgId } = await bootstrap(world.platform, { email, organization: 'Full', again: true, days: 1 })
  await giveLimits(world, { id: orgId }, { members: 1 })
  expect((await accept((await resetLink(world.platform, { email })).link)).status).toBe(200)
})

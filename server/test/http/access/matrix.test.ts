import { type Endpoint, MODES } from '@slipway/contract/endpoint'
import { idOf } from '@slipway/contract/ids'
import { type Permission, ROLE_PERMISSIONS, ROLES, SCOPES, type Scope } from '@slipway/contract/permissions'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { fourAnswers, permissionOf, prepareGround } from '../../matrix/ground.ts'
import { exampleRequest, idPlaces } from '../../matrix/places.ts'
import { MAKES, title, triesOf, unsaid } from '../../matrix/tries.ts'

/**
 * Every route × every way of not being allowed, made from the table of routes that the app itself serves: a new route
 * is covered the moment it exists, and one that the matrix cannot exercise fails it.
 */
const grounds = await Promise.all(MODES.map(prepareGround))
beforeEach(async () => {
  for (const ground of grounds) await ground.waitWithExample()
})
afterAll(() => {
  for (const { mode, counted } of grounds) console.log(`two-organization matrix, ${mode}: ${counted()}`)
})
const all = [...new Set(grounds.flatMap(({ endpoints }) => endpoints))]
const guarded = all.filter((endpoint) => permissionOf(endpoint) !== null)
/** Takes any name, and says of each what it is. */
const LOOKS = new Set(['POST /api/deployments/ssl/status'])
/** A cloud looks at no folder, whoever has it. */
const REFUSED_IN_CLOUD = new Set(['POST /api/deployments/prepare body.uploadSessionId'])

const rows = grounds.flatMap((ground) =>
  ground.guarded.map((endpoint) => [`${title(endpoint)} (${ground.mode})`, ground, endpoint] as const),
)
describe.each(rows)('%s', (_, ground, endpoint) => {
  const { world, mine, ask } = ground
  const permission = permissionOf(endpoint) as Permission
  const always = permission.startsWith('self:')

  test('no credentials → 401', async () => {
    for (const token of [null, 'slp_unknown', 'rubbish']) {
      const answer = await ask(token, endpoint)
      expect([answer.status, answer.body.success]).toEqual([401, false])
    }
  })

  test('lacking the permission → 403 that names it', async () => {
    if (always) return expect(SCOPES).not.toContain(permission)
    const scopes = SCOPES.filter((scope) => scope !== permission)
    const refused = [await world.tokenFor(mine.owner, { scopes })]
    for (const role of ROLES) {
      if (!ROLE_PERMISSIONS[role].has(permission as Scope)) refused.push((await world.person(mine.id, role)).token)
    }
    for (const token of refused) {
      const answer = await ask(token, endpoint)
      expect([answer.status, answer.body.requires]).toEqual([403, permission])
    }
  })

  const tries = triesOf(endpoint)
  test.each(tries.map((one) => [one.place, one] as const))(
    'what another organization has, or is gone, looks unknown in %s, and one’s own does not',
    async (_, one) => {
      const { unknown, foreign, gone, own } = await fourAnswers(ground, endpoint, one)
      if (one.part === 'params') expect([unknown.status, unknown.code]).toEqual([404, 'not_found'])
      if (one.part === 'body' && !one.shown && !LOOKS.has(title(endpoint)))
        expect([400, 403, 404]).toContain(unknown.status)
      expect(foreign, 'another organization’s').toEqual(unknown)
      if (gone) expect(gone, 'one that is gone').toEqual(unknown)
      if (ground.mode === 'cloud' && REFUSED_IN_CLOUD.has(`${title(endpoint)} ${one.place}`))
        return expect(own, 'one’s own').toMatchObject({ ...unknown, status: 403 })
      // Otherwise the request did not come as far as to look it up, and has shown nothing.
      expect(own, 'one’s own').not.toEqual(unknown)
    },
  )
})

test('every parameter of a path is an id, a name that the matrix knows, or says why it finds nothing', () => {
  expect(guarded.flatMap((endpoint) => unsaid(endpoint).map((place) => `${title(endpoint)} ${place}`))).toEqual([])
  const titles = new Set(guarded.map(title))
  for (const key of Object.keys(MAKES)) expect(titles).toContain(key.split(' ').slice(0, 2).join(' '))
})

test('ids are found however deep they lie', () => {
  const body = z.object({
    a: z.array(z.object({ projectId: idOf('prj').optional() })).optional(),
    b: z.union([z.string(), z.object({ serverId: idOf('srv').nullable().default(null) })]),
    c: z.record(z.string(), idOf('dep')),
    d: z.object({ tokenId: idOf('tok') }).transform((value) => value),
  })
  const endpoint = {
    method: 'POST',
    path: '/x',
    summary: '',
    access: { public: 'x' },
    body,
    response: z.any(),
  } as const
  const found = idPlaces(endpoint as Endpoint).map(({ part, name, prefix }) => `${part}.${name} ${prefix}`)
  expect(found).toEqual(['body.a.0.projectId prj', 'body.b.serverId srv', 'body.c.a-key dep', 'body.d.tokenId tok'])
  const values = { 'body.a.0.projectId': 'prj_1', 'body.b.serverId': 'srv_1' }
  expect(exampleRequest(endpoint as Endpoint, values).body).toEqual({
    a: [{ projectId: 'prj_1' }],
    b: { serverId: 'srv_1' },
  })
})

test('every public route says why it is public', () => {
  for (const endpoint of all) {
    if ('public' in endpoint.access) expect(endpoint.access.public.length).toBeGreaterThan(10)
  }
})

test('every JSON body has an example that its own schema accepts', () => {
  for (const endpoint of all) {
    if (endpoint.body instanceof z.ZodType)
      expect(endpoint.body.safeParse(endpoint.example), title(endpoint)).toMatchObject({ success: true })
  }
})

import type { Endpoint } from '@slipway/contract/endpoint'
import { type Permission, ROLE_PERMISSIONS, ROLES, SCOPES, type Scope } from '@slipway/contract/permissions'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startWorld } from '../../harness.ts'
import { exampleRequest, factories, idPlaces } from '../../matrix.ts'

/**
 * Every route × every way of not being allowed, made from the table of routes that the app itself serves: a new route
 * is covered the moment it exists, and one that the matrix cannot exercise fails it.
 */
const world = await startWorld()
const mine = await world.org('Mine')
const theirs = await world.org('Theirs')
const signedIn = await world.session(mine.owner)
const known = factories(world)
let cases = 0
afterAll(() => console.log(`two-organization matrix: ${world.app.endpoints.length} routes, ${cases} cases`))

const permissionOf = (endpoint: Endpoint): Permission | null =>
  'permission' in endpoint.access ? endpoint.access.permission : null
const guarded = world.app.endpoints.filter((endpoint) => permissionOf(endpoint) !== null)
const title = (endpoint: Endpoint) => `${endpoint.method} ${endpoint.path}`

/** The same request id in both, so that bodies can be compared byte for byte. */
async function ask(token: string | null, endpoint: Endpoint, ids: Record<string, string> = {}) {
  cases++
  const { url, body, headers } = exampleRequest(endpoint, ids)
  const all = { ...headers, 'x-request-id': 'matrix' }
  const answer = await world.as(token ?? '')(endpoint.method, url, body, all)
  // What only a person may do is asked as one.
  if (answer.body?.code !== 'session_required') return answer
  return world.as('')(endpoint.method, url, body, { ...all, ...signedIn })
}

describe.each(guarded.map((endpoint) => [title(endpoint), endpoint] as const))('%s', (_, endpoint) => {
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

  const places = idPlaces(endpoint)
  test.each(places.map((place) => [`${place.part}.${place.name}`, place] as const))(
    'foreign and deleted %s look like unknown ones',
    async (name, place) => {
      const factory = known[place.prefix]
      if (!factory)
        throw new Error(`${title(endpoint)} takes a ${place.prefix}_ id: add a factory to server/test/matrix.ts`)
      const deleted = await factory.make(mine)
      await factory.unmake?.(mine, deleted)
      // Other places of the same request hold ids that exist, so that only this one can be what is refused.
      const others: Record<string, string> = {}
      for (const other of places) {
        if (other !== place && other.part === 'params')
          others[`${other.part}.${other.name}`] = (await known[other.prefix]?.make(mine)) ?? ''
      }
      const unknown = await ask(mine.owner.token, endpoint, { ...others, [name]: `${place.prefix}_${'0'.repeat(26)}` })
      const foreign = await ask(mine.owner.token, endpoint, { ...others, [name]: await factory.make(theirs) })
      const gone = await ask(mine.owner.token, endpoint, { ...others, [name]: deleted })
      if (place.part === 'params') expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found'])
      if (place.part === 'body') expect([400, 403, 404]).toContain(unknown.status)
      expect([foreign.status, foreign.text]).toEqual([unknown.status, unknown.text])
      expect([gone.status, gone.text]).toEqual([unknown.status, unknown.text])
    },
  )
})

test('every public route says why it is public', () => {
  for (const endpoint of world.app.endpoints) {
    if ('public' in endpoint.access) expect(endpoint.access.public.length).toBeGreaterThan(10)
  }
})

test('every JSON body has an example that its own schema accepts', () => {
  for (const endpoint of world.app.endpoints) {
    if (endpoint.body instanceof z.ZodType)
      expect(endpoint.body.safeParse(endpoint.example), title(endpoint)).toMatchObject({ success: true })
  }
})

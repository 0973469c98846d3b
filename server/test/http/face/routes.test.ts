import type { Endpoint } from '@slipway/contract/endpoint'
import { ErrorBody } from '@slipway/contract/errors'
import { githost } from '@slipway/contract/githost'
import { cloudLink } from '@slipway/contract/link'
import { migration } from '@slipway/contract/migration'
import type { Scope } from '@slipway/contract/permissions'
import { promotion } from '@slipway/contract/promotion'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ROWS } from '../../../../test-kit/interface-routes.ts'
import { startWorld } from '../../../../test-kit/world.ts'
import { exampleRequest } from '../../matrix/places.ts'

const isWanted = ({ path }: { path: string }) => /^\/api\/(deployments|backup-destinations)(\/|$)/.test(path)
const wanted = ROWS.filter(isWanted).map(({ method, path, permission }) => `${method} ${path} ${permission}`)

/** What the interface does not name: looks that change nothing. */
const BEYOND = [
  'GET /api/deployments/:id/decision deployment:read',
  'GET /api/deployments/:id/diff deployment:read',
  'GET /api/deployments/:id/rollback-plan deployment:read',
]
// No name is looked up anywhere.
const world = await startWorld({ dnsServers: ['127.0.0.1:9'] })
const org = await world.org()
const endpoints = world.app.endpoints.filter(isWanted)
const line = ({ method, path, access }: Endpoint) =>
  `${method} ${path} ${'permission' in access ? access.permission : 'public'}`
const rows = endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)
const ask = (api: typeof org.owner.api, endpoint: Endpoint, body?: unknown) => {
  const example = exampleRequest(endpoint)
  return api(endpoint.method, example.url, body ?? example.body)
}

test('the routes of deployments and backup destinations are those of the interface, each with its permission', () => {
  expect(endpoints.map(line).sort()).toEqual([...wanted, ...BEYOND].toSorted())
})

test('a hosted instance serves the same routes, but for those about machines that somebody runs by hand', async () => {
  const cloud = await startWorld({ mode: 'cloud' })
  const own = new Set(
    [migration, cloudLink, promotion]
      .flatMap((area): Endpoint[] => Object.values(area))
      .concat(githost.localStatus, githost.poll)
      .map(line),
  )
  const shared = cloud.app.endpoints.filter(({ only }) => only === undefined)
  expect(shared.map(line)).toEqual(world.app.endpoints.map(line).filter((one) => !own.has(one)))
  const { owner } = await cloud.org()
  for (const path of ['/api/deployments', '/api/backup-destinations'])
    expect((await owner.api('GET', path)).body).toEqual({ data: [], nextCursor: null })
})

test('a viewer lists and reads, a developer writes as well, admins and owners do everything', async () => {
  const ACTIONS = { viewer: ['list', 'read'], developer: ['list', 'read', 'write'], admin: null, owner: null }
  for (const [role, actions] of Object.entries(ACTIONS)) {
    const { api } = await world.person(org.id, role as keyof typeof ACTIONS)
    for (const endpoint of endpoints) {
      const action = line(endpoint).split(':').at(-1) ?? ''
      const { status } = await ask(api, endpoint)
      const isOpen = actions === null || actions.includes(action)
      expect([role, line(endpoint), status === 403]).toEqual([role, line(endpoint), !isOpen])
    }
  }
})

describe.each(rows)('%s', (title, endpoint) => {
  const permission = ('permission' in endpoint.access ? endpoint.access.permission : '') as Scope

  test('opens to a token that has its permission and nothing else', async () => {
    const api = world.as(await world.tokenFor(org.owner, { scopes: [permission] }))
    const { status, text } = await ask(api, endpoint)
    expect([200, 201, 400, 404], `${title}: ${status} ${text}`).toContain(status)
  })

  test('refuses with success: false and what is wrong in error', async () => {
    const refused = [await ask(world.as('slp_unknown'), endpoint)]
    if (endpoint.path.includes(':id')) refused.push(await ask(org.owner.api, endpoint))
    if (endpoint.body instanceof z.ZodType) refused.push(await ask(org.owner.api, endpoint, ['not', 'an', 'object']))
    for (const { status, body } of refused) {
      expect([400, 401, 404]).toContain(status)
      expect(ErrorBody.parse(body)).toMatchObject({ success: false, error: expect.stringMatching(/\w \w/) })
    }
  })
})

import { cliLogin } from '@slipway/contract/cli-login'
import type { Endpoint } from '@slipway/contract/endpoint'
import { idOf } from '@slipway/contract/ids'
import { type Permission, ROLE_PERMISSIONS, ROLES, SCOPES, type Scope } from '@slipway/contract/permissions'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startWorld } from '../../../../test-kit/world.ts'
import { factories, type Thing, waitWith } from '../../matrix/factories.ts'
import { exampleRequest, idPlaces, type Values } from '../../matrix/places.ts'
import { MAKES, type Try, title, triesOf, unsaid } from '../../matrix/tries.ts'
import { configFor, connectedLogin, startLabHost } from '../githost/stage.ts'

/**
 * Every route × every way of not being allowed, made from the table of routes that the app itself serves: a new route
 * is covered the moment it exists, and one that the matrix cannot exercise fails it. No name is looked up anywhere,
 * and the git host is the lab's.
 */
const host = await startLabHost()
const world = await startWorld({ ...configFor(host), dnsServers: ['127.0.0.1:9'] })
const mine = await world.org('Mine')
const theirs = await world.org('Theirs')
const signedIn = await world.session(mine.owner)
const known = factories(world, host)
host.do.org({ login: 'acme' })
for (const org of [mine, theirs]) await connectedLogin(world, host, org)
// Where a code is not what is asked about, the one of the example is good.
beforeEach(() => waitWith(world, cliLogin.show.params.shape.userCode.meta()?.example as string))
let cases = 0
afterAll(() => console.log(`two-organization matrix: ${world.app.endpoints.length} routes, ${cases} cases`))

const permissionOf = (endpoint: Endpoint): Permission | null =>
  'permission' in endpoint.access ? endpoint.access.permission : null
const guarded = world.app.endpoints.filter((endpoint) => permissionOf(endpoint) !== null)

/** The same request id in all, so that bodies can be compared byte for byte. */
async function ask(token: string | null, endpoint: Endpoint, values: Values = {}, more: object = {}) {
  cases++
  const { url, body, headers } = exampleRequest(endpoint, values, more)
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

  const tries = triesOf(endpoint)
  test.each(tries.map((one) => [one.place, one] as const))(
    'what another organization has, or is gone, looks unknown in %s, and one’s own does not',
    async (_, one) => {
      const { unknown, foreign, gone, own } = await fourAnswers(endpoint, one)
      if (one.part === 'params') expect([unknown.status, unknown.code]).toEqual([404, 'not_found'])
      if (one.part === 'body' && !one.shown && !LOOKS.has(title(endpoint)))
        expect([400, 403, 404]).toContain(unknown.status)
      expect(foreign, 'another organization’s').toEqual(unknown)
      if (gone) expect(gone, 'one that is gone').toEqual(unknown)
      // Otherwise the request did not come as far as to look it up, and has shown nothing.
      expect(own, 'one’s own').not.toEqual(unknown)
    },
  )
})

/** Takes any name, and says of each what it is. */
const LOOKS = new Set(['POST /api/deployments/ssl/status'])

async function fourAnswers(endpoint: Endpoint, one: Try) {
  const factory = known[one.kind]
  if (!factory) throw new Error(`${title(endpoint)} takes a ${one.kind}: add a factory to server/test/matrix`)
  const removed = factory.unmake && (await factory.make(mine))
  if (removed) await factory.unmake?.(mine, removed)
  const others = await ownValues(endpoint, one)
  const more = { ...one.body, ...(named(endpoint) && { name: `matrix ${title(endpoint)} ${one.place}`.slice(-80) }) }
  const answerTo = async (thing: Thing, values: Values = {}) => {
    const all = { ...others, ...values, [one.place]: thing.value }
    const { status, text, body } = await ask(mine.owner.token, endpoint, all, more)
    const shown = one.shown ? one.shown(body) : text.replaceAll(thing.value, 'THIS')
    return { status, code: body?.code, shown }
  }
  return {
    unknown: await answerTo({ value: one.unknown }),
    foreign: await answerTo(await factory.make(theirs)),
    gone: removed && (await answerTo(removed)),
    // Last: it may change or delete what it names.
    own: await (async () => {
      const thing = await (factory.own ?? factory.make)(mine)
      const inPath = Object.entries(thing.with ?? {}).filter(
        ([place]) => place in others || endpoint.path.includes(':'),
      )
      return answerTo(thing, Object.fromEntries(inPath))
    })(),
  }
}

/** Everything else that the request names exists and is one's own, so that only this place can be what is refused. */
async function ownValues(endpoint: Endpoint, { place, also }: Try): Promise<Values> {
  const values: Values = {}
  for (const { part, name, prefix } of idPlaces(endpoint)) {
    const other = `${part}.${name}`
    if (other === place || (part !== 'params' && !also.includes(name))) continue
    const factory = known[prefix]
    values[other] = (await (factory?.own ?? factory?.make)?.(mine))?.value ?? ''
  }
  return values
}

const named = ({ example }: Endpoint) => typeof (example as { name?: unknown } | undefined)?.name === 'string'

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

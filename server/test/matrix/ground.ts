import { cliLogin } from '@slipway/contract/cli-login'
import type { Endpoint, Mode } from '@slipway/contract/endpoint'
import type { Permission } from '@slipway/contract/permissions'
import { startWorld } from '../../../test-kit/world.ts'
import { configFor, connectedLogin, startLabHost } from '../http/githost/stage.ts'
import { factories, type Thing, waitWith } from './factories.ts'
import { exampleRequest, idPlaces, type Values } from './places.ts'
import { type Try, title } from './tries.ts'

export type Ground = Awaited<ReturnType<typeof prepareGround>>

export const permissionOf = ({ access }: Endpoint): Permission | null =>
  'permission' in access ? access.permission : null

/** Two organizations on an instance of one mode. No name is looked up anywhere, and the git host is the lab's. */
export async function prepareGround(mode: Mode) {
  const host = await startLabHost()
  const world = await startWorld({ ...configFor(host), mode, dnsServers: ['127.0.0.1:9'] })
  const mine = await world.org('Mine')
  const theirs = await world.org('Theirs')
  const signedIn = await world.session(mine.owner)
  host.do.org({ login: 'acme' })
  for (const org of [mine, theirs]) await connectedLogin(world, host, org)
  const { endpoints } = world.app
  let cases = 0

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

  return {
    ...{ mode, world, mine, theirs, known: factories(world, host), ask, endpoints },
    guarded: endpoints.filter((endpoint) => permissionOf(endpoint) !== null),
    /** Where a code is not what is asked about, the one of the example is good. */
    waitWithExample: () => waitWith(world, cliLogin.show.params.shape.userCode.meta()?.example as string),
    counted: () => `${endpoints.length} routes, ${cases} cases`,
  }
}

/** What is answered to one who names something unknown, another organization's, gone, and their own. */
export async function fourAnswers(ground: Ground, endpoint: Endpoint, one: Try) {
  const { known, mine, theirs, ask } = ground
  const factory = known[one.kind]
  if (!factory) throw new Error(`${title(endpoint)} takes a ${one.kind}: add a factory to server/test/matrix`)
  const removed = factory.unmake && (await factory.make(mine))
  if (removed) await factory.unmake?.(mine, removed)
  const others = await ownValues(ground, endpoint, one)
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
async function ownValues({ known, mine }: Ground, endpoint: Endpoint, { place, also }: Try): Promise<Values> {
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

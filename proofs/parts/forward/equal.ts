import type { Endpoint } from '@slipway/contract/endpoint'
import { endpointsIn } from '@slipway/contract/endpoints'
import type { Site } from '../../../test-kit/site.ts'
import type { Ground } from './ground.ts'
import { linkCaller } from './link-caller.ts'

/** Every route of one deployment that the table has: one that is added to it is compared from then on. */
const ROUTES = Object.values(endpointsIn('self_hosted'))
  .flatMap((rows) => Object.values(rows))
  .filter(({ path }) => /^\/api\/deployments\/:id(\/|$)/.test(path))

/** All else is compared byte by byte. */
const EXEMPT: Record<string, string> = {
  'GET /api/deployments/:id/usage': 'figures of this moment: status and fields',
  'GET /api/deployments/:id/info': 'figures of this moment: status and fields',
  'DELETE /api/deployments/:id': 'each can be deleted once: two that are alike',
}
/** Asked with these, too. */
const MORE: Record<string, string[]> = {
  'GET /api/deployments/:id': ['?wait=1', '?wait=61'],
  'GET /api/deployments/:id/logs': ['?format=text', '?format=rows', '?tail=3', '?cursor=rubbish'],
  'GET /api/deployments/:id/stream': ['?since=2'],
  'GET /api/deployments/:id/diff': ['?to=dep_unknown'],
}
/** They would change what the next one compares, so each is over before that. */
const CHANGES = new Set(['redeploy', 'rollback', 'pin', 'restart'])

type Answer = { status: number; text: string; type: string | null }
type Asked = { token: string; key?: string }

/** With an id of the request that is the same on both ways, so that bodies can be compared byte by byte. */
async function ask(site: Site, { method, example }: Endpoint, path: string, { token, key }: Asked): Promise<Answer> {
  const answer = await fetch(`${site.base()}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'x-request-id': 'forward-proof',
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(method !== 'GET' && { body: JSON.stringify(example ?? {}) }),
    signal: AbortSignal.timeout(90_000),
  })
  return { status: answer.status, text: await answer.text(), type: answer.headers.get('content-type') }
}

type Subjects = { ready: string; failed: string; twin: string }

/** Every route of one deployment, through the hop and directly. */
export async function compareRoutes(ground: Ground, { ready, failed, twin }: Subjects) {
  const { cloud, own } = ground
  const link = await linkCaller(ground)
  const faults: string[] = []
  let [compared, changed] = [0, 0]
  const compare = async (endpoint: Endpoint, id: string, query: string) => {
    const name = `${endpoint.method} ${endpoint.path}`
    const at = `${endpoint.path.replace(':id', id)}${query}`
    const key = endpoint.method === 'POST' ? `${name}-${id}`.replaceAll(' ', '-') : undefined
    const through = await ask(own, endpoint, at, { token: own.token, ...(key && { key }) })
    // A write that was done answers again as it did, to whoever comes with the link's credential and its key.
    const by = key === undefined ? { token: cloud.token } : { token: link.token, key: link.keyThere(key) }
    const direct = await ask(cloud, endpoint, at, by)
    compared++
    if (!same(name, through, direct)) faults.push(`${name}${query}: ${said(through)} instead of ${said(direct)}`)
    if (endpoint.method === 'GET' || through.status >= 300) return
    changed++
    if (id === ready && !CHANGES.has(at.split('/').at(-1) ?? '')) faults.push(`${name}: ${through.status}`)
    await settled(cloud, ready)
  }
  for (const endpoint of ROUTES.filter(({ method }) => method !== 'DELETE'))
    for (const id of [ready, failed])
      for (const query of ['', ...(MORE[`${endpoint.method} ${endpoint.path}`] ?? [])])
        await compare(endpoint, id, query)
  for (const remove of ROUTES.filter(({ method }) => method === 'DELETE')) {
    const [through, direct] = [
      await ask(own, remove, remove.path.replace(':id', failed), { token: own.token }),
      await ask(cloud, remove, remove.path.replace(':id', twin), { token: link.token }),
    ]
    compared++
    changed++
    if (JSON.stringify(through) !== JSON.stringify(direct)) faults.push(`DELETE: ${said(through)}, not ${said(direct)}`)
    const { status } = await cloud.call('GET', `/api/deployments/${failed}`)
    if (through.status !== 200 || status !== 404) faults.push(`DELETE: ${through.status}, then ${status}`)
  }
  const forgotten = Object.keys({ ...EXEMPT, ...MORE }).filter((name) => !ROUTES.some((one) => isRoute(one, name)))
  faults.push(...forgotten.map((name) => `${name} is not in the table`))
  return { routes: ROUTES.length, exempt: Object.keys(EXEMPT).length, compared, changed, faults }
}

const isRoute = ({ method, path }: Endpoint, name: string) => `${method} ${path}` === name

const same = (name: string, one: Answer, other: Answer) =>
  name in EXEMPT
    ? one.status === other.status && one.type === other.type && fieldsIn(one.text) === fieldsIn(other.text)
    : JSON.stringify(one) === JSON.stringify(other)

/** Which fields a JSON text has, whatever their values. */
function fieldsIn(text: string): string {
  const shape = (value: unknown): unknown =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([name, inner]) => [name, shape(inner)])
      : null
  return JSON.stringify(shape(JSON.parse(text)))
}

const said = ({ status, type, text }: Answer) => `${status} ${type} ${text.slice(0, 200)}`

/** What was begun by a call that went through is over before the next one. */
async function settled(cloud: Site, id: string): Promise<void> {
  const { projectId } = await cloud.show(id)
  const deadline = performance.now() + 120_000
  while (performance.now() < deadline) {
    const { data } = await cloud.ask('GET', `/api/deployments?projectId=${projectId}&limit=5`)
    const busy = (data as { status: string }[]).some(({ status }) =>
      ['queued', 'building', 'deploying'].includes(status),
    )
    if (!busy) return
    await new Promise((next) => setTimeout(next, 300))
  }
}

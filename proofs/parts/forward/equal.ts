import { ROWS } from '../../../test-kit/interface-routes.ts'
import type { Site } from '../../../test-kit/site.ts'
import type { Ground } from './ground.ts'

type Answer = { status: number; text: string; type: string | null }

/** With an id of the request that is the same on both ways, so that bodies can be compared byte by byte. */
async function ask(site: Site, method: string, path: string): Promise<Answer> {
  const answer = await fetch(`${site.base()}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${site.token}`,
      'x-request-id': 'forward-proof',
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
    },
    ...(method !== 'GET' && { body: '{}' }),
    signal: AbortSignal.timeout(90_000),
  })
  return { status: answer.status, text: await answer.text(), type: answer.headers.get('content-type') }
}

/** What differs from one question to the next whoever asks: a figure of this moment. */
const MOVES = new Set(['GET /api/deployments/:id/usage', 'GET /api/deployments/:id/info'])
/** They would change what the next one compares, so they are asked at one side at a time. */
const CHANGES = new Set(['redeploy', 'rollback', 'pin', 'restart'])

/** Every route of one deployment, through the hop and directly. */
export async function compareRoutes({ cloud, own }: Ground, ready: string, failed: string) {
  const faults: string[] = []
  let compared = 0
  let changed = 0
  const rows = ROWS.filter(({ path }) => path.startsWith('/api/deployments/:id'))
  for (const { method, path } of rows.filter((row) => row.method !== 'DELETE')) {
    for (const id of [ready, failed]) {
      const at = path.replace(':id', id)
      const through = await ask(own, method, at)
      if (method !== 'GET' && through.status < 300) {
        changed++
        if (id === ready && !CHANGES.has(at.split('/').at(-1) ?? ''))
          faults.push(`${method} ${path}: ${through.status}`)
        await settled(cloud, ready)
        continue
      }
      const direct = await ask(cloud, method, at)
      compared++
      const same = MOVES.has(`${method} ${path}`)
        ? through.status === direct.status
        : JSON.stringify(through) === JSON.stringify(direct)
      if (!same) faults.push(`${method} ${path}: ${said(through)} instead of ${said(direct)}`)
    }
  }
  const gone = await ask(own, 'DELETE', `/api/deployments/${failed}`)
  const after = await ask(cloud, 'GET', `/api/deployments/${failed}`)
  if (gone.status !== 200 || after.status !== 404) faults.push(`DELETE: ${gone.status}, then ${after.status}`)
  return { routes: rows.length, compared, changed: changed + 1, faults }
}

const said = ({ status, type, text }: Answer) => `${status} ${type} ${text.slice(0, 200)}`

/** What was begun by a call that went through is over before the next one. */
async function settled(cloud: Site, id: string): Promise<void> {
  const { projectId } = await cloud.show(id)
  const deadline = performance.now() + 120_000
  while (performance.now() < deadline) {
    const { data } = await cloud.ask('GET', `/api/deployments?projectId=${projectId}&limit=5`)
    const busy = (data as { status: string }[]).some(({ status }) =>
      ['queued', 'preparing', 'building', 'deploying', 'verifying'].includes(status),
    )
    if (!busy) return
    await new Promise((next) => setTimeout(next, 300))
  }
}

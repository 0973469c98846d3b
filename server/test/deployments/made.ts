import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Org, World } from '../../../test-kit/world.ts'
import { append, type NewEvent } from '../../src/core/deployments/events/events-store.ts'
import { newId } from '../../src/db/ids.ts'

type Made = { id: string; projectId: string }
type Options = { ended?: Date | null; active?: boolean }

/** A deployment that nobody runs, for tests of what is told about one. It is running unless it has ended. */
export async function makeDeployment(world: World, org: Org, options: Options = {}): Promise<Made> {
  const { db } = world.platform
  const n = newId('req')
  const project = (await org.owner.api('POST', '/api/projects', { name: `project ${n}` })).body
  const server = (await org.owner.api('POST', '/api/servers', { kind: 'ssh', name: `server ${n}`, host: '192.0.2.1' }))
    .body
  const id = newId('dep')
  const { ended = null, active = false } = options
  await db
    .insertInto('deployment')
    .values({
      id,
      orgId: org.id,
      projectId: project.id,
      serverId: server.id,
      // The first that is really submitted is number 1.
      number: 0,
      status: ended ? 'ready' : 'building',
      decision: null,
      active,
      trigger: 'manual',
      source: JSON.stringify({ kind: 'image', image: 'x' }),
      request: JSON.stringify({ buildStrategy: 'auto' }),
      branch: null,
      release: null,
      createdBy: JSON.stringify({ kind: 'user', name: 'x' }),
      finishedAt: ended,
    })
    .execute()
  await sql`insert into run (id, lane, kind, org_id, input, status, fence, claim)
    values (${id}, ${project.id}, 'test', ${org.id}, '{}', ${ended ? 'succeeded' : 'running'}, 1, ${CLAIM.claim})`.execute(
    db,
  )
  return { id, projectId: project.id }
}

/** Of the run that is under way. */
export const CLAIM = { fence: 1, claim: randomUUID() }

export const line = (text: string, service = 'web'): NewEvent => ({
  type: 'log',
  at: new Date(),
  data: { service, step: 'build', stream: 'stdout', line: text },
})
const step = (name: string): NewEvent => ({ type: 'step', at: new Date(), data: { step: name, service: 'web' } })
export const end = (): NewEvent => ({ type: 'end', at: new Date(), data: { status: 'ready' } })

/** Stores them as a build would, in batches. */
export async function store({ platform }: World, id: string, events: NewEvent[]): Promise<void> {
  for (let n = 0; n < events.length; n += 500) await append(platform.db, id, null, events.slice(n, n + 500))
}

/** `count` lines with a step now and then, and an end. */
export const story = (count: number): NewEvent[] => [
  ...Array.from({ length: count }, (_, n) =>
    n % 100 === 0 ? step(`step ${n}`) : line(`line ${n} äöü \t ${'x'.repeat(n % 90)}`),
  ),
  end(),
]

export type Seen = { id: number; event: string; data: Record<string, unknown> & { line?: string } }

export const parsed = (text: string): Seen[] =>
  text
    .split('\n\n')
    .filter((block) => block.startsWith('id: '))
    .map((block) => {
      const [id = '', event = '', data = ''] = block.split('\n')
      return { id: Number(id.slice(4)), event: event.slice(7), data: JSON.parse(data.slice(6)) }
    })

/** The number before which something is missing, doubled or out of order; a gap stands for what it names. */
export function firstFault(seen: Seen[], since = 0): number | undefined {
  let last = since
  for (const { id, event, data } of seen) {
    if (event === 'gap' ? data.from !== last + 1 || data.to !== id : id !== last + 1) return id
    last = id
  }
  return undefined
}

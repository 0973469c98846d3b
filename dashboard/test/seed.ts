import type { DeploymentError, DeploymentService } from '@slipway/contract/deployment-shape'
import type { ServerReport } from '@slipway/contract/servers'
import { newId } from '../../server/src/db/ids.ts'
import type { World } from '../../test-kit/world.ts'

const SECOND = 1000
const HOUR = 3_600_000

type Step = [name: string, seconds: number]
type Given = {
  number: number
  /** When it was made, before now. */
  agoMs: number
  status: 'queued' | 'building' | 'deploying' | 'ready' | 'failed' | 'cancelled' | 'partial_failure' | 'superseded'
  decision?: 'pending' | 'kept' | null
  active?: boolean
  pinned?: boolean
  message: string
  commit?: string
  branch?: string
  by?: string
  seconds?: number
  services?: DeploymentService[]
  steps?: Step[]
  error?: DeploymentError
  prompt?: boolean
}

export type Seeded = { ids: Record<string, string>; projects: Record<string, string> }

/** What has happened, by project. */
export type Story = Record<string, Given[]>

/** An organization in which something of everything has happened, and `more`; ids by `project#number`. */
export async function seed(world: World, orgId: string, api: World['as'], more: Story = {}): Promise<Seeded> {
  const { db } = world.platform
  const token = await ownerToken(world, orgId)
  const call = api(token)
  const server = (await call('POST', '/api/servers', { kind: 'ssh', name: 'fra-1', host: '192.0.2.10' })).body
  const report: ServerReport = {
    ok: true,
    checkedAt: new Date().toISOString(),
    engineVersion: '28.5.1',
    swarm: 'active',
    cpus: 4,
    memoryBytes: 8e9,
    memoryAvailableBytes: 3e9,
    diskBytes: 8e10,
    diskFreeBytes: 4e10,
    portsInUse: [],
    checks: [],
  }
  await db
    .updateTable('server')
    .set({ lastReport: JSON.stringify(report) } as never)
    .where('id', '=', server.id)
    .execute()
  const seeded: Seeded = { ids: {}, projects: {} }
  const story = { ...STORY, ...more }
  for (const name of Object.keys(story)) seeded.projects[name] = (await call('POST', '/api/projects', { name })).body.id
  const all = Object.entries(story).flatMap(([name, given]) => given.map((one) => ({ name, one })))
  // Lists are by id, and ids grow with time.
  for (const { name, one } of all.toSorted((a, b) => b.one.agoMs - a.one.agoMs)) {
    const place = { orgId, projectId: seeded.projects[name] ?? '', serverId: server.id }
    seeded.ids[`${name}#${one.number}`] = await insert(world, place, name, one)
  }
  return seeded
}

async function ownerToken(world: World, orgId: string): Promise<string> {
  const { userId } = await world.platform.db
    .selectFrom('member')
    .select('userId')
    .where('orgId', '=', orgId)
    .where('role', '=', 'owner')
    .executeTakeFirstOrThrow()
  return world.tokenFor({ orgId, userId })
}

type Place = { orgId: string; projectId: string; serverId: string }

async function insert({ platform: { db } }: World, place: Place, name: string, given: Given): Promise<string> {
  const id = newId('dep')
  const created = Date.now() - given.agoMs
  const isOver = !['queued', 'building', 'deploying'].includes(given.status) && given.decision !== 'pending'
  const isReleased = given.status === 'ready' || given.decision === 'kept'
  const at = (seconds: number) => new Date(created + seconds * SECOND)
  const source = given.commit
    ? {
        kind: 'git',
        repo: `acme/${name}`,
        branch: given.branch ?? 'main',
        commitSha: given.commit,
        commitMessage: given.message,
      }
    : { kind: 'upload' }
  const values = {
    id,
    ...place,
    number: given.number,
    status: given.status,
    decision: given.decision ?? null,
    active: given.active ?? false,
    pinned: given.pinned ?? false,
    trigger: given.commit ? 'push' : 'upload',
    source: JSON.stringify(source),
    request: JSON.stringify({ buildStrategy: 'auto' }),
    services: JSON.stringify(given.services ?? (isReleased ? [service('web', 'healthy')] : [])),
    // Names are led to what has become a release, and to nothing else.
    urls: isReleased ? [`https://${name}.example.com`] : [],
    branch: given.commit ? (given.branch ?? 'main') : null,
    release: null,
    error: given.error ? JSON.stringify(given.error) : null,
    waitingOn: waitingOf(given),
    createdBy: JSON.stringify({ kind: 'user', name: given.by ?? 'Ada' }),
    createdAt: new Date(created),
    startedAt: given.status === 'queued' ? null : at(1),
    finishedAt: isOver ? at(1 + (given.seconds ?? 48)) : null,
  }
  await db
    .insertInto('deployment')
    .values(values as never)
    .execute()
  await insertRun(db, { id, place, isOver, steps: given.steps ?? [], begin: created + SECOND })
  return id
}

function waitingOf({ decision, prompt }: Given): string | null {
  if (decision === 'pending') return JSON.stringify({ kind: 'decision' })
  return prompt ? JSON.stringify({ kind: 'prompt', promptId: 'approve_build' }) : null
}

type RunOf = { id: string; place: Place; isOver: boolean; steps: Step[]; begin: number }

/** The journal of its run; the last step of one that goes on, or that failed, has no end. */
async function insertRun(db: World['platform']['db'], { id, place, isOver, steps, begin }: RunOf): Promise<void> {
  await db
    .insertInto('run')
    .values({
      id,
      // One of their own: in truth only one at a time runs of a project.
      lane: id,
      kind: 'test',
      orgId: place.orgId,
      input: '{}',
      status: isOver ? 'succeeded' : 'running',
      fence: 1,
    } as never)
    .execute()
  let from = begin
  for (const [name, seconds] of steps) {
    const to = from + Math.abs(seconds) * SECOND
    const row = {
      runId: id,
      name,
      fence: 1,
      output: null,
      startedAt: new Date(from),
      endedAt: seconds < 0 ? null : new Date(to),
    }
    await db
      .insertInto('runStep')
      .values(row as never)
      .execute()
    from = to
  }
}

const service = (name: string, status: DeploymentService['status'], message?: string): DeploymentService => ({
  name,
  status,
  image: null,
  digest: `sha256:${'0a1b2c3d4e5f6789'.repeat(4)}`,
  previousDigest: null,
  replicas: name === 'web' ? 2 : 1,
  error: message ? { code: 'port_closed', step: 'rollout', service: name, message, hint: null, logSeq: null } : null,
})

const BUILD_FAILED: DeploymentError = {
  code: 'build_failed',
  step: 'build',
  service: 'jobs',
  message: 'Line 14 of the Dockerfile failed: RUN npm ci ended with exit code 1.',
  hint: 'package.json asks for zod 4.6.7, package-lock.json has 4.1.2. Run npm install, commit package-lock.json, and deploy again.',
  logSeq: 812,
}

const NOT_LISTENING: DeploymentError = {
  code: 'port_closed',
  step: 'rollout',
  service: 'web',
  message: 'Nothing listens on port 3000 of web.',
  hint: 'Let the program listen on the port in $PORT, at 0.0.0.0.',
  logSeq: null,
}

const older = (from: number, count: number, messages: string[], newestHours = 6): Given[] =>
  Array.from({ length: count }, (_, n) => ({
    number: from - n,
    agoMs: (newestHours + n * 3) * HOUR,
    status: n % 7 === 3 ? 'failed' : n % 5 === 4 ? 'superseded' : 'ready',
    message: messages[n % messages.length] ?? '',
    commit: `${(((from + n + 7) * 7_654_321) % 0xfff_ffff).toString(16).padStart(7, '0')}aa`,
    seconds: 20 + ((n * 37) % 50),
    steps: [
      ['source', 0.7],
      ['build', 10 + ((n * 37) % 50)],
      ['rollout', 6.4],
    ],
    ...(n % 7 === 3 && { error: NOT_LISTENING, services: [service('web', 'failed', NOT_LISTENING.message)] }),
  }))

/** A step with less than no seconds has not ended. */
const STORY: Story = {
  billing: [
    {
      number: 44,
      agoMs: 4 * HOUR,
      status: 'failed',
      message: 'Keep sessions for 30 days',
      commit: 'ff34739c0',
      seconds: 34,
      services: [service('api', 'built'), service('jobs', 'failed', BUILD_FAILED.message)],
      steps: [
        ['source', 0.9],
        ['build:api', 10],
        ['build:jobs', -22],
      ],
      error: BUILD_FAILED,
    },
    { number: 43, agoMs: 5 * HOUR, status: 'ready', active: true, message: 'Folder upload', by: 'ci', seconds: 80 },
    ...older(42, 9, ['Round prices as the ledger does', 'Send invoices as PDF', 'Ask the bank again after an hour']),
  ],
  docs: [
    {
      number: 45,
      agoMs: 4.2 * HOUR,
      status: 'ready',
      active: true,
      message: 'Say how payments are retried',
      commit: '9d6bed4a1',
      branch: 'next',
      by: 'Grace',
      seconds: 38,
      steps: [
        ['source', 0.8],
        ['build', 21],
        ['release', 0.1],
        ['rollout', 9],
        ['route', 0.4],
        ['retire', 2],
        ['tidy', 1.2],
      ],
    },
    ...older(44, 12, ['Explain what a release is', 'Mend links to the glossary', 'Show prices with their tax']),
  ],
  orders: [
    {
      number: 21,
      agoMs: 2 * HOUR,
      status: 'partial_failure',
      decision: 'pending',
      message: 'Fix the empty state of the wish list',
      commit: 'd9dae0a7f',
      by: 'ci',
      services: [
        service('web', 'healthy'),
        service('api', 'healthy'),
        service('worker', 'failed', 'Nothing listens on port 3000 of worker.'),
      ],
      steps: [
        ['source', 0.9],
        ['build:web', 15],
        ['build:api', 15],
        ['build:worker', 15],
        ['release', 0.1],
        ['rollout:web', 3.6],
        ['rollout:api', 3.6],
        ['rollout:worker', 4],
      ],
    },
    {
      number: 20,
      agoMs: 26 * HOUR,
      status: 'ready',
      active: true,
      message: 'Pack parcels by weight',
      commit: '5c1e88d02',
      by: 'Grace',
      seconds: 61,
      services: [service('web', 'healthy'), service('api', 'healthy'), service('worker', 'healthy')],
    },
    ...older(19, 10, ['Tell customers when a parcel leaves', 'Merge orders of one day', 'Count returns'], 30),
  ],
  shop: [
    {
      number: 148,
      agoMs: 70 * SECOND,
      status: 'building',
      message: 'Upgrade the database driver',
      commit: '78125a5b2',
      services: [service('web', 'built'), service('api', 'building'), service('worker', 'pending')],
      steps: [
        ['source', 1.4],
        ['build:web', 22],
        ['build:api', -40],
      ],
    },
    {
      number: 147,
      agoMs: 2.5 * HOUR,
      status: 'cancelled',
      message: 'Try smaller pictures in the list',
      commit: 'a41f0c2d9',
      branch: 'pictures',
      by: 'Linus',
      seconds: 12,
    },
    {
      number: 146,
      agoMs: 3 * HOUR,
      status: 'ready',
      active: true,
      pinned: true,
      message: 'Move images to their own bucket',
      commit: '3ba366f10',
      by: 'Linus',
      seconds: 52,
    },
    ...older(145, 14, ['Let carts last for a week', 'Show what is sold out', 'Sort by what is new', 'Speed up search']),
  ],
}

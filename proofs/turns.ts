import { createHash, randomBytes } from 'node:crypto'
import { loadavg } from 'node:os'
import { labPart } from '../lab/ask.ts'
import { newId } from '../server/src/db/ids.ts'
import type { TestDatabase } from '../test-kit/database.ts'
import { content, sendFolderBy } from '../test-kit/send-folder.ts'
import { openSite, type Site } from '../test-kit/site.ts'
import { until } from '../test-kit/until.ts'
import { size } from './ledger/sizes.ts'
import { openReference } from './parts/fair/reference.ts'
import { countRuns, waitOf } from './parts/fair/waits.ts'

export const claim =
  'In a cloud of many organizations the burst of one does not make the first build of another wait longer than on an idle day.'
export const kind = 'figure'
export const quick = false

const ORGANIZATIONS = size('SLIPWAY_TURNS_ORGANIZATIONS', 100)
const BUILDS = size('SLIPWAY_TURNS_BUILDS', 500)

/** A wait is noise while it is shorter than this: a poll, a busy processor. */
const FLOOR_MS = 1000
const MOST_RATIO = 2

type Reference = Awaited<ReturnType<typeof openReference>>
type Wait = { ms: number; machine: number }
type Ground = { site: Site; db: TestDatabase; reference: Reference }

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const env = {
    SLIPWAY_MODE: 'cloud',
    SLIPWAY_LIMIT_PROJECTS: String(BUILDS),
    SLIPWAY_ALLOWED_NETWORKS: '198.18.0.0/15',
  }
  const site = await openSite({ name: 'turns', env })
  const reference = await openReference()
  try {
    for (const role of ['worker', 'worker', 'api'] as const) await site.start({ role })
    const ground = { site, db: site.database as TestDatabase, reference }
    // Whoever has built once is no newcomer: these are others than those beside the burst.
    const idle = await firstBuilds(ground, Math.ceil(ORGANIZATIONS / 2))
    console.log(`  alone: the first builds of ${idle.length} organizations began after ${range(idle)} s`)
    await burst(ground)
    const busy = await firstBuilds(ground, ORGANIZATIONS - 1)
    const left = await countRuns(ground.db, site.orgId)
    console.log(
      `  beside the burst: ${busy.length} began after ${range(busy)} s; ${JSON.stringify(left)} of it are left`,
    )
    return verdict(idle, busy, left)
  } finally {
    await reference.close()
    await site.close()
  }
}

function verdict(idle: Wait[], busy: Wait[], left: Awaited<ReturnType<typeof countRuns>>) {
  const alone = idle.map(({ ms }) => ms).toSorted((a, b) => a - b)[Math.floor(idle.length / 2)] ?? 0
  const ratios = busy.map(({ ms, machine }) => ms / Math.max(FLOOR_MS, alone, machine))
  const worst = Math.max(...ratios)
  // Those at rest wait for their organization's turn at building.
  const open = left.queued + left.running + left.resting
  return {
    // A burst that was over before the others came shows nothing.
    ok: worst <= MOST_RATIO && open > BUILDS / 4,
    figure:
      `beside ${BUILDS} builds of one organization (${open} not done when the last came) on 2 workers, the first builds of ` +
      `${busy.length} others began after ${range(busy)} s, at most ${worst.toFixed(1)} times what ${idle.length} more waited alone ` +
      `(median ${seconds(alone)}, ${range(idle)} s; an idle instance on the same machine at those moments ${range(busy.map(({ machine }) => ({ ms: machine })))} s; ` +
      `less than 1 s counts as 1; bar ${MOST_RATIO}); load average ${loadavg()[0]?.toFixed(1)}`,
  }
}

/** One after the other, each in an organization that has never asked for anything. */
async function firstBuilds(ground: Ground, count: number): Promise<Wait[]> {
  const waits: Wait[] = []
  for (let n = 0; n < count; n++) waits.push(await firstBuild(ground))
  return waits
}

/** Its server is a closed port of the lab, so it ends right after it has begun. */
async function firstBuild({ site, db, reference }: Ground): Promise<Wait> {
  const ask = await newcomer(site, db)
  const { address } = labPart('engine')
  await ask('POST', '/api/servers', { kind: 'ssh', name: 'closed', host: address, port: 9, user: 'nobody' })
  const { id: projectId } = await ask('POST', '/api/projects', { name: 'first' })
  const machine = reference.wait()
  const uploadSessionId = await folder(ask)
  const { deployment_id: id } = await ask('POST', '/api/deployments/build/access', { projectId, uploadSessionId })
  const ms = await waitOf(db, String(id))
  return { ms, machine: await machine }
}

type Ask = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>

/** An organization with an owner and a token, as the rows that a sign-up leaves. */
async function newcomer(site: Site, { pool }: TestDatabase): Promise<Ask> {
  const [orgId, userId, secret] = [newId('org'), newId('usr'), `slp_${randomBytes(32).toString('base64url')}`]
  await pool.query('insert into organization (id, name) values ($1, $2)', [orgId, 'Newcomers'])
  await pool.query('insert into person (id, name, email) values ($1, $2, $3)', [
    userId,
    'Newcomer',
    `${userId}@turns.example`,
  ])
  await pool.query(`insert into member (org_id, user_id, role) values ($1, $2, 'owner')`, [orgId, userId])
  await pool.query(
    `insert into token (id, org_id, user_id, name, hash, hint) values ($1, $2, $3, 'first', $4, 'slp_')`,
    [newId('tok'), orgId, userId, createHash('sha256').update(secret).digest()],
  )
  return asker(site.base(), secret)
}

const asker =
  (url: string, token: string): Ask =>
  async (method, path, body) => {
    const type = Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json'
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json() as Promise<Record<string, unknown>>
  }

/** A build that takes some seconds, sent to a cloud as its command line does. */
async function folder(ask: Ask): Promise<string> {
  const dockerfile = 'FROM busybox:1\nARG CACHEBUST\nRUN sleep 3\nCMD ["httpd", "-f", "-p", "8080"]\nEXPOSE 8080\n'
  const { id } = await sendFolderBy(
    async (method, path, type, body) => {
      const text = typeof body === 'string' && body !== '' ? { ...JSON.parse(body), mode: 'cloud' } : body
      const sent = type === 'application/json' && path.endsWith('/folder-sessions') ? text : body
      return (await ask(method, path, sent)) as { uploadSessionId: string; missing: string[] }
    },
    [content('Dockerfile', dockerfile), content('name', randomBytes(8).toString('hex'))],
  )
  return id
}

/** Each in a project of its own, so that none takes the place of another. */
async function burst({ site, db }: Ground): Promise<void> {
  const ask = asker(site.base(), site.token)
  const server = await site.addHost('host1')
  // There is no registry to have bases from.
  await ask('PATCH', `/api/servers/${server}`, { policy: { localImages: true } })
  const uploadSessionId = await folder(ask)
  const left = Array.from({ length: BUILDS }, (_, n) => n).values()
  const submit = async () => {
    for (const n of left) {
      const { id: projectId } = await ask('POST', '/api/projects', { name: `burst-${n}` })
      await ask('POST', '/api/deployments/build/access', { projectId, uploadSessionId })
    }
  }
  await Promise.all(Array.from({ length: 8 }, submit))
  const seen = await until('the burst is being worked on', 120_000, async () => {
    const runs = await countRuns(db, site.orgId)
    return runs.running > 0 ? runs : undefined
  })
  console.log(`  the burst: ${JSON.stringify(seen)}`)
}

const seconds = (ms: number) => (ms / 1000).toFixed(1)
const range = (waits: { ms: number }[]) => {
  const all = waits.map(({ ms }) => ms).toSorted((a, b) => a - b)
  return `${seconds(all[0] ?? 0)} to ${seconds(all.at(-1) ?? 0)}`
}

import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGitHost } from '../lab/githost/start.ts'
import type { TestDatabase } from '../test-kit/database.ts'
import { SECRET_KEY } from '../test-kit/server-process.ts'
import { openSite } from '../test-kit/site.ts'
import { until } from '../test-kit/until.ts'
import { size } from './ledger/sizes.ts'
import { connect } from './parts/push/connect.ts'
import { follow, type Stage } from './parts/push/follow.ts'
import { startFront } from './parts/push/front.ts'
import { hold } from './parts/push/storm.ts'
import { program } from './parts/seal/rotation.ts'

export const claim =
  'the secret of the hook, the key of the app and the key that seals both are changed while pushes come: none is refused, none is lost'
export const kind = 'story'
export const quick = false

const PUSHES = size('SLIPWAY_ROTATE_PUSHES', 500)
const REPOSITORIES = 10
const NEXT = randomBytes(32).toString('hex')

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const host = await startGitHost({ dir: mkdtempSync(join(tmpdir(), 'sw-rotate-')) })
  const env = {
    SLIPWAY_GITHOST_URL: host.url,
    SLIPWAY_GIT_CA_FILE: host.caFile,
    SLIPWAY_PUBLIC_URL: 'https://rotate.example.com',
  }
  const site = await openSite({ name: 'rotate', env })
  const living = () => site.replicas.filter(({ child }) => child.exitCode === null && child.signalCode === null)
  const front = await startFront(
    () => living().map(({ url }) => url),
    () => '',
  )
  try {
    host.do.user({ login: 'ada' })
    host.do.org({ login: 'acme', members: { ada: 'admin' } })
    await site.start()
    await site.start()
    const wanted = { host, orgId: site.orgId, owner: 'acme', hookUrl: front.url }
    const connection = await connect(site.database as TestDatabase, wanted)
    const stage = { site, host, connection, serverId: await site.addLocalServer() }
    return await judge(stage, front)
  } finally {
    front.stop()
    await site.close()
    await host.stop()
  }
}

type Front = Awaited<ReturnType<typeof startFront>>

async function judge(stage: Stage, front: Front): Promise<{ ok: boolean; figure: string }> {
  const { site, host } = stage
  const { pool } = site.database as TestDatabase
  const all = await follow(stage, 'r', REPOSITORIES, { 'index.html': '0' })
  await hold(site.database as TestDatabase, site.orgId, all)
  const before = front.arrived.length
  const newest = new Map<number, string>()
  const changes = rotations(stage)
  const done: string[] = []
  let changing: Promise<void> = Promise.resolve()
  for (let n = 0; n < PUSHES; n++) {
    const change = n % Math.ceil(PUSHES / (changes.length + 1)) === 0 && n > 0 ? changes.shift() : undefined
    // Beside the pushes: nobody waits for it.
    if (change) changing = changing.then(change[1]).then(() => void done.push(change[0]))
    const { id, full } = all[n % all.length] as (typeof all)[number]
    newest.set(id, (await host.do.push({ full, path: 'index.html', content: `${n}` })).after)
    if (n % 10 === 0) await new Promise((next) => setTimeout(next, 200))
  }
  await changing
  for (const [name, change] of changes) {
    await change()
    done.push(name)
  }
  // What comes after all of it is taken as well.
  for (const { id, full } of all)
    newest.set(id, (await host.do.push({ full, path: 'index.html', content: 'last' })).after)
  await host.do.delivered({ deadlineMs: 60_000 })
  const told = front.arrived.slice(before)
  const refused = told.filter(({ status }) => status !== 202)
  const heads = async () => {
    const { rows } = await pool.query<{ repo_id: string; sha: string }>('select repo_id, sha from githost_head')
    return rows.filter(({ repo_id, sha }) => newest.get(Number(repo_id)) === sha).length
  }
  await until('every head is at the newest commit', 60_000, async () =>
    (await heads()) === all.length ? true : undefined,
  ).catch(() => {})
  const { rows } = await pool.query<{ guid: string; key: string }>(
    `select split_part(guid, ':', 1) as guid from githost_delivery where event = 'push' and via = 'delivery'`,
  )
  const stored = new Set(rows.map(({ guid }) => guid))
  const lost = told.filter(({ guid, status }) => status === 202 && !stored.has(guid)).length
  const sealed = await pool.query(
    `select count(*)::int as n from githost_app where left(private_key, 12) = left(hook_secret, 12)`,
  )
  const clone = await site.call('GET', '/api/githost/repos/acme/r0/clone-token')
  const ok =
    refused.length === 0 &&
    lost === 0 &&
    (await heads()) === all.length &&
    clone.status === 200 &&
    sealed.rows[0].n === 1
  for (const { status } of refused.slice(0, 5)) console.log(`  a delivery was answered with ${status}`)
  return {
    ok,
    figure: `${told.length} deliveries of ${PUSHES + all.length} pushes to two processes: ${refused.length} refused, ${lost} lost, ${await heads()} of ${all.length} branches known at their newest commit; meanwhile ${done.join(', ')}; a clone token afterwards: ${clone.status}`,
  }
}

/** As an operator does each of them, in the order of how much hangs on it. */
function rotations({ site, host }: Stage): [name: string, change: () => Promise<unknown>][] {
  const { pool } = site.database as TestDatabase
  const slugOf = async () => (await pool.query('select slug from githost_app')).rows[0].slug as string
  const replaced = async (at: number, ring: string) => {
    await site.start({ env: { SLIPWAY_SECRET_KEY: ring } })
    await site.replicas[at]?.stop('SIGTERM')
  }
  return [
    ['the secret of the hook', () => site.ask('POST', '/api/githost/app/hook-secret', {})],
    [
      'the key of the app',
      async () => {
        const slug = await slugOf()
        await site.ask('POST', '/api/githost/app/key', { privateKey: host.do.rotateKey({ slug }).pem })
        host.do.dropOldKeys({ slug })
      },
    ],
    [
      'both processes with a second sealing key',
      async () => {
        for (const at of [0, 1]) await replaced(at, `${NEXT},${SECRET_KEY}`)
      },
    ],
    [
      'everything sealed anew',
      async () => {
        const { code, said } = await program(site, `${NEXT},${SECRET_KEY}`, 'admin', 'keys', 'rotate').ended
        if (code !== 0) throw new Error(said)
      },
    ],
    [
      'both processes without the first one',
      async () => {
        for (const at of [2, 3]) await replaced(at, NEXT)
      },
    ],
  ]
}

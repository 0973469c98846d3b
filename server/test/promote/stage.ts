import { createHash } from 'node:crypto'
import { afterAll, expect } from 'vitest'
import { until } from '../../../test-kit/until.ts'
import type { Org, World } from '../../../test-kit/world.ts'
import { promotePipeline } from '../../src/core/cloud/promote/pipeline.ts'
import { openListener } from '../../src/jobs/listener.ts'
import type { Pipeline, Run } from '../../src/jobs/steps.ts'
import { openTransport } from '../../src/jobs/transport.ts'
import { startWorker } from '../../src/jobs/worker.ts'
import { startTwoWorlds } from '../http/links/two-worlds.ts'

const log = { info() {}, warn() {}, error() {} }
/** For what must happen, on a machine that has other things to do. */
export const PATIENCE_MS = 45_000

/** What must stand nowhere in the clear. */
export const SECRETS = ['hunter2-of-the-web', 'sk_live_of_everything', 'ghp_of_the_repository']

/** An instance that promotes, a cloud where nothing is built, and a line between them that can be disturbed. */
export async function startStage() {
  const worlds = await startTwoWorlds()
  const { home, cloud } = worlds
  const dns = { lookup: async () => ({ a: [], aaaa: [], cname: [], txt: [] }) }
  for (const { platform } of [home, cloud]) Object.assign(platform, { dns })
  const worker = await startPromotions(home)
  await startRemovals(cloud)
  /** Two organizations that are linked; the one there has a server. */
  const ground = async (name: string) => {
    const { here, there } = await worlds.linked(name)
    await there.owner.api('POST', '/api/servers', { kind: 'ssh', name: 'there', host: '192.0.2.7' })
    return { here, there }
  }
  return { ...worlds, ...worker, ground, ...asking(home, cloud) }
}

/** What a promotion makes there, and a cancel takes back. */
export const MADE_THERE = ['project', 'deployment', 'service', 'variable', 'host_name'] as const

const idle = { run: async () => {}, onEnd: async () => {} }

/** Runs nothing but promotions, in this process. */
const startPromotions = (home: World) =>
  startRuns(home, { promote: promotePipeline(home.platform), deploy: idle, reroute: idle, forget: idle })

/** At the cloud there are no engines either: what is stopped and removed is a row. */
const startRemovals = (cloud: World) =>
  startRuns(cloud, {
    reroute: idle,
    forget: idle,
    remove: {
      run: async (run: Run) => {
        const { deployment } = run.input as { deployment: string }
        await cloud.platform.db.deleteFrom('deployment').where('id', '=', deployment).execute()
      },
      onEnd: async () => {},
    },
  })

async function startRuns({ platform: { db }, database }: World, pipelines: Record<string, Pipeline>) {
  const listener = openListener({ databaseUrl: database.url, log })
  const transport = openTransport({ databaseUrl: database.url, listener, log })
  const slots = { all: 4, perOrg: 4, reserved: [] }
  const start = () => startWorker({ db, transport, listener, log, slots, onChange: async () => {}, pipelines })
  let worker = await start()
  afterAll(async () => {
    await worker.drain()
    await transport.close()
    await listener.close()
  })
  return {
    /** Another worker takes the place of this one, whatever that was at. */
    replaceWorker: async () => {
      await worker.drain()
      worker = await start()
    },
  }
}

function asking(home: World, cloud: World) {
  const promotion = async ({ owner }: Org, id: string) => (await owner.api('GET', `/api/projects/${id}/promotion`)).body
  return {
    promotion,
    /** How the newest promotion of a project has ended. */
    ended: (org: Org, id: string) =>
      until(`the promotion of ${id} has ended`, PATIENCE_MS, async () => {
        const now = await promotion(org, id)
        return now.state !== 'running' && now
      }),
    at: (org: Org, id: string, step: string) =>
      until(`it is at ${step}`, PATIENCE_MS, async () => (await promotion(org, id)).step === step || undefined),
    /** Nothing is built there: it ends like this. */
    endThere: async (id: string, status: 'ready' | 'failed' = 'ready', withinMs = PATIENCE_MS) => {
      const error =
        status === 'failed' ? { ...NO_ERROR, code: 'exited', message: 'It ended with 3.', hint: 'Look.' } : null
      await until(`${id} is there`, withinMs, async () => {
        const { rowCount } = await cloud.platform.pool.query('select 1 from deployment where id = $1', [id])
        if (rowCount === 0) return false
        if (status === 'ready')
          await cloud.platform.pool.query(
            `update deployment set active = false
             where active and id <> $1 and project_id in (select project_id from deployment where id = $1)`,
            [id],
          )
        await cloud.platform.db
          .updateTable('deployment')
          .set({ status, active: status === 'ready', finishedAt: new Date(), error: error && JSON.stringify(error) })
          .where('id', '=', id)
          .execute()
        return true
      })
      await cloud.platform.pool.query("update run set status = 'succeeded', finished_at = now() where id = $1", [id])
    },
    /** Everything that the instance has written down, but what is sealed. */
    written: async () => {
      const tables = ['run', 'run_step', 'promotion', 'cloud_deployment', 'audit', 'deployment_event', 'project']
      const rows = tables.map(
        async (table) => (await home.platform.pool.query(`select to_jsonb(t) from ${table} t`)).rows,
      )
      return JSON.stringify(await Promise.all(rows))
    },
    countThere: async (table: (typeof MADE_THERE)[number] | 'folder_session', { id }: Org) =>
      (await cloud.platform.pool.query(`select 1 from ${table} where org_id = $1`, [id])).rowCount,
  }
}

const NO_ERROR = { step: null, service: null, logSeq: null }

const contents = ['', 'hello', 'x'.repeat(3_000_000)].map((text) => Buffer.from(text))
const hashOf = (content: Buffer) => createHash('sha256').update(content).digest('hex')

/** A sealed upload of three files and a link. */
export async function uploaded({ owner }: Org, mode?: 'cloud'): Promise<string> {
  const files = contents.map((one, n) => ({
    path: `file-${n}`,
    sha256: hashOf(one),
    size: one.length,
    mode: 0o600 + n,
  }))
  const all = [...files, { path: 'link', link: 'file-1' }]
  const { body } = await owner.api('POST', '/api/projects/folder-sessions', { files: all, ...(mode && { mode }) })
  const at = `/api/projects/folder-sessions/${body.uploadSessionId}`
  for (const one of contents)
    if (body.missing.includes(hashOf(one)))
      await owner.api('PUT', `${at}/blobs/${hashOf(one)}`, one, { 'content-type': 'application/octet-stream' })
  expect((await owner.api('POST', `${at}/seal`)).status).toBe(200)
  return body.uploadSessionId
}

/** A project with everything that goes along. */
export async function projectOf({ owner }: Org, name: string) {
  const [web, all, repository] = SECRETS as [string, string, string]
  const { body } = await owner.api('POST', '/api/projects', {
    name,
    repository: 'https://git.example.com/team/shop.git',
    branch: 'main',
    gitCredential: { kind: 'token', token: repository },
    settings: { bakeSeconds: 0 },
  })
  const at = `/api/projects/${body.id}`
  await owner.api('PUT', `${at}/services/web`, { port: 3000, environment: { PASSWORD: web } })
  const variables = [{ name: 'API_KEY', value: all, scope: 'build' }]
  await owner.api('PUT', `${at}/variables`, { variables })
  const host = `${name}.example.com`
  expect((await owner.api('POST', `${at}/domains`, { host, service: 'web', https: 'hsts' })).status).toBe(201)
  await owner.api('POST', `${at}/domains`, { host: `a.${host}`, service: 'web', redirectTo: host })
  return body.id as string
}

export const promote = ({ owner }: Org, projectId: string, more: object = {}) =>
  owner.api('POST', '/api/deployments/build/access', { projectId, deployTarget: 'cloud', ...more })

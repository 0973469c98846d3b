import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { tool } from '../../../lab/tools.ts'
import type { TestDatabase } from '../../../test-kit/database.ts'
import { plant, serveGit } from '../../../test-kit/git-server.ts'
import type { Site } from '../../../test-kit/site.ts'
import { authorities } from '../../../test-kit/tls-listeners.ts'
import { installHolds } from '../faults/hold.ts'
import { startProber } from '../faults/prober.ts'
import { leadTo, openGround } from '../forward/ground.ts'
import { type SecretMaker, secretMaker } from '../seal/secrets.ts'
import { installCloseHold } from './close-hold.ts'
import { openWay } from './way.ts'

const SOURCES = ['upload', 'git'] as const
type Source = (typeof SOURCES)[number]
/** A project with a release here that is asked for all the time. */
export type Subject = { source: Source; id: string; name: string; secret: string; domain: string }
export type Scene = Awaited<ReturnType<typeof openScene>>

/** What an application shows of what it was told: enough to know that it was told right. */
export const shownOf = (secret: string) => createHash('sha256').update(secret).digest('hex')

/** Each version is another build; what it was told is shown as its hash. */
export const filesOf = (version: number, then = 'true') => ({
  Dockerfile: ['FROM busybox:1', 'COPY . /app', `RUN ${then}`, 'EXPOSE 8080', 'CMD ["sh", "/app/run.sh"]', ''].join(
    '\n',
  ),
  'run.sh': `mkdir -p /w\nprintf %s "$TOLD" | sha256sum | cut -d' ' -f1 >/w/index.html\nexec httpd -f -p 8080 -h /w\n`,
  'version.txt': `${version}\n`,
})

/** Two linked instances, a way between them, a git server that both reach, and a project of each kind that serves here. */
export async function openScene() {
  const aside = mkdtempSync(join(tmpdir(), 'slipway-promote-'))
  const secret = secretMaker()
  const git = await openGit(aside, secret)
  const env = { SLIPWAY_GIT_CA_FILE: git.caFile, SLIPWAY_LOG_LEVEL: 'trace' }
  const answers: string[] = []
  const logs = { own: join(aside, 'own.log'), cloud: join(aside, 'cloud.log') }
  const ground = await openGround({ name: 'prm', env, logs, onAnswer: (_, text) => void answers.push(text) })
  const { own, cloud } = ground
  const pool = (own.database as TestDatabase).pool
  let watched = ''
  const way = await openWay(() => stepOf(pool, watched), secret.note)
  const close = async () => {
    way.close()
    await ground.close()
    git.close()
    rmSync(aside, { recursive: true, force: true })
  }
  try {
    way.to(cloud.base())
    await leadTo(own, way.url)
    await installHolds(pool)
    await installCloseHold(pool)
    await own.addLocalServer()
    const subjects: Subject[] = []
    for (const source of SOURCES) subjects.push(await makeSubject(own, source, git, secret))
    const probers = subjects.map(({ name }) =>
      startProber({ address: own.engine.address, port: own.httpPort, host: own.host(name) }, 200),
    )
    /** Whose calls are counted and kept back. */
    const watch = ({ id }: Subject) => {
      watched = id
    }
    return { own, cloud, pool, way, subjects, probers, secret, answers, logs, git, watch, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The step that the promotion of a project is at: begun, and not ended. */
async function stepOf(pool: Pool, project: string): Promise<string | undefined> {
  const query = `
    select s.name from run r join run_step s on s.run_id = r.id
    where r.lane = 'promote:' || $1 and r.kind = 'promote' and r.status not in ('succeeded', 'failed', 'cancelled')
      and s.ended_at is null order by s.started_at desc limit 1`
  return (await pool.query<{ name: string }>(query, [project])).rows[0]?.name
}

async function openGit(aside: string, secret: SecretMaker) {
  const made = authorities(tool('openssl'))
  const authority = made.authority('Slipway proof of promoting')
  const caFile = join(aside, 'git-ca.pem')
  writeFileSync(caFile, authority.root)
  const token = secret.plain().replaceAll(/[^\w]/g, 'x')
  secret.note(token)
  const served = await serveGit(aside, { token }, authority.issue(['localhost']))
  const address = served.url.replace('127.0.0.1', 'localhost')
  return {
    caFile,
    token,
    repository: `${address}/app.git`,
    plant(version: number, then?: string) {
      const files = Object.entries(filesOf(version, then)).map(([path, text]) => ({ path, text }))
      return plant(join(aside, 'app.git'), 'main', files)
    },
    close: () => {
      served.close()
      made.remove()
    },
  }
}

type Git = Awaited<ReturnType<typeof openGit>>

async function makeSubject(own: Site, source: Source, git: Git, secrets: SecretMaker): Promise<Subject> {
  const name = `of-${source}`
  const ofGit = {
    repository: git.repository,
    branch: 'main',
    gitCredential: { kind: 'token', token: git.token, username: 'x-access-token' },
  }
  const id = await own.project(name, source === 'git' ? ofGit : {})
  const told = secrets.any()
  await own.ask('PUT', `/api/projects/${id}/variables`, { variables: [{ name: 'TOLD', value: told }] })
  git.plant(1)
  const made =
    source === 'git'
      ? (await own.ask('POST', '/api/deployments/build/access', { projectId: id })).deployment_id
      : await own.deploy(id, filesOf(1))
  const { status, error } = await own.ended(made)
  if (status !== 'ready') throw new Error(`the release here is ${status}: ${JSON.stringify(error)}`)
  const domain = `${name}-${process.pid}.example.com`
  await own.ask('POST', `/api/projects/${id}/domains`, { host: domain })
  return { source, id, name, secret: told, domain }
}

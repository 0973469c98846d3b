import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ask } from '../../../lab/githost/ask.ts'
import type { TestDatabase } from '../../../test-kit/database.ts'
import { app, GOOD } from '../../../test-kit/sample-app.ts'
import { until } from '../../../test-kit/until.ts'
import { watchProcesses } from '../process-list.ts'
import { foundIn } from '../seal/secrets.ts'
import { follow, type Stage } from './follow.ts'

const run = promisify(execFile)
const DEADLINE_MS = 180_000
/** Of the platform itself: from the end of `git push` until its deployment is queued. */
const BAR_QUEUED_MS = 2000
const PUSHES = 3
const TOKEN = /gh[opsru]_[A-Za-z0-9][A-Za-z0-9_.-]{15,}/
type Kept = { dir: string; logFile: string }
type Stages = { told: number; queued: number; started: number; ready: number; answers: number; green: number }

/** A person pushes with git; a visitor sees it; the host shows how it went. */
export async function journey(stage: Stage, { dir, logFile }: Kept): Promise<{ faults: string[]; figure: string }> {
  const { site } = stage
  const faults: string[] = []
  const check = (what: string, holds: boolean) => void (holds || faults.push(what))
  const seenProcesses = watchProcesses()
  const [followed] = await follow(stage, 'shop', 1, app(GOOD, 0))
  if (!followed) throw new Error('there is no repository')
  const git = await workTree(stage, join(dir, 'work'), followed.full)
  const seen: Stages[] = []
  for (let version = 1; version <= PUSHES; version++) {
    const stages = await push(stage, git, followed, version)
    console.log(`  version ${version}: ${shown(stages)}`)
    seen.push(stages)
  }
  const last = await git.head()
  const deployment = await newest(stage, followed.projectId)
  check('green at the host', /^success(,pending)+$/.test((await git.statuses(last)).join()))
  check('a deployment there that is live', (await git.deployments())[0]?.join() === `${last},success`)
  check('the one before it is over', (await git.deployments())[1]?.[1] === 'inactive')
  check('queued by the push of ada', deployment.trigger === 'push')

  const broken = await git.commit({ 'server.js': 'process.exit(1)\n' })
  await git.push()
  const told = await until('the failed version is told', DEADLINE_MS, async () => {
    const [state = 'pending'] = await git.statuses(broken)
    return state === 'pending' ? undefined : state
  })
  check(`the failed version is red: ${told}`, told === 'failure')
  check('its deployment at the host failed', (await git.deployments())[0]?.join() === `${broken},failure`)
  check('it failed here', (await newest(stage, followed.projectId)).status === 'failed')
  const visited = (await site.visit('shop0')).text
  check(`the version before it serves: ${visited}`, visited === `version ${PUSHES}`)

  const [{ all, own, looks }, logs] = [await seenProcesses(), readFileSync(logFile)]
  const looksLikeOne = [own, logs].some((text) => TOKEN.test(text.toString('latin1')))
  const leaked = looksLikeOne || [all, own, logs].some((text) => foundIn(text, [git.token]).length > 0)
  check('no token of the host in a process list or a log', !leaked)
  const warm = seen.at(-1) as Stages
  check(
    `queued within ${BAR_QUEUED_MS} ms`,
    seen.every(({ queued }) => queued < BAR_QUEUED_MS),
  )
  const figure = `${PUSHES} pushes with git were answered at their address and green at the host; the last one: ${shown(warm)} after git push had ended; a fourth that cannot start is red there, and version ${PUSHES} serves; ${looks} looks at all processes and the log show no token; ${faults.length} faults`
  return { faults, figure }
}

const shown = (stages: Stages) =>
  Object.entries(stages)
    .map(([name, ms]) => `${name} ${Math.round(ms)} ms`)
    .join(', ')

type Git = Awaited<ReturnType<typeof workTree>>

async function push({ site }: Stage, git: Git, { projectId }: { projectId: string }, version: number): Promise<Stages> {
  const { pool } = site.database as TestDatabase
  const sha = await git.commit({ 'server.js': app(GOOD, version)['server.js'] ?? '' })
  await git.push()
  const began = Date.now()
  await until(`version ${version} answers`, DEADLINE_MS, async () => {
    const text = await site.visit('shop0').then(
      (answer) => answer.text,
      () => '',
    )
    return text === `version ${version}` || undefined
  })
  const answers = Date.now() - began
  await until(`version ${version} is green`, DEADLINE_MS, async () =>
    (await git.statuses(sha))[0] === 'success' ? true : undefined,
  )
  const green = Date.now() - began
  const { rows } = await pool.query(
    `select g.received_at as told, d.created_at as queued, d.started_at as started, d.finished_at as ready
     from githost_delivery g join deployment d on d.id = g.deployment_id where g.after = $1 and d.project_id = $2`,
    [sha, projectId],
  )
  const since = (at: Date | undefined) => (at ? Math.max(0, at.getTime() - began) : Number.NaN)
  const { told, queued, started, ready } = rows[0] ?? {}
  return { told: since(told), queued: since(queued), started: since(started), ready: since(ready), answers, green }
}

const newest = async ({ site }: Stage, projectId: string) =>
  (await site.ask('GET', `/api/deployments?projectId=${projectId}&limit=1`)).data[0]

/** A clone as a person has it: git itself, with the token where nobody sees it. */
async function workTree({ host }: Stage, folder: string, full: string) {
  const { token } = host.do.token({ login: 'ada' })
  const address = `${host.url}/${full}.git`
  const home = join(folder, '..', 'home')
  mkdirSync(home, { recursive: true })
  const env = {
    ...{ PATH: process.env.PATH ?? '', HOME: home, GIT_SSL_CAINFO: host.caFile, GIT_TERMINAL_PROMPT: '0' },
    ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: `http.${host.url}/.extraHeader` },
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`,
  }
  const git = async (...args: string[]) => (await run('git', args, { env })).stdout.trim()
  await git('clone', '-q', address, folder)
  const api = async (path: string) => {
    const headers = { authorization: `token ${token}` }
    return JSON.parse((await ask(host, `https://${host.host}/api/v3/repos/${full}${path}`, { headers })).text)
  }
  const states = (all: { state: string }[]) => all.map(({ state }) => state)
  return {
    token,
    head: () => git('-C', folder, 'rev-parse', 'HEAD'),
    commit: async (files: Record<string, string>) => {
      for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text)
      await git('-C', folder, 'add', '-A')
      const as = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
      await git('-C', folder, ...as, 'commit', '-qm', 'Change')
      return git('-C', folder, 'rev-parse', 'HEAD')
    },
    push: () => git('-C', folder, 'push', '-q', 'origin', 'HEAD'),
    statuses: async (sha: string): Promise<string[]> => states(await api(`/commits/${sha}/statuses`)),
    /** Commit and newest state of each, newest first. */
    deployments: async (): Promise<[sha: string, state: string | undefined][]> => {
      const all: { id: number; sha: string }[] = await api('/deployments')
      return Promise.all(all.map(async ({ id, sha }) => [sha, states(await api(`/deployments/${id}/statuses`))[0]]))
    },
  }
}

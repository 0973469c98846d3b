import { app, GOOD } from '../../../test-kit/sample-app.ts'
import { until } from '../../../test-kit/until.ts'
import { act, ended, rowsOf } from './act.ts'
import type { Attacker } from './attacker.ts'
import { exhaustControls } from './exhaust/controls.ts'
import { EXHAUSTIONS, type Exhaustion, MOST } from './exhaust/table.ts'
import { containersOf, type Use, useOf } from './exhaust/use.ts'
import { type Felt, feel, hostAnswers } from './neighbour.ts'
import type { Size } from './sizes.ts'
import type { Row, Stage } from './stage.ts'

const { row } = rowsOf('exhaustion')
/** What a neighbour's visitors may feel, in times of a quiet server. */
const MOST_TIMES = 3
const BEGIN_MS = 90_000

/** Uses up what all projects of a server share, one thing at a time, and asks the neighbour's visitors what they feel. */
export async function exhaust(stage: Stage, { whole, takes }: Size): Promise<Row[]> {
  const rows: Row[] = []
  const wanted = EXHAUSTIONS.filter(({ name }) => takes(name))
  if (wanted.length === 0) return []
  let before = await feel(stage)
  for (const [n, one] of wanted.entries()) {
    const now = await feel(stage)
    rows.push(await exhausted(stage, `exhaust-${n}`, one, Math.max(before.p99, now.p99)))
    console.log(`  ${rows.at(-1)?.verdict} ${one.name}: ${rows.at(-1)?.words}`)
    before = now
  }
  return [...rows, ...(whole ? await exhaustControls(stage) : [])]
}

async function exhausted(stage: Stage, called: string, one: Exhaustion, quiet: number): Promise<Row> {
  const attacker = await stage.attacker(called)
  try {
    const made = await act(attacker, one.files(stage), one.open ? { publicEndpoints: [{ port: 8000 }] } : {})
    if (made.id === undefined) return row(one.name, 'refused', made.refused)
    const refusal = await begun(stage, attacker, made.id)
    if (refusal !== undefined) return row(one.name, one.refused ? 'refused' : 'no result', refusal)
    const use = watchUse(stage, attacker)
    const [felt, slowest, meanwhile] = await Promise.all([feel(stage), slowestOf(stage), others(stage, one, called)])
    return judge(one, { felt, slowest, quiet, meanwhile, use: await use.stop() })
  } catch (error) {
    return row(one.name, 'no result', String(error))
  } finally {
    await ended(stage, attacker)
    // With them goes what they took of the disk.
    const filters = { label: [`slipway.project=${attacker.project}`] }
    const isGone = async () => (await stage.ground.api.listContainers({ all: true, filters })).length === 0
    await until('its containers are gone', BEGIN_MS, isGone)
  }
}

/** Until its containers run, or it is said that they will not. */
function begun(stage: Stage, attacker: Attacker, id: string): Promise<string | undefined> {
  return until('it runs or is refused', BEGIN_MS, async () => {
    const { body } = await attacker.call('GET', `/api/deployments/${id}`)
    if (body.status === 'failed' && body.error?.step !== 'rollout') return { words: `${body.error?.message}` }
    return (await containersOf(stage, attacker.project)).length > 0 ? { words: undefined } : undefined
  }).then(({ words }) => words)
}

/** The most that it had of each while it was looked at. */
function watchUse(stage: Stage, attacker: Attacker) {
  const over = new AbortController()
  const most: Use = { processes: 0, memoryBytes: 0, logBytes: 0 }
  const loop = (async () => {
    while (!over.signal.aborted) {
      const now = await useOf(stage, attacker.project)
      for (const what of Object.keys(most) as (keyof Use)[]) most[what] = Math.max(most[what], now[what])
      await new Promise((next) => setTimeout(next, 300))
    }
  })()
  return {
    async stop(): Promise<Use> {
      over.abort()
      await loop
      return most
    },
  }
}

async function slowestOf(stage: Stage): Promise<number> {
  let slowest = 0
  for (let n = 0; n < 5; n += 1) {
    const { ping, list, ready } = await hostAnswers(stage)
    slowest = Math.max(slowest, ping, list, ready)
    await new Promise((next) => setTimeout(next, 1000))
  }
  return slowest
}

/** What somebody else wants to do meanwhile; words where it failed. */
async function others(stage: Stage, { also }: Exhaustion, called: string): Promise<string | undefined> {
  const { site, ground, victim } = stage
  if (also === 'watch') {
    const got = await ground.docker('run', '--rm', '--user', '4242', stage.look, '/inotify', '10', '0')
    return got.includes('inotify 10 of 10') ? undefined : `a neighbour of the same user got ${got.trim()}`
  }
  if (also !== 'deploy') return undefined
  const project = await site.project(`${called}-other`, { serverId: stage.serverId })
  const reserved = {
    'compose.yaml':
      'services: {web: {build: ., expose: ["8080"], environment: {PORT: "8080"}, deploy: {resources: {reservations: {memory: 64m}}}}}\n',
  }
  const files = { ...app(GOOD), ...reserved, Dockerfile: 'FROM node:24-slim\nCOPY . .\nCMD ["node", "server.js"]\n' }
  const { status, error } = await site.ended(await site.deploy(project, files), 300)
  await ended(stage, { project })
  return status === 'ready' ? undefined : `somebody else could not deploy beside ${victim.host}: ${error?.message}`
}

type Found = { felt: Felt; slowest: number; quiet: number; meanwhile: string | undefined; use: Use }

function judge({ name, reaches = {} }: Exhaustion, { felt, slowest, quiet, meanwhile, use }: Found): Row {
  const times = felt.p99 / quiet
  const broken = [
    ...(times <= MOST_TIMES ? [] : [`p99 ${times.toFixed(1)} times of quiet`]),
    ...(felt.failed === 0 ? [] : [`${felt.failed} of ${felt.asked} requests failed`]),
    ...(Number.isFinite(slowest) ? [] : ['the engine or the control plane did not answer within 5 s']),
    ...(meanwhile === undefined ? [] : [meanwhile]),
    ...(Object.keys(MOST) as (keyof Use)[]).flatMap((what) =>
      use[what] <= MOST[what] * 1.05 ? [] : [`${what} ${use[what]}`],
    ),
  ]
  const missed = (Object.keys(reaches) as (keyof Use)[]).filter((what) => use[what] < (reaches[what] ?? 0))
  const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
  const had = `${use.processes} processes, ${mb(use.memoryBytes)}, log ${mb(use.logBytes)}`
  const words = `p99 ${felt.p99.toFixed(0)} ms, ${times.toFixed(2)} times of quiet (${quiet.toFixed(0)} ms); it had ${had}; host within ${slowest.toFixed(0)} ms`
  if (broken.length > 0) return { ...row(name, 'WORKED', `${broken.join('; ')} – ${words}`), times }
  return missed.length > 0
    ? row(name, 'no result', `it used too little: ${missed.join()} – ${words}`)
    : { ...row(name, 'harmless', words), times }
}

import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Bench, Serving, Wish } from './bench.ts'
import { type Seen, visitor } from './visitor.ts'

/** One thing that can happen to a deployment, and what must be said about it. */
export type Case = {
  name: string
  /** The case of the rollout probe that it is. */
  probe?: string
  /** Names what is not as it should be. */
  run(bench: Bench, slug: string): Promise<Complaint[]>
}
export type Complaint = string

export type Wrong = {
  /** Several where the engine's own clock decides which. */
  code: string | string[]
  step: string
  message: RegExp
  hint: RegExp
  /** The line of the log that `logSeq` leads to. */
  line?: RegExp
}

/** The words of a failed deployment against those that are right. */
export async function wordsOf(bench: Bench, seen: Deployment, wrong: Wrong): Promise<Complaint[]> {
  const complaints: Complaint[] = []
  const { error, status } = seen
  if (status !== 'failed' || !error) return [`status ${status}, error ${JSON.stringify(error)}`]
  if (![wrong.code].flat().includes(error.code))
    complaints.push(`code ${error.code} (${error.message}), not ${wrong.code}`)
  if (error.step !== wrong.step) complaints.push(`step ${error.step}, not ${wrong.step}`)
  if (error.service !== 'web') complaints.push(`service ${error.service}`)
  if (!wrong.message.test(error.message)) complaints.push(`message: ${error.message}`)
  if (!wrong.hint.test(error.hint ?? '')) complaints.push(`hint: ${error.hint}`)
  const line = error.logSeq === null ? undefined : await bench.line(seen.id, error.logSeq)
  if (line === undefined) complaints.push(`logSeq ${error.logSeq} leads to no line of the log`)
  else if (wrong.line && !wrong.line.test(line)) complaints.push(`logSeq leads to: ${line}`)
  return complaints
}

/** A first deployment that fails leaves nothing on the engine. */
export const onNothing = (name: string, wish: Wish, wrong: Wrong, probe?: string): Case => ({
  name,
  ...(probe !== undefined && { probe }),
  async run(bench, slug) {
    const projectId = await bench.project(slug)
    const seen = await bench.deploy(projectId, wish)
    const complaints = await wordsOf(bench, seen, wrong)
    if (await bench.service(projectId)) complaints.push('its service is still on the engine')
    if (seen.active) complaints.push('it is active')
    return complaints
  },
})

type Over = {
  probe?: string
  /** It was up before it failed, so the engine had taken the old one away already: how long nobody may answer. */
  gapMs?: number
}

/** One that fails over a release that serves: that one answers all the time, and afterwards. */
export const overGood = (name: string, wish: Wish, wrong: Wrong, { probe, gapMs }: Over = {}): Case => ({
  name,
  ...(probe !== undefined && { probe }),
  run: (bench) =>
    bench.borrow((serving) =>
      overGoodOf(bench, serving, { ...wish, env: { VERSION: 'v2', ...wish.env } }, wrong, gapMs),
    ),
})

export async function overGoodOf(
  bench: Bench,
  serving: Serving,
  wish: Wish,
  wrong: Wrong,
  gapMs?: number,
): Promise<Complaint[]> {
  const visits = visitor(bench.site, serving.slug)
  const seen = await bench.deploy(serving.projectId, wish)
  const visited = await visits.stop()
  return [
    ...(await wordsOf(bench, seen, wrong)),
    ...(await serves(bench, serving)),
    ...whileFailing(bench, visited, gapMs),
    ...restored(seen),
  ]
}

/** The release that was there is the active one, runs, and answers. */
export async function serves(bench: Bench, { slug, projectId, first }: Serving): Promise<Complaint[]> {
  const complaints: Complaint[] = []
  const { status, text } = await bench.site.visit(slug)
  if (status !== 200 || text !== 'v1') complaints.push(`afterwards the edge answers ${status} ${text}`)
  const now = await bench.site.show(first.id)
  if (!now.active || now.status !== 'ready') complaints.push(`the first release is ${now.status}, active ${now.active}`)
  const service = await bench.service(projectId)
  const runs = service?.Spec?.Labels?.['slipway.deployment']
  if (runs !== first.id) complaints.push(`the engine runs ${runs}, not ${first.id}`)
  return complaints
}

function whileFailing({ visits }: Bench, { asked, failed, answers, gapMs }: Seen, mayGapMs?: number): Complaint[] {
  visits.asked += asked
  if (asked < 10) return [`only ${asked} requests were sent meanwhile`]
  if (mayGapMs === undefined) {
    const foreign = [...answers.keys()].filter((text) => text !== 'v1')
    const wrong = [...failed, ...foreign]
    return wrong.length > 0
      ? [`${wrong.length} of ${asked} requests went wrong: ${[...new Set(wrong)].join(', ')}`]
      : []
  }
  visits.gapMs = Math.max(visits.gapMs, gapMs)
  return gapMs > mayGapMs ? [`nobody answered for ${Math.round(gapMs)} ms`] : []
}

/** What it had touched says that it is back. */
const restored = ({ services, error }: Deployment): Complaint[] =>
  error?.step === 'rollout' && services.some(({ status }) => status !== 'restored')
    ? [`its service is called ${services.map(({ status }) => status)}`]
    : []

import { loadavg } from 'node:os'
import type { Deployment } from '@slipway/contract/deployment-shape'
import { engineAt } from '../test-kit/engine.ts'
import type { Files } from '../test-kit/sample-app.ts'
import { openSite, type Site } from '../test-kit/site.ts'
import { type BareDeploy, bareDeploy } from './parts/bare-deploy.ts'
import { readStream } from './parts/event-reader.ts'

export const claim =
  'A warm-cache deploy takes at most 1.25 times the bare docker buildx build and service update with the same spec.'
/** A ratio that needs a quiet machine. */
export const kind = 'figure'
export const quick = false

const BAR = 1.25
const PAIRS = 10

type Parts = Record<string, number>
type Ours = { ms: number; parts: Parts }
type Pair = { ratio: number; ours: Ours; bare: Awaited<ReturnType<BareDeploy['deploy']>> }

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const site = await openSite({ name: 'overhead' })
  let bare: BareDeploy | undefined
  try {
    await site.start()
    await site.addLocalServer()
    const project = await site.project('measured')
    await ours(site, project, 0)
    bare = await bareDeploy(site.engine, await serviceOf(site, project), files(0))
    // One of each that does not count: the first update after a create is another path in the engine.
    await pair({ site, project, bare }, 1)
    const pairs: Pair[] = []
    for (let n = 0; n < PAIRS; n++) pairs.push(await pair({ site, project, bare }, n + 2))
    return verdict(pairs)
  } finally {
    await bare?.close()
    await site.close()
  }
}

/** An ordinary small application; only one line of it changes. */
const files = (version: number): Files => ({
  Dockerfile: [
    'FROM node:24-slim',
    'WORKDIR /app',
    'COPY package.json ./',
    'RUN ["node", "-e", "require(\'fs\').mkdirSync(\'node_modules\')"]',
    'COPY . .',
    'USER 1000',
    'EXPOSE 3000',
    'CMD ["node", "server.js"]\n',
  ].join('\n'),
  'package.json': JSON.stringify({ name: 'measured', private: true }),
  'server.js': "require('http').createServer((q, r) => r.end(require('./version.json').version)).listen(3000)\n",
  'version.json': JSON.stringify({ version: String(version) }),
})

async function pair(
  { site, project, bare }: { site: Site; project: string; bare: BareDeploy },
  n: number,
): Promise<Pair> {
  const first = n % 2 === 0 ? await ours(site, project, n) : undefined
  const by = await bare.deploy(files(n))
  const us = first ?? (await ours(site, project, n))
  const ratio = us.ms / by.ms
  console.log(`  ${n}: ${seconds(us.ms)} of bare ${seconds(by.ms)}, ${ratio.toFixed(3)}× | ${told(us.parts)}`)
  console.log(`     bare: ${told({ build: by.buildMs, 'until healthy': by.upMs, 'until it has held': by.heldMs })}`)
  return { ratio, ours: us, bare: by }
}

/** From asking for it to its `end` event; the one changed file is there already, as it is for the bare build. */
async function ours(site: Site, project: string, version: number): Promise<Ours> {
  const { id: uploadSessionId } = await site.upload(files(version))
  const began = performance.now()
  const { deployment_id: id } = await site.ask('POST', '/api/deployments/build/access', {
    projectId: project,
    uploadSessionId,
  })
  const events = await readStream(site.base(), site.token, id)
  const ms = performance.now() - began
  const end = events.at(-1)
  if (end?.type !== 'end' || end.data.status !== 'ready') throw new Error(`it ended with ${JSON.stringify(end)}`)
  return { ms, parts: partsOf(await site.show(id), ms) }
}

function partsOf({ steps, timing }: Deployment, ms: number): Parts {
  const parts: Parts = { queue: timing.queuedMs ?? 0 }
  for (const { name, startedAt, finishedAt } of steps)
    parts[name] = Date.parse(finishedAt ?? startedAt) - Date.parse(startedAt)
  const known = Object.values(parts).reduce((sum, one) => sum + one, 0)
  return { ...parts, 'between them': ms - known }
}

/** The name of the project's service on the engine. */
async function serviceOf(site: Site, project: string): Promise<string> {
  const filters = { label: [`slipway.instance=${site.instance}`, `slipway.project=${project}`, 'slipway.service'] }
  const [service] = await engineAt(site.engine.socket).listServices({ filters })
  if (!service?.Spec?.Name) throw new Error('the project has no service on the engine')
  return service.Spec.Name
}

function verdict(pairs: Pair[]): { ok: boolean; figure: string } {
  const middle = (pick: (pair: Pair) => number) => median(pairs.map(pick))
  const ratio = middle((one) => one.ratio)
  const steps = Object.keys(pairs[0]?.ours.parts ?? {})
  const parts = Object.fromEntries(steps.map((name) => [name, middle((one) => one.ours.parts[name] ?? 0)]))
  const bare = {
    build: middle((one) => one.bare.buildMs),
    'until healthy': middle((one) => one.bare.upMs),
    'until it has held': middle((one) => one.bare.heldMs),
  }
  console.log(`  medians: ${told(parts)} | bare: ${told(bare)}`)
  const figure =
    `median ${ratio.toFixed(3)}× of ${PAIRS} pairs (bar ${BAR}): ${seconds(middle((one) => one.ours.ms))} of ` +
    `bare ${seconds(middle((one) => one.bare.ms))}; the time goes to ${told(parts)}; load average ${loadavg()[0]?.toFixed(1)}`
  return { ok: ratio <= BAR, figure }
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]]
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`
const told = (parts: Parts) =>
  Object.entries(parts)
    .map(([name, ms]) => `${name} ${Math.round(ms)} ms`)
    .join(', ')

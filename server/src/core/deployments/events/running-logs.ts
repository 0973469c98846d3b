import type { LogLine } from '../../../drivers/runtime/running/log-lines.ts'
import type { BaseParts } from '../../parts.ts'
import { variablesVersion } from '../../projects/settings-store.ts'
import { recognisableValues } from '../../projects/variables.ts'
import { openEngineTarget } from '../../servers/open-engine-target.ts'
import * as servers from '../../servers/store.ts'
import { releaseOf } from '../rows/release.ts'
import * as store from '../rows/store.ts'
import { type Line, shownLine } from './line.ts'
import type { LiveRedactors } from './live-redactors.ts'
import { merged } from './merged.ts'
import type { Redactors } from './redact/redactors.ts'
import { BUDGET, type Redactor, redactor } from './redact.ts'
import { frozenSecrets } from './secrets.ts'

type Parts = Pick<BaseParts, 'db' | 'runtime' | 'keys' | 'config'> & {
  redactors: Redactors
  liveRedactors: LiveRedactors
}
type Wanted = {
  limit: number
  service?: string | undefined
  /** The time of a line: only what came later. Where it is known for each service, of that service. */
  after?: string | ((service: string) => string | undefined) | undefined
}

type Redact = (text: string) => string

const READ_MS = 30_000
const MOST_CHARACTERS = 4 * 1024 * 1024

/** The last lines that the services of a deployment printed. */
export async function readRunning(
  parts: Parts,
  deployment: store.DeploymentRow,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Line[]> {
  const redact = await redactorOf(parts, deployment)
  const open = await reader(parts, deployment, wanted, async () => redact)
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(READ_MS)])
  const found: Line[] = []
  for (const service of servicesOf(deployment, wanted)) {
    found.push(...(await newest(open(service, false, inTime))))
  }
  return found.sort((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0)).slice(-wanted.limit)
}

/** Bounded by what is kept, not by what is printed: only the last lines are wanted. */
async function newest(lines: AsyncIterable<Line>): Promise<Line[]> {
  const kept: Line[] = []
  let characters = 0
  for await (const line of lines) {
    kept.push(line)
    characters += line.line.length
    if (characters <= 2 * MOST_CHARACTERS) continue
    const half = kept.splice(0, Math.ceil(kept.length / 2))
    characters -= half.reduce((sum, one) => sum + one.line.length, 0)
  }
  return kept
}

/** Their last lines and then what they print, for as long as someone reads, and no faster than that. */
export async function followRunning(
  parts: Parts,
  deployment: store.DeploymentRow,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<(signal: AbortSignal) => AsyncIterable<Line[]>> {
  // While an answer can still say that the server is away.
  await parts.runtime.observe(await engineFor(parts, deployment), deployment.projectId, { signal })
  return async function* (reading) {
    const left = new AbortController()
    const either = AbortSignal.any([reading, left.signal])
    const live = parts.liveRedactors.open(deployment, renewed(parts, deployment))
    try {
      const open = await reader(parts, deployment, wanted, live.current)
      const sources = servicesOf(deployment, wanted).map((service) => open(service, true, either))
      for await (const line of merged(sources)) yield [line]
    } catch (error) {
      if (!reading.aborted) throw error
    } finally {
      live.close()
      left.abort()
    }
  }
}

const servicesOf = ({ services }: store.DeploymentRow, { service }: Wanted): string[] => {
  if (service !== undefined) return [service]
  return services.length === 0 ? ['web'] : services.map(({ name }) => name)
}

const engineFor = async (parts: Parts, { orgId, serverId }: store.DeploymentRow) =>
  openEngineTarget(parts, await servers.load(parts.db, orgId, serverId))

/** What was secret at the last call stays hidden: a service may still print it. */
function renewed(parts: Parts, deployment: store.DeploymentRow): () => Promise<Redact> {
  let before: Redactor | undefined
  return async () => {
    const now = await redactorOf(parts, deployment)
    const last = before
    before = now
    return last === undefined || last === now ? now : (text) => now(last(text))
  }
}

async function reader(
  parts: Parts,
  deployment: store.DeploymentRow,
  { limit, after }: Wanted,
  current: () => Promise<Redact>,
) {
  const engine = await engineFor(parts, deployment)
  const shown = async (service: string, { at, stream, line }: LogLine): Promise<Line> => ({
    seq: null,
    ts: at,
    stream,
    step: null,
    service,
    line: shownLine(line, await current()),
  })
  const { services } = releaseOf(parts, deployment)
  const brought = (service: string) => services.find((spec) => spec.service === service)?.deployment ?? deployment.id
  return async function* (service: string, follow: boolean, signal: AbortSignal): AsyncGenerator<Line> {
    const last = typeof after === 'function' ? after(service) : after
    const from = last === undefined ? { tail: limit } : { since: last }
    const options = { follow, signal, deployment: brought(service), ...from }
    for await (const line of parts.runtime.logs(engine, { project: deployment.projectId, service }, options)) {
      if (last === undefined || line.at > last) yield await shown(service, line)
    }
  }
}

/** Of what must not be shown now; while that is the same, so is this. */
async function redactorOf(parts: Parts, deployment: store.DeploymentRow): Promise<Redactor> {
  const { orgId, projectId: id } = deployment
  const releases = [deployment, await store.findActive(parts.db, id)]
  const key = [id, await variablesVersion(parts.db, { id, orgId }), ...releases.map(sealedEnd)].join(' ')
  return parts.redactors.get(key, async () =>
    redactor([...(await recognisableValues(parts, { id, orgId }, BUDGET)), ...frozenSecrets(parts, releases)]),
  )
}

/** No two sealed texts end alike. */
const sealedEnd = (row: { release: string | null } | undefined) => row?.release?.slice(-32) ?? '-'

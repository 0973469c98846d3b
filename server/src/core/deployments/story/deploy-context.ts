import type { DeploymentService, DeploymentSource } from '@slipway/contract/deployment-shape'
import type { Tx } from '../../../db/database.ts'
import type { EngineTarget } from '../../../drivers/engine/engine.ts'
import type { Run } from '../../../jobs/steps.ts'
import { allVariables, listServices } from '../../projects/settings-store.ts'
import * as projects from '../../projects/store.ts'
import { openVariables, type PlainVariable } from '../../projects/variables.ts'
import { openEngineTarget } from '../../servers/open-engine-target.ts'
import { policyOf } from '../../servers/policy.ts'
import * as servers from '../../servers/store.ts'
import { admitLines } from '../events/admit-lines.ts'
import { type EventWriter, eventWriter } from '../events/events.ts'
import { append } from '../events/events-store.ts'
import { redactor } from '../events/redact.ts'
import { secretsOfRun } from '../events/secrets.ts'
import type { BuiltImage, DeployParts, Frozen } from '../parts.ts'
import { overridesOf, ownSettings, ownVariables } from '../rows/overrides.ts'
import { noteReport } from '../rows/report-store.ts'
import { addImage, patchService } from '../rows/services-store.ts'
import * as store from '../rows/store.ts'

/** Everything the steps look at, read once per owner. What they decide goes through the journal, not through here. */
export type DeployContext = Readonly<Awaited<ReturnType<typeof loadDeployContext>>>

export async function loadDeployContext(parts: DeployParts, run: Run) {
  const deployment = await store.load(parts.db, run.orgId, run.id)
  const project = await projects.load(parts.db, run.orgId, deployment.projectId)
  const server = await servers.load(parts.db, deployment.orgId, deployment.serverId)
  const own = overridesOf(parts, deployment)
  const variables = ownVariables(own, openVariables(parts, await allVariables(parts.db, project)))
  const { data } = await listServices(parts.db, project, { limit: MOST_SERVICES })
  const settings = ownSettings(
    own,
    data.map(({ name, config }) => ({ name, config })),
  )
  const redact = redactor(await secretsOfRun(parts, { project, deployment, variables }))
  const events: EventWriter = eventWriter({
    db: parts.db,
    changes: parts.changes,
    id: run.id,
    fence: { fence: run.fence, claim: run.claim },
    redact,
    onLost: () => {},
    admit: await admitLines(parts, deployment.orgId),
  })
  const engine: EngineTarget = openEngineTarget(parts, server)
  const promptMs = promptness(run.signal)
  const context = {
    parts,
    run,
    deployment,
    project,
    server,
    /** What the server allows. */
    policy: policyOf(parts.config, server.policy),
    engine,
    settings,
    /** The services it consists of, as far as that is known yet. */
    serviceNames: (settings.length > 1 ? [] : [settings[0]?.name ?? 'web']) as readonly string[],
    variables,
    redact,
    events,
    promptMs,
    /** Whether a line is said for the first time, for what is told once. */
    isNew: firstTimes(),
  }
  return { ...context, ...hooks(run) }
}

/** The same, from where it is known of which services it consists. */
export const withServices = (context: DeployContext, serviceNames: readonly string[]): DeployContext => ({
  ...context,
  serviceNames,
})

function firstTimes(): (line: string) => boolean {
  const said = new Set<string>()
  return (line) => said.size !== said.add(line).size
}

const MOST_SERVICES = 200

/** Whom something is about that was said of no service: the only one there is. */
export const theOnly = ({ serviceNames }: Pick<DeployContext, 'serviceNames'>): string | null =>
  serviceNames.length === 1 ? (serviceNames[0] ?? null) : null

/** Of the five seconds that a cancel has been promised, for all that is undone together. */
const PROMPT_MS = 3000
const LEAST_MS = 250

/** How long an undoing may take that somebody waits for: what takes longer is seen to afterwards. */
function promptness(signal: AbortSignal): () => number {
  let since = performance.now()
  signal.addEventListener('abort', () => {
    since = performance.now()
  })
  return () => Math.max(LEAST_MS, Math.round(since + PROMPT_MS - performance.now()))
}

/** What the database says of a deployment changes in the transaction that ends the step which made it true. */
function hooks({ id }: Run) {
  const status = async (tx: Tx, to: 'building' | 'deploying', changes: Parameters<typeof store.update>[2]) => {
    await store.update(tx, id, { ...changes, status: to })
    await append(tx, id, null, [{ type: 'status', at: new Date(), data: { status: to } }])
  }
  return {
    onSource: {
      onStart: (tx: Tx) => status(tx, 'building', { startedAt: new Date() }),
      onEnd: async (tx: Tx, found: Found) => {
        const services = JSON.stringify(found.services.map((name) => serviceOf(name, null, 'pending')))
        await store.update(tx, id, { source: JSON.stringify(found.source), services })
        // From here on it has a commit.
        await noteReport(tx, id)
      },
    },
    onBuilt: (name: string) => ({
      onEnd: async (tx: Tx, image: BuiltImage) => {
        const { image: name_, digest } = serviceOf(name, image, 'built')
        await patchService(tx, id, name, { image: name_, digest, status: 'built' })
        await addImage(tx, id, image.name)
        await store.update(tx, id, { builtAt: new Date() })
      },
    }),
    onFrozen: {
      onStart: (tx: Tx) => store.update(tx, id, { status: 'deploying' }),
      onEnd: async (tx: Tx, { sealed, images, services, engineId }: Frozen) => {
        const released = { release: sealed, images, services: JSON.stringify(services) }
        await status(tx, 'deploying', { ...released, ...(engineId !== undefined && { engineId }) })
      },
    },
  }
}

/** Why something is undone. */
export type Because = 'failed' | 'cancelled'

/** What the source step leaves to the ones after it. */
export type Found = { source: DeploymentSource; services: string[]; blueprint: string }

export const serviceOf = (
  name: string,
  image: { name: string; id: string } | null,
  status: DeploymentService['status'],
): DeploymentService => ({
  name,
  status,
  image: image?.name ?? null,
  digest: image?.id ?? null,
  previousDigest: null,
  replicas: 1,
  error: null,
})

/** Variables a service sees when it runs: the project's, overruled by its own. */
export function runtimeEnvironment(variables: PlainVariable[], service: string): Record<string, string> {
  const seen = variables.filter((v) => v.scope !== 'build' && (v.service === null || v.service === service))
  return Object.fromEntries(
    seen.sort((a, b) => Number(a.service !== null) - Number(b.service !== null)).map((v) => [v.name, v.value]),
  )
}

export function buildSecrets(variables: PlainVariable[], service: string): Record<string, string> {
  const seen = variables.filter((v) => v.scope !== 'runtime' && (v.service === null || v.service === service))
  return Object.fromEntries(seen.map((v) => [v.name, v.value]))
}

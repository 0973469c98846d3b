import type { DeploymentSource } from '@slipway/contract/deployment-shape'
import type { EngineTarget } from '../../drivers/engine/engine.ts'
import type { Run } from '../../jobs/steps.ts'
import { allVariables, listServices } from '../projects/settings-store.ts'
import * as projects from '../projects/store.ts'
import { openVariables } from '../projects/variables.ts'
import { openEngineTarget } from '../servers/open-engine-target.ts'
import { policyOf } from '../servers/policy.ts'
import * as servers from '../servers/store.ts'
import { admitLines } from './events/admit-lines.ts'
import { type EventWriter, eventWriter } from './events/events.ts'
import { redactor } from './events/redact.ts'
import { secretsOfRun } from './events/secrets.ts'
import type { DeployParts } from './parts.ts'
import { overridesOf, ownSettings, ownVariables } from './rows/overrides.ts'
import * as store from './rows/store.ts'

/**
 * What the steps look at, read once per owner and never changed: what they decide goes through the journal, not through here. A
 * function takes the part that it needs, as a `Pick` or by one of the names below.
 */
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
  return {
    parts,
    run,
    deployment,
    project,
    server,
    engine,
    /** What the server allows. */
    policy: policyOf(parts.config, server.policy),
    settings,
    /** The services it consists of, as far as that is known yet. */
    serviceNames: (settings.length > 1 ? [] : [settings[0]?.name ?? 'web']) as readonly string[],
    variables,
    redact,
    events,
  }
}

/** What functions take that change something on the server of a deployment. */
export type OnServer = Pick<DeployContext, 'parts' | 'run' | 'deployment' | 'server' | 'engine'>

/** What functions take that tell how it goes, in words without secrets. */
export type Telling = Pick<DeployContext, 'parts' | 'run' | 'server' | 'serviceNames' | 'events' | 'redact'>

/** The same, from where it is known of which services it consists. */
export const withServices = (context: DeployContext, serviceNames: readonly string[]): DeployContext => ({
  ...context,
  serviceNames,
})

const MOST_SERVICES = 200

/** Whom something is about that was said of no service: the only one there is. */
export const theOnly = ({ serviceNames }: Pick<DeployContext, 'serviceNames'>): string | null =>
  serviceNames.length === 1 ? (serviceNames[0] ?? null) : null

/** Why something is undone. */
export type Because = 'failed' | 'cancelled'

/** What the source step leaves to the ones after it. */
export type Found = { source: DeploymentSource; services: string[]; blueprint: string }

import type { PendingDecision } from '@slipway/contract/decisions'
import type { DeploymentPlan } from '@slipway/contract/plan'
import type { Page } from 'playwright-core'
import type { NewEvent } from '../../../server/src/core/deployments/events/events-store.ts'
import type { Said } from '../engine-says.ts'
import { linesOf } from '../printed.ts'
import type { Seeded } from '../seed.ts'

const SINCE_MS = 3 * 3_600_000

/** What the engine of the story runs: of orders what came up, and for the rest the release before. */
export function runsOfStory({ ids, projects }: Seeded): Said['ofProject'] {
  const since = new Date(Date.now() - SINCE_MS).toISOString()
  const runs = (service: string, deployment: string) => ({
    service,
    deployment: ids[deployment] ?? '',
    since,
    replicas: { wanted: 1, running: 1, healthy: 1 },
  })
  return {
    [projects.shop ?? '']: ['web', 'api', 'worker'].map((name) => runs(name, 'shop#146')),
    [projects.orders ?? '']: [runs('web', 'orders#21'), runs('api', 'orders#21'), runs('worker', 'orders#20')],
    [projects.billing ?? '']: ['api', 'jobs'].map((name) => runs(name, 'billing#43')),
    [projects.docs ?? '']: [runs('web', 'docs#45')],
  }
}

const PLAN: DeploymentPlan = {
  operations: [],
  ...{ created: [], replaced: ['web'], restarted: [], removed: [], jobs: [], routed: [], interrupted: [] },
}

/** What an engine would answer that is not there: both ways out of a decision, and a way back. */
export const engineAnswers = ({ ids }: Seeded) => {
  const form = (number: number) => ({ deploymentId: ids[`orders#${number}`] ?? '', number })
  const both = { ran: form(20), ifRejected: form(20), error: null }
  const message = 'Nothing listens on port 3000 of worker.'
  const error = { code: 'port_closed', step: 'rollout', service: 'worker', message, hint: null, logSeq: null } as const
  const decision: PendingDecision = {
    services: [
      { name: 'web', status: 'healthy', ...both, runs: form(21), ifKept: form(21) },
      { name: 'api', status: 'healthy', ...both, runs: form(21), ifKept: form(21) },
      { name: 'worker', status: 'failed', ...both, error, runs: form(20), ifKept: form(20) },
    ],
    ...{ keep: PLAN, reject: PLAN, seenAt: new Date().toISOString() },
  }
  return async (page: Page) => {
    await page.route('**/api/deployments/*/decision', (route) => route.fulfill({ json: decision }))
    await page.route('**/api/deployments/*/rollback-plan', (route) =>
      route.fulfill({ json: { plan: PLAN, rebuilt: [] } }),
    )
    await page.reload()
  }
}

const FAILED = [
  'npm error code EUSAGE',
  'npm error package.json and package-lock.json do not fit together: run npm install, then commit both',
  'npm error Invalid: lock file has zod@4.1.2, which does not satisfy zod@4.6.7',
  'process "npm ci" did not complete successfully: exit code 1',
]

/** A build whose last line, of so many, is the one that says why it failed. */
export function failedBuild(count: number, services: string[], service: string): NewEvent[] {
  const step = '[4/7] RUN npm ci'
  const end = FAILED.map((line) => ({
    ...{ type: 'log' as const, at: new Date() },
    data: { service, step, stream: 'stderr' as const, line },
  }))
  return [...linesOf(count - end.length, services, { step }), ...end]
}

import { Deployment } from '@slipway/contract/deployment-shape'
import { isFinished, wasReleased } from '@slipway/contract/deployment-states'
import * as stubs from '../deployments-store.ts'
import * as promotions from '../promotion-store.ts'
import { type Ask, NotYet } from './ask-cloud.ts'
import { type Promoting, perform } from './perform.ts'

const LOOK_MS = 3000

/** The project's own names lead here until somebody changes their records: by this one it can be looked at before. */
const FREE_NAME = [{ domainType: 'free' }]

/** With the id that was answered here when it was asked for: repeated, it makes no second one. */
export async function deployThere(promoting: Promoting, uploadSessionId: string | null): Promise<void> {
  const { run, project, promotion } = promoting
  const { source, buildStrategy, publicEndpoints, message } = promotion.asked
  const json = {
    ...{ projectId: project.id, deploymentId: run.id, buildStrategy },
    ...(uploadSessionId !== null && { uploadSessionId }),
    ...(source.kind === 'git' && source.branch !== 'HEAD' && { branch: source.branch }),
    ...(source.image !== undefined && { image: source.image }),
    publicEndpoints: publicEndpoints ?? (project.target === 'cloud' ? undefined : FREE_NAME),
    ...(message !== undefined && { message }),
  }
  await perform(
    promoting,
    'deploy',
    async (ask) => void (await ask({ method: 'POST', path: '/api/deployments/build/access', json })),
    {
      onEnd: (tx) => promotions.setThere(tx, run.orgId, run.id),
      undo: (ask) => cancelThere(promoting, ask),
    },
  )
}

/** Until it has ended there; whatever it waits for, somebody answers by way of this instance. */
export const awaitEnd = (promoting: Promoting): Promise<void> =>
  perform(promoting, 'await', async (ask) => {
    const seen = await look(promoting, ask)
    if (seen === null) throw new FailedThere('not_found', GONE, 'Somebody deleted it there. Promote again.')
    if (!isOver(seen)) throw new NotYet('It has not ended yet.', LOOK_MS)
    if (wasReleased(seen)) return
    const { code, message, hint } = seen.error ?? {
      code: seen.status,
      message: `It is ${seen.status} there.`,
      hint: null,
    }
    throw new FailedThere(code, message, hint ?? `GET /api/deployments/${seen.id}/logs has what it printed.`)
  })

const GONE = 'The hosted cloud does not know the deployment any more.'

/** What became of the deployment there, in its own words. */
export class FailedThere extends Error {
  override name = 'FailedThere'
  readonly code: string
  readonly hint: string

  constructor(code: string, message: string, hint: string) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

/** One that waits for somebody to decide has a status as if it were over. */
const isOver = ({ status, timing }: Deployment) => isFinished(status) && timing.finishedAt !== null

/** As it is there now, kept for lists here; null: there is none. */
async function look({ run }: Promoting, ask: Ask): Promise<Deployment | null> {
  const { status, body } = await ask({ method: 'GET', path: `/api/deployments/${run.id}`, expects: [404] })
  if (status === 404) return null
  const { data } = Deployment.safeParse(body)
  if (!data) throw new NotYet('The hosted cloud tells of the deployment in another form.')
  await run.write((tx) => stubs.see(tx, run.orgId, [data]))
  return data
}

/** Also of one of which nobody knows whether it came to be. It is over when this returns. */
async function cancelThere(promoting: Promoting, ask: Ask): Promise<void> {
  const { run } = promoting
  const path = `/api/deployments/${run.id}/cancel`
  // 400: it has ended, or is being cancelled.
  if ((await ask({ method: 'POST', path, json: {}, expects: [400, 404] })).status === 404) {
    // What asked for it may still be on its way.
    if (run.since('undo:deploy') === undefined) throw new NotYet('It is not there yet.', LOOK_MS)
    return
  }
  const seen = await look(promoting, ask)
  if (seen !== null && !isOver(seen)) throw new NotYet('It has not ended yet.', LOOK_MS)
}

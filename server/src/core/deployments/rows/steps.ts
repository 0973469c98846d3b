import type { Deployment } from '@slipway/contract/deployment-shape'
import type { DeploymentRow, StoredStep } from './store.ts'

type Row = Pick<DeploymentRow, 'status' | 'error' | 'finishedAt' | 'steps'>

/**
 * The steps of a deployment, none of which goes on when that has ended. One that came to its end has it in the journal;
 * what was under way when the deployment ended is what failed, or was given up because of that or because somebody wanted so.
 */
export function stepsOf({ status, error, finishedAt, steps }: Row): Deployment['steps'] {
  const open = steps.filter((step) => step.finishedAt === null)
  const blamed = open.filter((step) => isOf(error, step))
  const failed = status !== 'failed' ? [] : blamed.length > 0 ? blamed : open
  // The journal has an entry of its own for taking a step back.
  const isUndone = ({ name }: StoredStep) => steps.some((one) => one.name === `undo:${name}` && one.finishedAt !== null)
  return steps.map((step) => {
    const end = step.finishedAt ?? finishedAt
    const isFailed = end !== null && failed.includes(step)
    const givenUp = end === null ? 'running' : 'cancelled'
    return {
      name: step.name,
      status: isFailed ? 'failed' : step.finishedAt !== null ? 'succeeded' : givenUp,
      startedAt: new Date(step.startedAt).toISOString(),
      finishedAt: end && new Date(end).toISOString(),
      error: isFailed ? (error?.message ?? null) : null,
      ...(isUndone(step) && { undone: true as const }),
    }
  })
}

/** A step for one service of several has both in its name: `build:web`. */
function isOf(error: Row['error'], { name }: StoredStep): boolean {
  const [step, service] = name.split(':')
  return error?.step === step && (service === undefined || error?.service === service)
}

import type { Deployment } from '@slipway/contract/deployment-shape'
import type { DeploymentRow } from './store.ts'

/** What a question asks, for whoever is to answer it. */
export const asks = (promptId: string) => QUESTIONS[promptId] ?? 'An answer is waited for.'

const QUESTIONS: Record<string, string> = {
  approve_build: 'The project wants a person to approve every build: approve it to build, reject it to end here.',
  approve_release:
    'The image is built. The project wants a person to approve every release: approve it to go live, reject it to end here.',
}

/** Whom a deployment waits for, since when, and what they may say. */
export function waitingOf({ waitingOn, error }: Pick<DeploymentRow, 'waitingOn' | 'error'>): Deployment['waitingOn'] {
  if (waitingOn === null) return null
  if (waitingOn.kind === 'prompt')
    return { ...waitingOn, message: asks(waitingOn.promptId ?? ''), options: ['approve', 'reject'] }
  const why = error ? `${error.message} ` : ''
  return {
    ...waitingOn,
    message: `${why}Only some services came up: keep them, or put all back.`,
    options: ['keep', 'reject'],
  }
}

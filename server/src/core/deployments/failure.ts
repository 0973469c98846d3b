import type { DeploymentError } from '@slipway/contract/deployments'

/** A deployment that cannot go on, in the words that status, stream and every client will show. */
export class DeployFailure extends Error {
  readonly error: DeploymentError

  constructor(error: Pick<DeploymentError, 'code' | 'message'> & Partial<DeploymentError>) {
    super(error.message)
    this.name = 'DeployFailure'
    this.error = { step: null, service: null, hint: null, logSeq: null, ...error }
  }
}

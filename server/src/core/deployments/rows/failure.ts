import type { DeploymentErrorCode } from '@slipway/contract/deployment-errors'
import type { DeploymentError } from '@slipway/contract/deployment-shape'

type Words = Pick<DeploymentError, 'message'> & Partial<DeploymentError> & { code: DeploymentErrorCode }

type More = {
  /** What belongs to it and is not in the log yet, oldest first. */
  lines?: string[]
  /** The step of the log whose last line shows it, where that is another than the deployment's own; or which line of it. */
  shownBy?: { step: string; line?: string | undefined } | undefined
  cause?: unknown
}

/** A deployment that cannot go on, in the words that status, stream and every client will show. */
export class DeployFailure extends Error {
  readonly error: DeploymentError
  readonly lines: string[]
  readonly shownBy: More['shownBy']

  constructor(words: Words, { lines = [], shownBy, cause }: More = {}) {
    super(words.message, cause === undefined ? {} : { cause })
    this.name = 'DeployFailure'
    this.error = { step: null, service: null, hint: null, logSeq: null, ...words }
    this.lines = lines
    this.shownBy = shownBy
  }
}

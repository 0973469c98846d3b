export type RuntimeFailureCode = 'spec_refused' | 'update_running' | 'service_missing' | 'name_taken' | 'in_use'

/** The engine works, but what was asked cannot be done. */
export class RuntimeFailure extends Error {
  readonly code: RuntimeFailureCode
  readonly hint: string

  constructor(code: RuntimeFailureCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'RuntimeFailure'
    this.code = code
    this.hint = hints[code]
  }
}

const hints: Record<RuntimeFailureCode, string> = {
  spec_refused: 'Change the setting that is named and deploy again.',
  update_running: 'Wait until the running rollout has ended, or cancel it.',
  service_missing: 'Deploy the service first.',
  name_taken: 'Remove or rename what has this name on the server; Slipway did not make it.',
  in_use: 'Stop what still uses it first.',
}

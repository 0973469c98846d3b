/** Exit codes are an API: programs branch on them. */
export const EXIT = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  signedOut: 3,
  refused: 4,
  failed: 5,
  actionRequired: 6,
  timeout: 7,
  unreachable: 8,
  interrupted: 130,
} as const

/** In words, for the help and the reference. */
export const EXIT_MEANINGS: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'something unexpected',
  2: 'used wrongly: an unknown command, a missing word',
  3: 'not signed in',
  4: 'not allowed, or not there',
  5: 'the deployment failed',
  6: 'somebody has to decide or to mend something',
  7: 'not done in the time that was given; it goes on',
  8: 'the instance cannot be reached',
  130: 'interrupted',
}

/** Why a command ends otherwise than it was meant to: what happened, what to do, and how the process ends. */
export class Failure extends Error {
  readonly exit: number
  readonly code: string
  readonly hint: string | null
  /** What `--json` says beside it. */
  readonly more: Record<string, unknown>
  constructor(exit: number, code: string, message: string, hint?: string | null, more: Record<string, unknown> = {}) {
    super(message)
    this.name = 'Failure'
    this.exit = exit
    this.code = code
    this.hint = hint ?? null
    this.more = more
  }
}

export const usage = (message: string, hint?: string) => new Failure(EXIT.usage, 'usage', message, hint)

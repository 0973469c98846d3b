import type { DeploymentErrorCode } from '@slipway/contract/deployment-errors'
import type { GitFailure } from '../../../drivers/git/git.ts'
import { DriverFailure, isFailure, Refusal } from '../../../errors.ts'
import type { Action, Run } from '../../../jobs/steps.ts'
import { type DeployContext, type Telling, theOnly } from '../deploy-context.ts'
import { shownLine } from '../events/line.ts'
import { patiently } from '../release/lost-lines.ts'
import { DeployFailure } from '../rows/failure.ts'
import { lastLine } from '../rows/failure-store.ts'

/** Of these, parts are repeated by themselves: of a build all but what is made, of a rollout each operation. */
const PATIENT_BY_ITSELF = /^(build|rollout)\b/
/** Here the server may be asked for the first time: one that cannot be reached is told at once. */
const COMES_FIRST = /^(source|find)\b/

/** `run.step`, which a lost line to the server does not end, and whose failures are told to whoever deploys. */
export function explainedSteps(context: Telling): Run['step'] {
  const patient = <T>(name: string, signal: AbortSignal, action: Action<T>): Promise<T> => {
    if (PATIENT_BY_ITSELF.test(name)) return action(signal)
    const { step, service } = placeOf(context, name)
    return patiently(context, step, service, !COMES_FIRST.test(name))(signal, () => action(signal))
  }
  const told = <T>(step: string, signal: AbortSignal, work: Promise<T>) =>
    work.catch(async (error) => {
      throw await explainStep(context, { step, signal }, error)
    })
  return (name, action, { undo, ...options } = {}) =>
    context.run.step(name, (signal) => told(name, signal, patient(name, signal, action)), {
      ...options,
      ...(undo && { undo: (...args) => told(name, args[0], undo(...args)) }),
    })
}

/** `build:web` is the build, of web. */
function placeOf(context: Telling, name: string): { step: string; service: string | null } {
  const [step = name, service = theOnly(context)] = name.split(':')
  return { step, service }
}

type During = { step: string; signal: AbortSignal }

/**
 * What a step threw, as whoever deploys will read it: in words, without secrets, and with the line of the log that shows
 * it. Anything unexpected stays as it is: its words are for the server's log alone.
 */
export async function explainStep(context: Telling, { step: name, signal }: During, error: unknown): Promise<unknown> {
  if (signal.aborted) return error
  const { step, service: of } = placeOf(context, name)
  const failure = error instanceof DeployFailure ? error : inWords(context, error)
  if (!failure) return error
  const { code, message, hint } = failure.error
  const words = {
    ...failure.error,
    code: code as DeploymentErrorCode,
    step: failure.error.step ?? step,
    service: failure.error.service ?? of,
    message: context.redact(message),
    hint: hint === null ? null : context.redact(hint),
  }
  const logSeq = await shownAt(context, failure, { ...words, step: words.step }).catch(() => null)
  return new DeployFailure({ ...words, logSeq }, { cause: causeOf(context, failure) })
}

/** The line that shows it; where nothing was printed, the message becomes the line. */
async function shownAt(
  { events, parts, run, redact }: Telling,
  failure: DeployFailure,
  at: Words,
): Promise<number | null> {
  const say = (line: string) => events.write('log', { service: at.service, step: at.step, stream: 'stderr', line })
  for (const line of failure.lines) say(line)
  await events.flush()
  // As it was written: what a step is called may hold a secret.
  const find = (step: string, line?: string) => lastLine(parts.db, run.id, shownLine(step, redact), line)
  const { step, line } = failure.shownBy ?? { step: at.step }
  const exact = line === undefined ? null : await find(step, redact(line))
  const printed = exact ?? (await find(step)) ?? (await find(at.step))
  if (printed !== null) return printed
  say(at.message)
  await events.flush()
  return find(at.step)
}

type Words = { step: string; service: string | null; message: string }

/** For the server's log: what was behind it, as text without secrets. */
function causeOf({ redact }: Pick<DeployContext, 'redact'>, failure: DeployFailure): Error | undefined {
  const words: string[] = []
  for (let cause = failure.cause; cause instanceof Error && words.length < 5; cause = cause.cause)
    words.push(cause.message)
  return words.length === 0 ? undefined : new Error(redact(words.join(' ← ')))
}

function inWords(context: Telling, error: unknown): DeployFailure | undefined {
  if (error instanceof Refusal) {
    const { code, message, details } = error
    return new DeployFailure(
      { code: code as DeploymentErrorCode, message, hint: details.hint ?? null },
      { cause: error },
    )
  }
  if (!(error instanceof Error)) return undefined
  if ((error as { code?: unknown }).code === 'ENOSPC') return ownDiskFull(error)
  return error instanceof DriverFailure ? ofDriver(context, error) : undefined
}

/** Drivers have words of their own; what is said here is which of our cases they are. */
function ofDriver(context: Telling, error: DriverFailure): DeployFailure | undefined {
  const { driver, code, message, hint } = error
  if (isFailure<GitFailure>(error, 'git')) return new DeployFailure({ code: error.code, message, hint }, gitSaid(error))
  const found = DRIVER_CODES[driver]?.[code] ?? DRIVER_CODES[driver]?.others
  if (!found) return undefined
  if (found === 'engine_failed' && NO_SPACE.test(message)) return serverDiskFull(context, error)
  const about = found.startsWith('server_') ? `The server ${context.server.name} cannot be used. ` : ''
  return new DeployFailure({ code: found, message: `${about}${message}`, hint }, { cause: error })
}

/** git's own last words are worth reading, and its driver takes the credential out of them. */
const gitSaid = (error: GitFailure) => ({
  cause: error,
  lines: error.cause instanceof Error ? error.cause.message.split('\n').filter((line) => line.trim() !== '') : [],
})

const unreachable = 'server_unreachable'
const denied = 'server_denied'

const DRIVER_CODES: Record<string, Record<string, DeploymentErrorCode>> = {
  ssh: {
    host_key_unknown: denied,
    host_key_mismatch: denied,
    auth_failed: denied,
    key_unreadable: denied,
    others: unreachable,
  },
  edge: { others: 'edge_failed' },
  engine: {
    engine_unreachable: unreachable,
    engine_timeout: unreachable,
    engine_denied: denied,
    others: 'engine_failed',
  },
  builder: {
    engine_timeout: unreachable,
    engine_lost: unreachable,
    engine_failed: 'engine_failed',
    request_invalid: 'build_failed',
    others: 'builder_unavailable',
  },
  runtime: {
    spec_refused: 'spec_refused',
    volume_unsafe: 'spec_refused',
    port_taken: 'port_taken',
    update_running: 'update_running',
    image_missing: 'image_not_found',
    image_denied: 'image_not_found',
    registry_unreachable: 'image_not_found',
    engine_taken: 'engine_taken',
    engine_foreign: 'engine_taken',
    disk_full: 'disk_full',
    others: 'engine_failed',
  },
}

/** An engine has no code for it: whatever it was asked for, it only says so. */
const NO_SPACE = /no space left on device/i

const serverDiskFull = ({ server }: Pick<DeployContext, 'server'>, cause: DriverFailure) =>
  new DeployFailure(
    {
      code: 'disk_full',
      message: `The disk of the server ${server.name} is full. ${cause.message}`,
      hint: 'Free some space on the server: old images and build cache are the first to look at.',
    },
    { cause },
  )

const ownDiskFull = (cause: Error) =>
  new DeployFailure(
    {
      code: 'disk_full',
      message: 'The disk of the machine that runs Slipway is full.',
      hint: 'Free some space there, then deploy again.',
    },
    { cause },
  )

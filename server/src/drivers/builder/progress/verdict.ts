import type { BuildFailure } from '../builder.ts'
import type { StepTracker } from './steps.ts'

/**
 * One clear error from what a failed build left. The line of the Dockerfile stands only in the text after the documents:
 *
 *     Dockerfile:3
 *     --------------------
 *        3 | >>> RUN exit 7
 *     --------------------
 *     ERROR: failed to solve: process "/bin/sh -c exit 7" did not complete successfully: exit code: 7
 */
export function explainFailure(tracker: Pick<StepTracker, 'firstError' | 'clipped'>, text: string[], file: string) {
  const first = tracker.firstError()
  const message = explained(lastError(text) ?? first?.error ?? 'The build failed without saying why.')
  const line = placeOf(text) ?? numberAfter(/parse error on line (\d+)/, message)
  const exitCode = numberAfter(/exit code: (\d+)/, message)
  const failure: BuildFailure = {
    message,
    ...(line !== undefined && { file, line }),
    ...(first && { step: first.step }),
    ...(exitCode !== undefined && { exitCode }),
    cancelled: false,
    timedOut: false,
    clipped: tracker.clipped(),
  }
  return failure
}

/** Whether the connection to the engine broke, rather than a step: nothing in the source can cause these words. */
export function engineWasLost(tracker: Pick<StepTracker, 'firstError'>, text: string[]): boolean {
  if (tracker.firstError()) return false
  return /code = Unavailable|error reading from server|connection reset|broken pipe|Cannot connect to the Docker daemon/.test(
    lastError(text) ?? '',
  )
}

function lastError(text: string[]): string | undefined {
  return text
    .findLast((line) => line.startsWith('ERROR: '))
    ?.slice('ERROR: '.length)
    .replace(/^failed to solve: /, '')
}

/** The words of the second lock (`source-policy.ts`) are BuildKit's own. */
function explained(message: string): string {
  const [, source] = /source \\?"([^"\\]+)\\?" denied by policy/.exec(message) ?? []
  return source === undefined ? message : `${source.slice(0, 200)} cannot be used in a build on this server.`
}

function placeOf(text: string[]): number | undefined {
  const at = text.findIndex((line, n) => /:\d+$/.test(line) && text[n + 1]?.startsWith('-----'))
  return numberAfter(/:(\d+)$/, text[at] ?? '')
}

function numberAfter(pattern: RegExp, text: string): number | undefined {
  const found = pattern.exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}

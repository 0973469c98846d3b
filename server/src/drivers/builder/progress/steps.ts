import type { BuildEvent, BuildStep } from '../builder.ts'
import { logLines } from './log-lines.ts'
import type { ProgressDocument, Vertex } from './read.ts'

export type StepTracker = {
  take(document: ProgressDocument): void
  /** Ends lines that were printed without a newline. */
  end(): void
  /** Those that were begun, in the order of their beginning. */
  steps(): BuildStep[]
  /** The first error that is not a mere consequence. */
  firstError(): { step: string; error: string } | undefined
  clipped(): boolean
}

/** Turns BuildKit's reports into events. `rename` gives the words people should see for a step's name. */
export function trackSteps(emit: (event: BuildEvent) => void, rename: (name: string) => string): StepTracker {
  const steps = new Map<string, BuildStep>()
  const errors = new Map<string, string>()
  const names = new Map<string, string>()
  const logs = logLines(emit, (id) => names.get(id) ?? UNNAMED)

  // A step is reported several times and may start again after it was complete: the newest report wins, but its first
  // start stays.
  const vertex = (reported: Vertex) => {
    names.set(reported.digest, rename(reported.name))
    if (reported.started === undefined && !reported.error) return
    const before = steps.get(reported.digest)
    const step = stepOf(reported, before, rename)
    if (step.finishedAt !== null) logs.endLines(step.id)
    steps.set(step.id, step)
    if (reported.error && !step.cancelled) errors.set(step.id, reported.error)
    else errors.delete(step.id)
    // BuildKit reports what takes no time, as the look into its cache, only when it is over.
    if (!before && step.state !== 'started' && step.startedAt !== null) emit({ type: 'step', ...step, ...BEGUN })
    if (!before || before.state !== step.state || before.cached !== step.cached) emit({ type: 'step', ...step })
  }

  return {
    take(document) {
      for (const reported of document.vertexes ?? []) vertex(reported)
      for (const { vertex: step, id: what, current = 0, total = 0, completed } of document.statuses ?? []) {
        if (steps.has(step)) emit({ type: 'progress', step, what, current, total, done: completed !== undefined })
      }
      for (const log of document.logs ?? []) logs.take(log)
    },
    end: () => logs.end(),
    steps: () => [...steps.values()],
    firstError() {
      const [first] = errors
      return first && { step: first[0], error: first[1] }
    },
    clipped: () => logs.clipped(),
  }
}

/** Of a step that BuildKit has not named. */
const UNNAMED = 'build'
const BEGUN = { state: 'started', cancelled: false, finishedAt: null, durationMs: null } as const

function stepOf(reported: Vertex, before: BuildStep | undefined, rename: (name: string) => string): BuildStep {
  const startedAt = before?.startedAt ?? instant(reported.started)
  const finishedAt = instant(reported.completed)
  return {
    id: reported.digest,
    name: rename(reported.name),
    state: reported.error ? 'failed' : finishedAt === null ? 'started' : 'finished',
    cached: (before?.cached ?? false) || (reported.cached ?? false),
    // When one branch fails BuildKit cancels its siblings; their errors are not the cause.
    cancelled: reported.error?.includes('context canceled') ?? false,
    startedAt,
    finishedAt,
    durationMs: startedAt === null || finishedAt === null ? null : Date.parse(finishedAt) - Date.parse(startedAt),
  }
}

function instant(text: string | undefined): string | null {
  return text === undefined ? null : new Date(text).toISOString()
}

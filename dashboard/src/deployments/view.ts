import type { LogLook } from '../logs/log-view.tsx'
import type { Steps } from '../logs/worker/log-book.ts'
import { STEP_NAMES } from './words.ts'

/** The sides of a deployment, in their order; the first one is the address without anything. */
export const TABS = [
  { name: 'log', label: 'Log' },
  { name: 'services', label: 'Services' },
  { name: 'usage', label: 'Usage' },
  { name: 'changes', label: 'Changes' },
] as const
export type Tab = (typeof TABS)[number]['name']

/** What of a deployment is looked at. */
export type View = LogLook & { tab?: Tab | undefined; step?: string | undefined; service?: string | undefined }

/** What the address says; anything it says wrong is passed over, because addresses are typed and shared by people. */
export function readView(search: Record<string, unknown>): View {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value.slice(0, 300) : undefined)
  const tab = TABS.find(({ name }) => name === search.tab)?.name
  const line = Number(search.line)
  return {
    tab: tab === 'log' ? undefined : tab,
    step: text(search.step),
    service: text(search.service),
    find: text(search.find),
    only: search.only === '1' ? '1' : undefined,
    line: Number.isSafeInteger(line) && line > 0 ? line : undefined,
  }
}

/** Nothing narrows the log. */
export const ALL_LINES = { step: undefined, service: undefined, find: undefined, only: undefined } satisfies View

/**
 * Which lines a step has printed. `rollout:web` is the step `rollout` of the service web; what a build prints is under the
 * names of its own instructions, so that it is whatever no other step has.
 */
export function linesOfStep(step: string | undefined): { steps: Steps | null; service: string | null } {
  if (step === undefined) return { steps: null, service: null }
  const [kind = step, service = null] = step.split(':')
  const steps = kind === 'build' ? { areNot: STEP_NAMES.filter((name) => name !== 'build') } : { are: [kind] }
  return { steps, service }
}

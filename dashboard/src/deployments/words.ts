import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Tone } from '../ui/title.ts'

export type Sign = 'wait' | 'turn' | 'check' | 'live' | 'cross' | 'ask' | 'half' | 'stop' | 'skip' | 'back'
export type Shown = { word: string; tone: Tone; sign: Sign }
export type Status = Deployment['status']
export type Told = Pick<Deployment, 'status' | 'decision' | 'active' | 'waitingOn' | 'unknown'>

/** The one place where a state becomes a word, a colour and a sign. Amber means that a person is needed, and nothing else. */
export function shown({ status, decision, active, waitingOn, unknown }: Told): Shown {
  if (waitingOn?.kind === 'prompt') return { word: 'Needs approval', tone: 'ask', sign: 'ask' }
  if (decision === 'pending') return { word: 'Action required', tone: 'ask', sign: 'ask' }
  if (active && unknown) return { word: 'Not known', tone: 'ask', sign: 'ask' }
  if (active && decision === 'kept') return { word: 'Live in part', tone: 'ok', sign: 'half' }
  if (active) return { word: 'Live', tone: 'ok', sign: 'live' }
  return WORDS[status]
}

const WORDS: Record<Status, Shown> = {
  queued: { word: 'Queued', tone: 'idle', sign: 'wait' },
  building: { word: 'Building', tone: 'run', sign: 'turn' },
  deploying: { word: 'Deploying', tone: 'run', sign: 'turn' },
  // It came up, and does not serve: green is for what does.
  ready: { word: 'Ready', tone: 'idle', sign: 'check' },
  failed: { word: 'Failed', tone: 'bad', sign: 'cross' },
  cancelled: { word: 'Cancelled', tone: 'idle', sign: 'stop' },
  partial_failure: { word: 'Kept in part', tone: 'idle', sign: 'half' },
  rejected: { word: 'Put back', tone: 'idle', sign: 'back' },
  superseded: { word: 'Superseded', tone: 'idle', sign: 'skip' },
}

/** Every status, in the order of a deployment's life, with its word. */
export const STATUS_CHOICES = Object.entries(WORDS).map(([value, { word }]) => ({
  value: value as Status,
  label: word,
}))

const STEPS: Record<string, string> = {
  source: 'Get the source',
  find: 'Find the images',
  build: 'Build',
  files: 'Copy files',
  release: 'Freeze the release',
  rollout: 'Roll out',
  route: 'Route visitors',
  retire: 'Retire the old',
  tidy: 'Tidy up',
}

/** What steps are called. */
export const STEP_NAMES = Object.keys(STEPS)

/** `build:web` → Build, web; `undo:build:web` → Undo: build, web. A step that has no words here is called what the API calls it. */
export function stepTitle(name: string): { title: string; service: string | null } {
  const isUndone = name.startsWith('undo:')
  const [kind = name, service = null] = (isUndone ? name.slice('undo:'.length) : name).split(':')
  const title = STEPS[kind] ?? kind
  return { title: isUndone ? `Undo: ${title.toLowerCase()}` : title, service }
}

const TRIGGERS: Record<Deployment['trigger'], string> = {
  manual: 'started by',
  push: 'pushed by',
  upload: 'uploaded by',
  redeploy: 'redeployed by',
  rollback: 'rolled back by',
  adopt: 'adopted by',
  promote: 'promoted by',
}
export const triggered = (trigger: Deployment['trigger']) => TRIGGERS[trigger]

type Headed = Pick<Deployment, 'source' | 'number' | 'message' | 'rollbackOf'>

/** What is new in it, as somebody said it; else where it comes from. */
export function headline({ source, number, message, rollbackOf }: Headed): string {
  if (rollbackOf?.number != null) return `Back to #${rollbackOf.number}`
  const said = message ?? source.commitMessage
  if (said) return said.split('\n')[0] as string
  if (source.kind === 'image') return source.image ?? 'An image'
  if (source.kind === 'upload') return 'Folder upload'
  if (source.kind === 'adopted') return 'Adopted as it runs'
  return `Deployment ${number}`
}

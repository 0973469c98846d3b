import type { DeliveryDecision } from '@slipway/contract/githost-deliveries'
import type { GithostSource, GithostState } from '@slipway/contract/githost-shape'
import type { Tone } from '../ui/title.ts'

/** How a connection came about, as the API names the ways. */
export type Way = 'app' | 'manifest' | 'oauth' | 'cli' | 'cloud'
/** Nothing said: the server picks the way. */
export type Asked = { source?: Way; account?: string }

export const STATE_WORDS: Record<GithostState, { word: string; tone: Tone }> = {
  disconnected: { word: 'Not connected', tone: 'idle' },
  app: { word: 'Connected', tone: 'ok' },
  oauth: { word: 'Connected', tone: 'ok' },
  cli: { word: 'Connected', tone: 'ok' },
  mixed: { word: 'Connected', tone: 'ok' },
}

export const SOURCE_WORDS: Record<GithostSource, string> = {
  app: 'by an installed app',
  oauth: 'by an account',
  cli: 'by the login of this machine',
}

export const WAY_WORDS: Record<Way, string> = {
  app: 'Install the app',
  cloud: 'Use the app of the linked cloud',
  manifest: 'Make an app of your own',
  oauth: 'Use your own account',
  cli: 'Use the login of this machine',
}

export const DECISIONS: Record<DeliveryDecision, { word: string; tone: Tone }> = {
  deployed: { word: 'Deployed', tone: 'ok' },
  coalesced: { word: 'Merged with a later one', tone: 'idle' },
  skipped: { word: 'Skipped', tone: 'idle' },
  ignored: { word: 'Ignored', tone: 'idle' },
  known: { word: 'Known already', tone: 'idle' },
  waiting: { word: 'Waiting', tone: 'run' },
  failed: { word: 'Failed', tone: 'bad' },
}

export const DECISION_CHOICES = (Object.keys(DECISIONS) as DeliveryDecision[]).map((value) => ({
  value,
  label: DECISIONS[value].word,
}))

export const VIA_WORDS = {
  delivery: 'told by the git host',
  poll: 'found by asking',
  replay: 'decided anew by a person',
  run: 'found when a run began',
} as const

export const PUSH_WORDS = {
  app: 'The app tells of pushes.',
  hook: 'A hook of the repository tells of pushes.',
  relay: 'The hosted cloud passes pushes on.',
  poll: 'The git host is asked for pushes from time to time.',
} as const

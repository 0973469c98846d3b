import type { DeliveryDecision } from '@slipway/contract/githost-deliveries'
import { matchesGlob } from './glob.ts'

/** What is looked at to decide about a project whose branch has moved. */
export type Facts = {
  /** Null: the branch is gone. */
  sha: string | null
  /** Its deployments are in the hosted cloud. */
  inCloud: boolean
  autoDeploy: boolean
  /** By whom it was paused, in words. */
  paused: string | null
  skipWords: string[]
  watchPaths: string[]
  /** Commit of the active release. */
  deployed: string | null
  /** Undefined: not asked for yet. Null: it could not be found out, and doubt deploys. */
  message: string | null | undefined
  files: string[] | null | undefined
  /** When the deployment was made that waits already. */
  waitingSince: Date | null
  now: Date
}

export type Verdict =
  | { decision: Extract<DeliveryDecision, 'skipped' | 'ignored' | 'known'>; reason: string }
  | { deploy: true }
  | { need: ('message' | 'files')[] }
  | { waitUntil: Date }

const SPACING_MS = 2000
const MOST_PATH = 250

/** The one function that says whether a push is deployed. Pure. */
export function decide(facts: Facts): Verdict {
  if (facts.sha === null) return { decision: 'ignored', reason: 'branch deleted' }
  if (facts.inCloud)
    return { decision: 'skipped', reason: 'the project is in the hosted cloud, where no push deploys it' }
  if (!facts.autoDeploy) return { decision: 'skipped', reason: 'auto-deploy is off' }
  if (facts.paused !== null) return { decision: 'skipped', reason: facts.paused }
  if (facts.sha === facts.deployed) return { decision: 'known', reason: 'this commit is the active release' }
  const until = facts.waitingSince === null ? 0 : facts.waitingSince.getTime() + SPACING_MS
  if (until > facts.now.getTime()) return { waitUntil: new Date(until) }
  const need = missing(facts)
  if (need.length > 0) return { need }
  const word = facts.skipWords.find((one) => facts.message?.toLowerCase().includes(one.toLowerCase()))
  if (word !== undefined) return { decision: 'skipped', reason: `the commit says ${word}` }
  if (facts.watchPaths.length > 0 && facts.files && !facts.files.some((path) => isWatched(facts.watchPaths, path))) {
    return { decision: 'skipped', reason: 'no watched path changed since the active release' }
  }
  return { deploy: true }
}

function missing({ skipWords, watchPaths, message, files, deployed }: Facts): ('message' | 'files')[] {
  return [
    ...(skipWords.length > 0 && message === undefined ? (['message'] as const) : []),
    ...(watchPaths.length > 0 && deployed !== null && files === undefined ? (['files'] as const) : []),
  ]
}

/** The last glob that matches decides; without one that includes, everything else is in. */
export function isWatched(globs: string[], path: string): boolean {
  const excluded = (glob: string) => glob.startsWith('!')
  const start = globs.every(excluded)
  return globs.reduce(
    (is, glob) => (matches(excluded(glob) ? glob.slice(1) : glob, path) ? !excluded(glob) : is),
    start,
  )
}

/** A folder stands for all that is in it. */
function matches(glob: string, path: string): boolean {
  // Longer than anybody writes: taken as watched, so that nobody makes us compare for long.
  if (path.length > MOST_PATH) return true
  const plain = glob.replace(/^\.?\//, '').replace(/\/$/, '')
  return matchesGlob(path, plain) || matchesGlob(path, `${plain}/**`)
}

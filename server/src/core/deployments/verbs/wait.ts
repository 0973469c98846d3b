import { setTimeout as pause } from 'node:timers/promises'
import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Caller } from '../../access/caller.ts'
import type { BaseParts } from '../../parts.ts'
import type { Feeds } from '../events/feed.ts'
import { requireDeployment } from '../rows/require-deployment.ts'
import { showDeployment } from './show.ts'

type Parts = Pick<BaseParts, 'db' | 'draining'> & { feeds: Feeds }

/** A build that prints a lot is not looked at for every line. */
const LOOK_MS = 300

/**
 * Long polling: the deployment once it has ended or waits for somebody, or as it is when the time is over, the caller has gone
 * or this process is about to.
 */
export async function waitForDeployment(
  parts: Parts,
  caller: Caller,
  id: string,
  { seconds, signal }: { seconds: number; signal: AbortSignal },
) {
  const { nextSeq } = await requireDeployment(parts.db, caller, id)
  const over = AbortSignal.any([signal, parts.draining, AbortSignal.timeout(seconds * 1000)])
  let shown = await showDeployment(parts, caller, id)
  if (rests(shown)) return shown
  for await (const _ of parts.feeds.follow(id, Number(nextSeq), over)) {
    shown = await showDeployment(parts, caller, id)
    if (rests(shown)) return shown
    await pause(LOOK_MS, undefined, { signal: over }).catch(() => {})
  }
  return showDeployment(parts, caller, id)
}

const rests = ({ timing, waitingOn }: Deployment) => timing.finishedAt !== null || waitingOn !== null

import { isFinished } from '@slipway/contract/deployment-states'
import type { Caller } from '../access/caller.ts'
import type { Platform } from '../platform.ts'
import { requireDeployment } from './find.ts'

type Shown = { id: number; event: string; data: unknown }

/** The events of a deployment from a number on, as they appear; null when it has ended and there are no more. */
export async function followEvents(
  { db, feeds }: Pick<Platform, 'db' | 'feeds'>,
  caller: Caller,
  id: string,
  since: number,
) {
  const deployment = await requireDeployment(db, caller, id)
  if (isFinished(deployment.status) && since >= Number(deployment.nextSeq)) return null
  return async function* (signal: AbortSignal): AsyncGenerator<Shown[]> {
    for await (const batch of feeds.follow(id, since, signal)) {
      yield batch.map(({ seq, at, type, data }) => ({ id: seq, event: type, data: { at: at.toISOString(), ...data } }))
    }
  }
}

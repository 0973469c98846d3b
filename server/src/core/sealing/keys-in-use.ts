import type { BaseParts } from '../parts.ts'
import * as store from './store.ts'

type Parts = Pick<BaseParts, 'db' | 'keys'>

export const HEARTBEAT_MS = 10_000

/**
 * At the start, before anything is sealed: whoever could not open what others have sealed must not begin to work with it.
 * Asks a table of a few rows, however many values there are.
 */
export async function claimKeys({ db, keys }: Parts): Promise<void> {
  const unknown = (await store.all(db)).map(({ id }) => id).filter((id) => !keys.ids.includes(id))
  if (unknown.length > 0) {
    const which = unknown.length === 1 ? `key ${unknown[0]}, which is` : `the keys ${unknown.join(', ')}, which are`
    throw new Error(
      `Values in the database are sealed with ${which} not in SLIPWAY_SECRET_KEY. ` +
        'Put every key that was used behind the first one, separated by commas. ' +
        'To be rid of an old one, run `slipway admin keys rotate` while both are there.',
    )
  }
  await store.noteUse(db, keys.ids[0] ?? '', 'from now on')
}

/** Said again and again by each process: a key that somebody still seals with cannot be forgotten. */
export const sayInUse = ({ db, keys }: Parts): Promise<void> => store.noteUse(db, keys.ids[0] ?? '', 'still')

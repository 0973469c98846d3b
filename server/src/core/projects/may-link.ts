import type { Tx } from '../../db/database.ts'
import type { Caller } from '../access/caller.ts'

/** Whether a project may read its repository by way of the connection to the git host, which is the one who knows. */
export type MayLink = (tx: Tx, caller: Caller, repository: string | null) => Promise<boolean>

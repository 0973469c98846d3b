import type { Caller } from '../../access/caller.ts'
import { type ChooseParts, choose } from './choose.ts'

/** All of it is what it was before. */
export const rejectDeployment = (parts: ChooseParts, caller: Caller, id: string) => choose(parts, caller, id, 'reject')

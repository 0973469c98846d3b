import type { Caller } from '../../access/caller.ts'
import { type ChooseParts, choose } from './choose.ts'

/** What came up stays; what did not is what it was before. */
export const keepDeployment = (parts: ChooseParts, caller: Caller, id: string) => choose(parts, caller, id, 'keep')

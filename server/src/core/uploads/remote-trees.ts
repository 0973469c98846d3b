import type { RemoteListing } from '../../source/build/remote-tree.ts'
import type { Caller } from '../access/caller.ts'

/** Opens what a git host lists for a branch, as far as the caller may see it; the connection decides with which credential. */
export type RemoteTrees = {
  open(
    caller: Caller,
    repository: { owner: string; repo: string; branch: string | undefined },
    signal: AbortSignal,
  ): Promise<RemoteListing>
}

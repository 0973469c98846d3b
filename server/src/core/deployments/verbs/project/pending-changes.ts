import type { PendingChanges } from '@slipway/contract/pending'
import type { Caller } from '../../../access/caller.ts'
import type { BaseParts } from '../../../parts.ts'
import { requireProject } from '../../../projects/find.ts'
import { variablesOf, variableTitles } from '../../../projects/settings-store.ts'
import { openVariables } from '../../../projects/variables.ts'
import { releaseOf } from '../../rows/release.ts'
import * as store from '../../rows/store.ts'
import { hashOf, pendingVariables } from '../../rows/used-variables.ts'

type Parts = Pick<BaseParts, 'db' | 'keys'>

/** What was set or removed since what serves was frozen. Only values that were set anew are opened, to be compared by their hash. */
export async function showPendingChanges(parts: Parts, caller: Caller, id: string): Promise<PendingChanges> {
  const project = await requireProject(parts.db, caller, id)
  const active = project.target === 'cloud' ? undefined : await store.findActive(parts.db, id)
  if (!active) return { release: null, variables: project.target === 'cloud' ? null : [] }
  const release = releaseOf(parts, active)
  const now = await variableTitles(parts.db, project)
  const known = new Set((release.variables ?? []).flatMap(({ used }) => used.map((one) => one.id)))
  const anew = now.filter((one) => !known.has(one.id)).map((one) => one.id)
  const opened = anew.length === 0 ? [] : openVariables(parts, await variablesOf(parts.db, project, anew))
  const hashes = new Map(opened.map((one) => [one.id, hashOf(one.value)]))
  return {
    release: { id: active.id, number: active.number },
    variables: pendingVariables(release, now, (variable) => hashes.get(variable) ?? ''),
  }
}

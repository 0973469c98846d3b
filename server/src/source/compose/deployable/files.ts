import { posix } from 'node:path'
import { fault, type Place } from '../faults.ts'
import type { NormalFile, NormalReference } from '../project.ts'
import type { ComposeFile, FileMount } from './service.ts'

const DEFAULT_MODE = 0o444

/** Where a config or a secret lies inside of a container; relative targets are seen from `folder`. */
export function fileMounts(references: NormalReference[] = [], folder: string): FileMount[] {
  return references.map(({ source, target = source, uid = '0', gid = '0', mode = DEFAULT_MODE }) => ({
    source,
    target: posix.resolve(folder, target === '' ? source : target),
    uid,
    gid,
    mode,
  }))
}

export function filesOf(files: Record<string, NormalFile>, place: (key: string) => Place): ComposeFile[] {
  return Object.entries(files).map(([key, one]) => {
    if (one.file !== undefined) return { key, from: { file: one.file } }
    if (one.environment !== undefined) return { key, from: { variable: one.environment } }
    if (one.content !== undefined) return { key, from: { text: one.content } }
    throw fault(
      place(key),
      'its content is not in the project: nothing outside of it can be used',
      'Give it a file of the source, or environment with the name of a variable of the project.',
    )
  })
}

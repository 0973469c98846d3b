import { fileAt, type SourceTree, wholeOf } from '../../../source/build/source-tree.ts'
import type { ComposeFile } from '../../../source/compose/deployable/service.ts'
import { fault } from '../../../source/compose/faults.ts'

export type Values = { tree: SourceTree; variables: ReadonlyMap<string, string> }

/** The engine takes no more for one. */
const MOST_BYTES = 500_000

/** What a config or secret holds, from the source, from a variable, or as it is written. */
export async function contentOf({ key, from }: ComposeFile, { tree, variables }: Values): Promise<Buffer> {
  if ('text' in from) return Buffer.from(from.text)
  if ('file' in from) return fileOf(tree, from.file, key)
  const value = variables.get(from.variable)
  if (value !== undefined) return Buffer.from(value)
  throw fault(
    { file: '', path: [key] },
    `there is no variable ${from.variable}`,
    'Set it with PUT /api/projects/:id/variables.',
  )
}

async function fileOf(tree: SourceTree, path: string, key: string): Promise<Buffer> {
  const place = { file: '', path: [key, 'file'] }
  const found = fileAt(tree, path)
  if (!found) throw fault(place, `there is no file ${path} in the source`, 'Add it, or name another.')
  if (found.size > MOST_BYTES)
    throw fault(place, `${path} is larger than ${MOST_BYTES} bytes`, 'Put it into the image, or mount it instead.')
  return wholeOf(tree, found)
}

import { applyExtends } from './extends.ts'
import type { Warning } from './faults.ts'
import { canonical } from './forms/canonical.ts'
import { applyIncludes } from './include.ts'
import { clear, merge } from './merge/merge.ts'
import { unique } from './merge/unique.ts'
import { parseFile } from './parse-file.ts'
import { resolvePaths } from './paths.ts'
import type { Reading, Scope } from './reading.ts'
import { check } from './shape/check.ts'
import { composeFile } from './shape/file.ts'
import { type Dict, emptyDict, isDict, mapDict } from './values.ts'

/** The files of a scope laid over each other, in long forms, with every path seen from the root of the tree. */
export async function loadModel(reading: Reading, scope: Scope): Promise<Dict> {
  let model = emptyDict()
  for (const file of scope.files) model = await addFile(reading, scope, file, model)
  return withContexts(model, scope.folder)
}

/** A build without a context is one of the project's folder. */
function withContexts(model: Dict, folder: string): Dict {
  if (!isDict(model.services)) return model
  const services = mapDict(model.services, (service) => {
    if (!isDict(service) || !isDict(service.build) || service.build.context !== undefined) return service
    return { ...service, build: { ...service.build, context: folder } }
  })
  return { ...model, services }
}

async function addFile(reading: Reading, scope: Scope, file: string, base: Dict): Promise<Dict> {
  const place = { file, path: [] }
  let model = base
  for (const { root, cleared } of await parseFile(reading, scope, file)) {
    reading.origins.note(root, file)
    if ('version' in root) reading.warn(obsoleteVersion(file))
    const own = resolvePaths(canonical(root, place, reading.budget), scope.folder, reading.sources, file)
    const extended = await applyExtends(reading, scope, own, { file, cleared })
    const whole = await applyIncludes(reading, scope, extended, { file, load: loadModel })
    model = unique(merge(clear(model, cleared), whole, place) as Dict, place)
    check(model, composeFile, place)
  }
  return model
}

const obsoleteVersion = (file: string): Warning => ({
  service: null,
  key: 'version',
  message: `${file} has a version; it means nothing any more and is ignored.`,
})

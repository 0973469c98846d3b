import { at, fault, type Place } from './faults.ts'
import type { Reading, Scope } from './reading.ts'
import { fillIn } from './shape/cast.ts'
import { composeFile } from './shape/file.ts'
import { type Dict, isDict } from './values.ts'

type Parsed = { root: Dict; cleared: string[][] }

/** The documents of a file with variables filled in; nothing else has happened to them yet. */
export async function parseFile(
  { sources, budget, warn }: Reading,
  { environment }: Scope,
  file: string,
  from: Place = { file, path: [] },
): Promise<Parsed[]> {
  const { parseYaml } = await import('./yaml/parse.ts')
  const text = await sources.text(file, from)
  const place = { file, path: [] }
  const filling = { lookup: (name: string) => environment.get(name), budget, warn }
  const documents = parseYaml(text, file, budget)
  if (documents.length === 0) throw fault(place, 'it is empty', 'Write at least one service.')
  return documents.map(({ root, cleared }) => {
    if (!isDict(root)) throw fault(place, 'it is not a mapping', 'A compose file begins with keys such as services.')
    const filled = fillIn(root, composeFile, place, filling) as Dict
    for (const section of ['services', 'networks', 'volumes', 'secrets', 'configs'])
      checkSection(filled, section, place)
    return { root: filled, cleared }
  })
}

function checkSection(model: Dict, section: string, place: Place): void {
  const entries = model[section]
  if (entries === undefined || isDict(entries) || (entries === null && section !== 'services')) return
  throw fault(at(place, section), 'it is not a mapping', `Write the names of the ${section} below it.`)
}

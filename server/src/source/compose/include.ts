import { posix } from 'node:path'
import { at, fault, type Place } from './faults.ts'
import type { Reading, Scope } from './reading.ts'
import { check } from './shape/check.ts'
import { composeFile } from './shape/file.ts'
import { type Dict, emptyDict, fingerprint, isDict, isList, type Value } from './values.ts'
import { parseEnvFile } from './variables/dotenv.ts'

type Include = { paths: string[]; folder: string | undefined; envFiles: string[] }

/** The file that asks, and how files are loaded: an included one is loaded like the first. */
type Asking = { file: string; load(reading: Reading, scope: Scope): Promise<Dict> }

const SECTIONS = ['services', 'networks', 'volumes', 'configs', 'secrets']

/** Projects named by `include` are read with their own folder and variables, and their parts added to the file's. */
export async function applyIncludes(reading: Reading, scope: Scope, model: Dict, asking: Asking): Promise<Dict> {
  const { file } = asking
  const { include, ...rest } = model
  if (include === undefined || include === null) return rest
  const place = { file, path: ['include'] }
  if (!isList(include)) throw fault(place, 'it is not a list', 'Write one path per line, each after a dash.')
  const shape = composeFile.fields.include
  if (shape) check(include, shape, place)
  let whole: Dict = rest
  for (const [n, item] of include.entries()) {
    const imported = await loadIncluded(reading, scope, read(item), { ...asking, here: at(place, n) })
    whole = add(whole, imported, at(place, n))
  }
  return whole
}

function read(item: Value): Include {
  const texts = (value: Value | undefined) => (isList(value) ? value : value === undefined ? [] : [value]).map(String)
  if (!isDict(item)) return { paths: [String(item)], folder: undefined, envFiles: [] }
  const folder = item.project_directory === undefined ? undefined : String(item.project_directory)
  return { paths: texts(item.path), folder: folder || undefined, envFiles: texts(item.env_file) }
}

async function loadIncluded(
  reading: Reading,
  scope: Scope,
  { paths, folder, envFiles }: Include,
  { here, file, load }: Asking & { here: Place },
): Promise<Dict> {
  const { sources } = reading
  const files = paths.map((path) => sources.inside(scope.folder, path, here))
  const [main] = files
  if (main === undefined) throw fault(here, 'it names no file', 'Write the path of a compose file.')
  const including = [...scope.including, file]
  if (including.includes(main)) {
    throw fault(here, `it goes in a circle: ${[...including, main].join(' → ')}`, 'Break the circle.')
  }
  const inner = folder === undefined ? posix.dirname(main) : projectFolder(reading, scope, folder, here)
  const environment = await environmentOf(reading, scope, inner, envFiles, here)
  return load(reading, { files, folder: inner, environment, including })
}

/** A folder that is not there counts as the one it would lie in. */
function projectFolder({ sources }: Reading, scope: Scope, written: string, here: Place): string {
  const place = at(here, 'project_directory')
  const folder = sources.inside(scope.folder, written, place)
  return sources.isFolder(folder, place) ? folder : posix.dirname(folder)
}

/** What is set outside wins over the files of the included project. */
async function environmentOf(
  reading: Reading,
  scope: Scope,
  folder: string,
  envFiles: string[],
  here: Place,
): Promise<ReadonlyMap<string, string>> {
  const { sources } = reading
  const own = posix.join(folder, '.env')
  const files =
    envFiles.length > 0
      ? envFiles
          .filter((path) => path !== '/dev/null')
          .map((path) => sources.inside(scope.folder, path, at(here, 'env_file')))
      : [own].filter((path) => sources.isFile(path, here))
  return readEnvironment(reading, scope.environment, files, at(here, 'env_file'))
}

/** Variables of env files below those that are known already; a later file wins over an earlier one. */
export async function readEnvironment(
  { sources, budget }: Reading,
  known: ReadonlyMap<string, string>,
  files: string[],
  from: Place,
): Promise<Map<string, string>> {
  const read = new Map<string, string>()
  for (const file of files) {
    const text = await sources.text(file, from)
    const lookup = (name: string) => known.get(name) ?? read.get(name)
    const found = parseEnvFile({ text, place: { file, path: [] }, lookup, budget, missing: () => undefined })
    for (const [name, value] of found) read.set(name, value)
  }
  return new Map([...read, ...known])
}

function add(model: Dict, imported: Dict, place: Place): Dict {
  const whole: Dict = { ...model }
  for (const section of SECTIONS) {
    const entries = imported[section]
    if (!isDict(entries)) continue
    const own = whole[section]
    const target: Dict = Object.assign(emptyDict(), isDict(own) ? own : {})
    for (const [name, value] of Object.entries(entries)) {
      const before = target[name]
      if (before !== undefined && fingerprint(before) !== fingerprint(value)) throw conflict(place, section, name)
      target[name] = value
    }
    whole[section] = target
  }
  return whole
}

const conflict = (place: Place, section: string, name: string) =>
  fault(
    place,
    `it brings ${section}.${name}, which is defined otherwise already`,
    'Rename one of the two, or change the included one in an override file.',
  )

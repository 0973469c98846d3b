import { posix } from 'node:path'
import { fault } from './faults.ts'
import { COMPOSE_FILES } from './file-names.ts'
import { readEnvironment } from './include.ts'
import type { ComposeOptions, Reading, Scope } from './reading.ts'

const OVERRIDES = COMPOSE_FILES.map((name) => name.replace(/\.(ya?ml)$/, '.override.$1'))
const HERE = { file: '', path: [] }

type Found = { scope: Scope; profiles: string[] }

/** Which files to read, seen from where, with which variables: as compose decides it when called at the root. */
export async function findFiles(reading: Reading, options: ComposeOptions): Promise<Found> {
  const given = new Map(Object.entries({ ...options.environment, COMPOSE_PROJECT_NAME: options.projectName }))
  const atRoot = options.files === undefined ? await withDotEnv(reading, given, '.') : given
  const files = (options.files ?? named(atRoot) ?? usual(reading)).map((file) =>
    reading.sources.inside('.', file, HERE),
  )
  const [first] = files
  if (first === undefined) throw noFile()
  const folder = options.folder ?? posix.dirname(first)
  const environment =
    folder === '.' && options.files === undefined
      ? atRoot
      : await withEnvFiles(reading, named(given) ? given : atRoot, folder, options.envFiles)
  // Without any, the profile without a name is active: some files use it for "by default".
  const profiles = options.profiles ?? (environment.get('COMPOSE_PROFILES') ?? '').split(',').map((name) => name.trim())
  return { scope: { files, folder, environment, including: [] }, profiles }
}

/** The files that the variable COMPOSE_FILE names. */
function named(environment: ReadonlyMap<string, string>): string[] | undefined {
  const files = list(environment.get('COMPOSE_FILE'), environment.get('COMPOSE_PATH_SEPARATOR') || ':')
  return files.length > 0 ? files : undefined
}

function usual({ sources, warn }: Reading): string[] {
  const there = (names: string[]) => names.filter((name) => sources.isFile(name, HERE))
  const [first, ...others] = there(COMPOSE_FILES)
  if (first === undefined) throw noFile()
  const [override, ...further] = there(OVERRIDES)
  for (const file of [...others, ...further])
    warn({ service: null, key: file, message: `${file} is not read: another file of the usual names goes before it.` })
  return override === undefined ? [first] : [first, override]
}

const withEnvFiles = (
  reading: Reading,
  given: ReadonlyMap<string, string>,
  folder: string,
  files: string[] | undefined,
) => (files === undefined ? withDotEnv(reading, given, folder) : readEnvironment(reading, given, files, HERE))

async function withDotEnv(reading: Reading, given: ReadonlyMap<string, string>, folder: string) {
  const file = posix.join(folder, '.env')
  return readEnvironment(reading, given, reading.sources.isFile(file, HERE) ? [file] : [], HERE)
}

const list = (text: string | undefined, separator: string) =>
  (text ?? '')
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')

const noFile = () =>
  fault(
    { file: 'compose.yaml', path: [] },
    'there is no compose file in the source',
    `Add one of ${COMPOSE_FILES.join(', ')}.`,
  )

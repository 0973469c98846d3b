import { posix } from 'node:path'

/** Who made a container, as its labels say: what somebody's server claims, and nothing more. */
export type Origin =
  | { kind: 'compose'; compose: ComposeOrigin }
  | { kind: 'swarm'; serviceId: string }
  | { kind: 'loose' }

export type ComposeOrigin = {
  project: string
  service: string
  /** Which of several equal ones. */
  number: number
  /** What a single `compose run` has left. */
  oneOff: boolean
  maker: 'compose v1' | 'compose v2'
  workingDir: string | null
  files: string[]
  /** Given on the command line instead of `.env`; null: none were. */
  envFiles: string[] | null
  /** Only the second generation writes it down, and then it is known also when the file is gone. */
  dependsOn: { service: string; condition: string }[] | null
}

type Labels = Readonly<Record<string, string>>

const PREFIX = 'com.docker.compose.'
/** As compose itself allows them: anything else was written by hand. */
const PROJECT = /^[a-z0-9][a-z0-9_.-]{0,254}$/i
const WORD = /^(?!\.+$)[\w.-]{1,255}$/
const MOST_LIST = 16_384
const MOST_PATH = 4096
const MOST_FILES = 20

export function originOf(labels: Labels): Origin {
  const serviceId = labels['com.docker.swarm.service.id']
  if (serviceId) return { kind: 'swarm', serviceId }
  const said = (name: string) => labels[`${PREFIX}${name}`]
  const project = said('project') ?? ''
  const service = said('service') ?? ''
  if (!PROJECT.test(project) || !WORD.test(service)) return { kind: 'loose' }
  const workingDir = folderOf(said('project.working_dir'))
  const version = said('version') ?? ''
  const envFiles = listOf(said('project.environment_file')).flatMap((file) => absolute(file, workingDir))
  const compose: ComposeOrigin = {
    project,
    service,
    number: Number(said('container-number')) || 1,
    oneOff: /^true$/i.test(said('oneoff') ?? ''),
    maker: version === '' || version.startsWith('1.') ? 'compose v1' : 'compose v2',
    workingDir,
    files: listOf(said('project.config_files'))
      .flatMap((file) => absolute(file, workingDir))
      .slice(0, MOST_FILES),
    envFiles: envFiles.length > 0 ? envFiles.slice(0, MOST_FILES) : null,
    dependsOn: waitsOf(said('depends_on')),
  }
  return { kind: 'compose', compose }
}

const listOf = (text = '') =>
  text.length > MOST_LIST
    ? []
    : text
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '')

const folderOf = (path = '') =>
  path.startsWith('/') && path.length <= MOST_PATH && !path.includes('\0')
    ? posix.normalize(path).replace(/(.)\/$/, '$1')
    : null

/** The first generation wrote down what it was called with. */
function absolute(file: string, folder: string | null): string[] {
  if (file.length > MOST_PATH || file.includes('\0')) return []
  if (file.startsWith('/')) return [posix.normalize(file)]
  return folder === null ? [] : [posix.join(folder, file)]
}

/** `db:service_healthy:false,cache:service_started:false`. */
function waitsOf(text: string | undefined): ComposeOrigin['dependsOn'] {
  if (text === undefined) return null
  return listOf(text).flatMap((one) => {
    const [service = '', condition = 'service_started'] = one.split(':')
    return WORD.test(service) ? [{ service, condition }] : []
  })
}

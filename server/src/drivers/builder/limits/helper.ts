import { askSocket, EngineRefusal } from '../../engine/ask-socket.ts'
import { builderFailure } from '../builder.ts'

const DONE = 'limits are set'

/**
 * Writes each value into its file and compares: a refused write is silent. A list of controllers reads otherwise than it is
 * written and shows in the files below. awk is in every small image, and unlike a shell takes its data as arguments.
 */
const PROGRAM = `BEGIN {
  for (i = 1; i < ARGC; i += 2) { print ARGV[i + 1] > ARGV[i]; close(ARGV[i]); want[ARGV[i]] = ARGV[i + 1] }
  for (file in want) {
    if (want[file] ~ /^[+]/) continue
    have = ""
    getline have < file
    if (have "" != want[file] "") { print file " is " have " instead of " want[file]; exit 1 }
  }
  print "${DONE}"
}`

/**
 * `find` runs it, and before that ends every process below a folder of cgroups, if one is named: each list of the kernel's
 * becomes the arguments of a `kill`. No shell anywhere, and nothing but the kernel writes those lists.
 */
function argvOf(endIn: string | undefined, words: string[]): string[] {
  const write = ['awk', PROGRAM, ...words, ';']
  if (endIn === undefined) return ['find', ROOT, '-prune', '-exec', ...write]
  const end = ['-name', 'cgroup.procs', '-exec', 'xargs', '-r', '-a', '{}', 'kill', '-9', ';']
  return ['find', endIn, ROOT, '-path', ROOT, '-prune', '-exec', ...write, '-o', ...end]
}

/** Any folder that is there once and apart from the cgroups. */
const ROOT = '/etc'

type Helper = {
  image: string
  instance: string
  binds: string[]
  /** A folder of cgroups in the container whose processes are ended first. */
  endIn: string | undefined
  words: string[]
  signal: AbortSignal
}

/** Runs the above in a container on the engine's host; null, or why that did not go well. */
export async function runHelper(socketPath: string, helper: Helper): Promise<string | null> {
  const { signal } = helper
  const path = `/containers/${await createHelper(socketPath, helper)}`
  try {
    await askSocket(socketPath, { method: 'POST', path: `${path}/start`, signal })
    await askSocket(socketPath, { method: 'POST', path: `${path}/wait`, signal })
    const output = String(await askSocket(socketPath, { path: `${path}/logs?stdout=1&stderr=1`, signal }))
    // `find` ends well whatever became of what it ran; and a process that ended by itself is no failure of `kill`.
    return output.includes(DONE) ? null : output.trim() || 'the helper said nothing'
  } finally {
    // Also after a cancel: hence a deadline of its own, not the caller's signal.
    const late = AbortSignal.timeout(5000)
    await askSocket(socketPath, { method: 'DELETE', path: `${path}?force=1&v=1`, signal: late }).catch(() => {})
  }
}

async function createHelper(socketPath: string, helper: Helper): Promise<string> {
  const { image, instance, binds, endIn, words, signal } = helper
  const body = {
    Image: image,
    Entrypoint: [],
    Cmd: argvOf(endIn, words),
    User: '0:0',
    // The log of a TTY has no frames around its pieces.
    Tty: true,
    // By these one is found whose owner was killed before it could take it away.
    Labels: { 'slipway.instance': instance, 'slipway.look': 'limits' },
    HostConfig: {
      Binds: binds,
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      // A cgroup's list shows only processes that the reader can see, and those of a step may be anybody's.
      PidMode: 'host',
      CapAdd: ['KILL'],
      SecurityOpt: ['no-new-privileges', 'label=disable'],
      // Where users are remapped, only the real root may write there.
      UsernsMode: 'host',
    },
  }
  const question = { method: 'POST', path: '/containers/create', body, signal } as const
  try {
    return (await askSocket<{ Id: string }>(socketPath, question)).Id
  } catch (error) {
    if (!(error instanceof EngineRefusal) || error.status !== 404) throw error
    throw builderFailure('helper_image_missing', `The image ${image} is not on the server.`, error)
  }
}

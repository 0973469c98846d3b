import { askEngine, EngineRefusal } from '../ask.ts'
import { BuilderFailure } from '../builder.ts'

/**
 * Ends every process below the first folder, if one is named. Then writes each value into its file and compares: a refused
 * write is silent. A list of controllers reads otherwise than it is written and shows in the files below. awk is in every
 * small image, and unlike a shell takes its data as arguments.
 */
const PROGRAM = `BEGIN {
  if (ARGV[1] != "") {
    find = "find " ARGV[1] " -name cgroup.procs"
    while ((find | getline list) > 0)
      while ((getline pid < list) > 0) if (pid ~ /^[1-9][0-9]*$/) system("kill -9 " pid)
  }
  for (i = 2; i < ARGC; i += 2) { print ARGV[i + 1] > ARGV[i]; close(ARGV[i]); want[ARGV[i]] = ARGV[i + 1] }
  for (file in want) {
    if (want[file] ~ /^[+]/) continue
    have = ""
    getline have < file
    if (have "" != want[file] "") { print file " is " have " instead of " want[file]; exit 1 }
  }
}`

type Helper = {
  image: string
  instance: string
  binds: string[]
  /** A folder of cgroups in the container whose processes are ended first. */
  endIn: string | undefined
  words: string[]
  signal: AbortSignal
}

/** Runs the program above in a container on the engine's host; an output is the reason of a code that is not 0. */
export async function runHelper(socketPath: string, helper: Helper): Promise<{ code: number; output: string }> {
  const { signal } = helper
  const path = `/containers/${await createHelper(socketPath, helper)}`
  try {
    await askEngine(socketPath, { method: 'POST', path: `${path}/start`, signal })
    const end = await askEngine<{ StatusCode: number }>(socketPath, { method: 'POST', path: `${path}/wait`, signal })
    if (end.StatusCode === 0) return { code: 0, output: '' }
    const output = await askEngine<string>(socketPath, { path: `${path}/logs?stdout=1&stderr=1`, signal })
    return { code: end.StatusCode, output }
  } finally {
    // Also after a cancel: hence a deadline of its own, not the caller's signal.
    const late = AbortSignal.timeout(5000)
    await askEngine(socketPath, { method: 'DELETE', path: `${path}?force=1&v=1`, signal: late }).catch(() => {})
  }
}

async function createHelper(socketPath: string, helper: Helper): Promise<string> {
  const { image, instance, binds, endIn = '', words, signal } = helper
  const body = {
    Image: image,
    Entrypoint: [],
    Cmd: ['awk', PROGRAM, endIn, ...words],
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
    return (await askEngine<{ Id: string }>(socketPath, question)).Id
  } catch (error) {
    if (!(error instanceof EngineRefusal) || error.status !== 404) throw error
    throw new BuilderFailure('helper_image_missing', `The image ${image} is not on the server.`, error)
  }
}

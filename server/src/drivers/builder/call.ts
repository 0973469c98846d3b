import type { BuildRequest } from './builder.ts'

export type Call = { argv: string[]; env: Record<string, string> }

type CallOptions = {
  buildx: string
  /** The build's own: passwords of registries stand in it. */
  config: string
  /** Stable: buildx keeps its node id there, and without it every build resends every file. */
  state: string
  socketPath: string
  dockerfile: string
  /** Which sources BuildKit may take. */
  policy: string
  metadata: string
  cgroup: string
  mark: { name: string; value: string }
  labels: Record<string, string>
}

/** The program, its arguments and all of its environment. */
export function buildxCall(request: BuildRequest, options: CallOptions): Call {
  const { project, target, args, noCache } = request
  const secrets = Object.entries(request.secrets).map(([id, value], n) => ({ id, value, name: `SLIPWAY_SECRET_${n}` }))
  // Those steer BuildKit itself: which frontend runs, whose cache mounts are used.
  const own = Object.entries(args).filter(([name]) => !/^BUILDKIT_/i.test(name))
  const argv = [
    '/usr/bin/setpriv',
    // The kernel ends buildx when the thread that started it ends in any way, and BuildKit then ends the build.
    ...['--pdeathsig', 'SIGTERM', '--'],
    ...[options.buildx, 'build', '--progress=rawjson', '--provenance=false'],
    ...['--metadata-file', options.metadata, '--file', options.dockerfile, '--tag', request.tag],
    ...(target === undefined ? [] : ['--target', target]),
    ...own.flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    ...secrets.flatMap(({ id, name }) => ['--secret', `id=${id},env=${name}`]),
    // Cache mounts have one namespace per project; an id alone would be shared by all.
    ...['--build-arg', `BUILDKIT_CACHE_MOUNT_NS=${project}`],
    // Part of the cache key of every RUN: a secret is not, and another project would get what it produced.
    ...['--add-host', `${project}.slipway.invalid:127.0.0.1`],
    // Part of the key as well, hence one per project and not per build.
    ...['--cgroup-parent', options.cgroup],
    // Written into the finished image: no step's cache key knows of them. They do not differ between builds of a project, so
    // an unchanged source stays the same image.
    ...Object.entries(options.labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
    ...(noCache ? ['--no-cache'] : []),
    ...(request.pull ? ['--pull'] : []),
    ...['--', request.context],
  ]
  const env = {
    // Nothing is to be found: buildx would run git inside the source, whose .git/config belongs to the tenant.
    PATH: '/nonexistent',
    BUILDX_GIT_INFO: 'false',
    EXPERIMENTAL_BUILDKIT_SOURCE_POLICY: options.policy,
    DOCKER_CONFIG: options.config,
    BUILDX_CONFIG: options.state,
    DOCKER_HOST: `unix://${options.socketPath}`,
    [options.mark.name]: options.mark.value,
    ...Object.fromEntries(secrets.map(({ name, value }) => [name, value])),
  }
  return { argv, env }
}

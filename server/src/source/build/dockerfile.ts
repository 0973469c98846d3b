import { Refusal } from '../../errors.ts'

const SHELL = '/bin/sh'
const BASH = 'bash'

type Cache = { id: string; target: string }
type RunOptions = { caches?: Cache[]; secrets?: string[] | undefined }

/** A Dockerfile from its lines; empty ones stay, absent ones go. */
export const lines = (...all: (string | null | undefined | false)[]): string =>
  `${all.filter((line) => typeof line === 'string').join('\n')}\n`

/**
 * One command of the build. The command is the user's own and runs in a shell as it is; it is written so that nothing in
 * it can begin another instruction, a here-document or an option.
 */
export function run(command: string, { caches = [], secrets = [] }: RunOptions = {}): string {
  const mounts = [
    ...caches.map(({ id, target }) => `--mount=type=cache,id=${id},target=${target} `),
    ...secrets.map((name) => `--mount=type=secret,id=${name} `),
  ].join('')
  // Files, because not every engine can mount a secret as a variable.
  // A shell drops line breaks at the end of what it reads, so something else stands there.
  const exported = secrets
    .map((name) => `${name}="$(cat /run/secrets/${name}; echo .)" && export ${name}="\${${name}%.}" && `)
    .join('')
  const whole = `${exported}${command.trim()}`
  return `RUN ${mounts}${isPlainLine(whole) ? whole : json([SHELL, '-c', whole])}`
}

/** Whether a RUN line means to the shell what it says: no line break, here-document, continuation, option or JSON. */
const isPlainLine = (command: string) =>
  /^[^\s[-][^\p{Cc}]*[^\\\p{Cc}]$|^[^\s[\\-]$/u.test(command) && !command.includes('<<')

/**
 * How the container starts. Without a shell in between where that is possible, and else with one that steps aside: the
 * program must get the signals itself, or it is killed in the middle of its work.
 */
export function cmd(command: string): string {
  const text = command.trim()
  const words = text.split(/\s+/)
  const assignments = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word))
  if (/^[\w./@:=+,~ -]+$/.test(text) && assignments >= 0)
    return `CMD ${json(assignments > 0 ? ['env', ...words] : words)}`
  return `CMD ${json([SHELL, '-c', steppingAside(text)])}`
}

/** `exec` for the last command of a simple chain; anything cleverer is left as it is. */
function steppingAside(command: string): string {
  const parts = command.split(' && ')
  // Within quotes, && may be part of a word.
  if (parts.length > 1 && /["'\\]/.test(command)) return command
  if (/[|;&<>()`\n]/.test(parts.join(' ').replace(/'[^']*'/g, ''))) return command
  const last = parts.pop() ?? ''
  if (/^(?:exec|cd|export|set|source|\.|:) /.test(last)) return command
  return [...parts, `exec ${/^[A-Za-z_]\w*=/.test(last) ? 'env ' : ''}${last}`].join(' && ')
}

/** From the context, or with `from` out of an earlier stage. */
export function copy(sources: string[], target: string, options: { from?: string; chown?: string } = {}): string {
  const flags = [
    options.from === undefined ? '' : `--from=${options.from} `,
    options.chown === undefined ? '' : `--chown=${options.chown} `,
  ].join('')
  const paths = [...sources, target].map(plainPath)
  const words = paths.some((path) => /\s/.test(path)) ? json(paths) : paths.join(' ')
  return `COPY ${flags}${words}`
}

/** COPY and WORKDIR would read these as patterns and variables. */
const PATTERN = /[*?[\]\\$"'`#\p{Cc}]/u
export const isPlainPath = (path: string) => !PATTERN.test(path) && !path.startsWith('-')

/** A path as an instruction may have it, or a refusal that names it. */
export function plainPath(path: string): string {
  if (isPlainPath(path)) return path
  throw new Refusal('nothing_to_build', `The path ${JSON.stringify(path)} cannot stand in a generated Dockerfile.`, {
    hint: 'Rename it without quotes, brackets, $, *, ? and backslashes, or add a Dockerfile of your own.',
  })
}

export const workdir = (path: string) => `WORKDIR ${plainPath(path)}`

/** Values must be of our own making: nothing here is quoted. */
export const env = (values: Record<string, string | number>): string =>
  `ENV ${Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')}`

/** Asked by whoever runs the image elsewhere; the platform itself has a check that tells more. */
export const healthcheck = (argv: string[]): string =>
  `HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ${json(argv)}`

/** In images with bash: whether the port is open. */
export const openPort = (port: number) => healthcheck([BASH, '-c', `exec 3<>/dev/tcp/127.0.0.1/${port}`])
/** In images with busybox. */
export const openPortAlpine = (port: number) => healthcheck(['nc', '-z', '127.0.0.1', String(port)])

const json = (words: string[]) => `[${words.map((word) => JSON.stringify(word)).join(', ')}]`

import type { DeploymentErrorCode } from '@slipway/contract/deployment-errors'
import type { BuildFailure } from '../../../drivers/builder/builder.ts'
import { DeployFailure } from '../rows/failure.ts'

export type FailedBuild = {
  failure: BuildFailure
  /** The instruction that failed, as the log calls it: `[2/3] RUN npm ci`. */
  instruction: string | undefined
  /** The same, as the lines of the log have it. */
  step: string | undefined
  /** The Dockerfile is ours, so its lines say nothing to whoever deploys. */
  generated: boolean
  /** What the failed step printed last. */
  lastLines: string[]
}

type Rule = {
  applies(failed: FailedBuild, said: string): boolean
  code: DeploymentErrorCode
  message(failed: FailedBuild, where: string): string
  hint: string
}

/** The first that applies. */
const RULES: Rule[] = [
  {
    applies: ({ failure }) => failure.timedOut,
    code: 'build_timeout',
    message: (_, where) => `The build took too long${where}.`,
    hint: 'Make the build shorter, or look in its log for a step that waits for something.',
  },
  {
    applies: ({ failure, lastLines }) => [failure.message, ...lastLines].some((line) => NO_SPACE.test(line)),
    code: 'disk_full',
    message: (_, where) => `The build ran out of disk space${where}.`,
    hint: 'Free some space on the server: old images and build cache are the first to look at.',
  },
  {
    applies: (_, said) => NO_REGISTRY.test(said) && BASE.test(said),
    code: 'image_not_found',
    message: ({ failure }, where) =>
      `A base image is not on the server, and its registry cannot be reached${where}: ${short(failure)}.`,
    hint: 'Check that the server can reach the registry, or load the image there.',
  },
  {
    applies: (_, said) => BASE.test(said),
    code: 'image_not_found',
    message: ({ failure }, where) => `A base image cannot be found${where}: ${short(failure)}.`,
    hint: 'Check the FROM line of the Dockerfile: the image must exist, for this platform, and be readable by the server.',
  },
  {
    applies: (_, said) => /failed to (?:compute|calculate)|failed to walk|not found$/.test(said),
    code: 'build_failed',
    message: ({ failure }, where) => `The build failed${where}: ${short(failure)}.`,
    hint: 'Check that the file is part of the source, at this path, and not named in .dockerignore.',
  },
  {
    applies: ({ failure }) => failure.exitCode === 137,
    code: 'build_failed',
    message: (_, where) =>
      `The build failed${where}: a command was killed, most likely for using more memory than a build may.`,
    hint: 'Let the command use less memory: fewer at once, or a smaller heap.',
  },
  {
    applies: ({ failure }) => failure.exitCode === 127,
    code: 'build_failed',
    message: (_, where) => `The build failed${where}: a command was not found (code 127).`,
    hint: 'Install the program in an earlier step, or use a base image that has it.',
  },
  {
    applies: ({ failure }) => failure.exitCode !== undefined,
    code: 'build_failed',
    message: ({ failure }, where) => `The build failed${where}: a command ended with code ${failure.exitCode}.`,
    hint: 'The lines above it in the log show what the command printed.',
  },
  {
    applies: () => true,
    code: 'build_failed',
    message: ({ failure }, where) => `The build failed${where}: ${short(failure)}.`,
    hint: 'Correct the line that is named and deploy again.',
  },
]

const NO_SPACE = /no space left on device|\bENOSPC\b/i
const BASE = /failed to resolve source metadata|pull access denied|no match for platform/i
const NO_REGISTRY =
  /no such host|dial tcp|i\/o timeout|server misbehaving|connection refused|TLS handshake|failed to do request/i

/** What happened in a build, why, and what to do: written once, shown everywhere. */
export function explainBuild(failed: FailedBuild, service: string): DeployFailure {
  const rule = RULES.find(({ applies }) => applies(failed, failed.failure.message)) as Rule
  const message = rule.message(failed, placeOf(failed))
  const words = { code: rule.code, step: 'build', service, message, hint: rule.hint }
  const { step } = failed
  const line = rule.code === 'disk_full' ? failed.lastLines.findLast((one) => NO_SPACE.test(one)) : undefined
  return new DeployFailure(words, { shownBy: step === undefined ? undefined : { step, line } })
}

function placeOf({ failure: { file, line }, instruction, generated }: FailedBuild): string {
  const command = instruction?.replace(/^\[[^\]]*\] /, '')
  const quoted = command === undefined ? '' : `, ${command.length > 120 ? `${command.slice(0, 120)}…` : command}`
  if (line === undefined) return command === undefined ? '' : ` (${quoted.slice(2)})`
  return ` (${generated ? 'the generated Dockerfile' : file}, line ${line}${quoted})`
}

const short = ({ message }: BuildFailure) => message.trim().replace(/\.$/, '').slice(0, 500)

import type { BuildFailure } from '../../drivers/builder/builder.ts'
import type { Outcome, TaskFailure } from '../../drivers/runtime/rollout/outcome.ts'
import { DeployFailure } from './failure.ts'

/** What happened, why, and what to do: written once, shown everywhere. */
export function explainBuild(failure: BuildFailure, service: string): DeployFailure {
  const at = failure.file !== undefined && failure.line !== undefined ? ` (${failure.file}, line ${failure.line})` : ''
  if (failure.timedOut) {
    const hint = 'Make the build shorter, or look in its log for a step that waits for something.'
    return new DeployFailure({
      code: 'build_timeout',
      step: 'build',
      service,
      message: `The build took too long${at}.`,
      hint,
    })
  }
  const full = /no space left on device/i.test(failure.message)
  if (full) {
    const hint = 'Free some space on the server: old images and build cache are the first to look at.'
    return new DeployFailure({
      code: 'disk_full',
      step: 'build',
      service,
      message: 'The disk of the server is full.',
      hint,
    })
  }
  if (/failed to resolve source metadata|pull access denied|not found: not found/i.test(failure.message)) {
    const hint = 'Check the FROM line of the Dockerfile: the image must exist and be readable by the server.'
    return new DeployFailure({
      code: 'image_not_found',
      step: 'build',
      service,
      message: `A base image cannot be found${at}: ${failure.message}`,
      hint,
    })
  }
  const how = failure.exitCode === undefined ? failure.message : `a command ended with code ${failure.exitCode}`
  const hint = 'The lines above it in the log show what the command printed.'
  return new DeployFailure({
    code: 'build_failed',
    step: 'build',
    service,
    message: `The build failed${at}: ${how}.`,
    hint,
  })
}

type Case = { code: string; message(detail: string): string; hint: string }

const CASES: Record<TaskFailure['reason'], Case> = {
  exit: {
    code: 'crashed',
    message: (detail) => `The service ended by itself: ${detail}.`,
    hint: 'Its last lines in the log show why. A service must keep running and listen on its port.',
  },
  'out-of-memory': {
    code: 'out_of_memory',
    message: (detail) => `The service used more memory than its limit and was ended: ${detail}.`,
    hint: 'Raise memoryMb of the service, or look for what takes the memory.',
  },
  'health-check': {
    code: 'unhealthy',
    message: (detail) => `The health check did not pass: ${detail}.`,
    hint: 'Check the path and port of the health check, and that the service listens on 0.0.0.0.',
  },
  'image-missing': {
    code: 'image_not_found',
    message: (detail) => `The image cannot be found: ${detail}.`,
    hint: 'Check its name, and that the server may read it.',
  },
  'no-resources': {
    code: 'no_resources',
    message: (detail) => `The server has not enough free memory or CPU: ${detail}.`,
    hint: 'Lower what the service reserves, or use a larger server.',
  },
  'no-suitable-node': {
    code: 'no_node',
    message: (detail) => `No machine can run it: ${detail}.`,
    hint: 'Check the server.',
  },
  'port-taken': {
    code: 'port_taken',
    message: (detail) => `A port is in use: ${detail}.`,
    hint: 'Stop what uses it, or choose another port.',
  },
  'engine-restart': {
    code: 'engine_restarted',
    message: (detail) => `The engine was restarted: ${detail}.`,
    hint: 'Deploy again.',
  },
  rejected: {
    code: 'rejected',
    message: (detail) => `The engine refused to start it: ${detail}.`,
    hint: 'The message names the setting that is wrong.',
  },
  timeout: {
    code: 'rollout_timeout',
    message: (detail) => `The rollout did not end in time: ${detail}.`,
    hint: 'Look at the engine of the server.',
  },
}

export function explainRollout(outcome: Outcome, service: string): DeployFailure {
  const found = outcome.cause && CASES[outcome.cause.reason]
  const message = found
    ? found.message(outcome.cause?.detail ?? '')
    : `The rollout ended as ${outcome.outcome}: ${outcome.message ?? 'no reason was given'}.`
  const code = outcome.outcome === 'unstable' ? 'unstable' : (found?.code ?? outcome.outcome.replaceAll('-', '_'))
  return new DeployFailure({
    code,
    step: 'rollout',
    service,
    message,
    hint: found?.hint ?? 'Look at the services of the server.',
  })
}

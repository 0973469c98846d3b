import type { DeploymentErrorCode } from '@slipway/contract/deployment-errors'
import type { Outcome, TaskFailure } from '../../../drivers/runtime/rollout/outcome.ts'
import type { Listening } from '../../../drivers/runtime/watch/listening.ts'
import { DeployFailure } from '../rows/failure.ts'

type Words = { code: DeploymentErrorCode; message: string; hint: string }
type Tell = (cause: TaskFailure, outcome: Outcome) => Words

const isSaid = (line: string) => line.trim() !== ''

/** How runtimes begin the line that says why; a trace, a version or a note about the trace comes behind it. */
const SAYS_WHY =
  /^\s*(?:uncaught |unhandled |caused by: |exception in thread "[^"]*" )*(?:[\w$.]*(?:error|exception|panic|fatal)(?:[\s:[(]|$)|thread '[^']*' panicked)/i

/** The last line that says why, else the last one at all. */
const tellingLine = (lines: string[]) => lines.findLast((line) => SAYS_WHY.test(line)) ?? lines.findLast(isSaid)

function quoted(lines: string[]): string {
  const line = tellingLine(lines)
  if (line === undefined) return 'It printed nothing.'
  return `${line === lines.findLast(isSaid) ? 'Its last line' : 'It said'}: ${line.trim().slice(0, 300)}`
}

/** Why a service does not run, by what the engine's tasks show. */
const CAUSES: Record<TaskFailure['reason'], Tell> = {
  exit: ({ detail, exitCode, lines }, { failures }) => {
    const how =
      exitCode === null ? `ended: ${detail}` : exitCode > 128 ? signalled(exitCode) : `ended with code ${exitCode}`
    const times = failures > 1 ? `, ${failures} times in a row` : ''
    return {
      code: 'crashed',
      message: `The service ${how}${times}. ${quoted(lines)}`,
      hint: exitHint(exitCode, lines.some(isSaid)),
    }
  },
  'cannot-start': ({ detail }) => ({
    code: 'cannot_start',
    message: `The program of the service cannot be started: ${detail}.`,
    hint: /format/i.test(detail)
      ? 'The program is built for another kind of machine: use an image for the platform of the server.'
      : 'Check `command` of the service and the CMD and ENTRYPOINT of its image: the program must be in the image and executable.',
  }),
  'out-of-memory': ({ detail }) => ({
    code: 'out_of_memory',
    message: `The service used more memory than it may and was ended: ${inMib(detail)}.`,
    hint: 'Raise memoryMb of the service, or look for what takes the memory.',
  }),
  'port-closed': ({ listening }) => ({
    code: 'port_not_listening',
    ...aboutPorts(listening ?? { expected: 0, open: [] }),
  }),
  'health-check': ({ detail }) => ({
    code: 'unhealthy',
    message: `The health check did not pass: ${detail === '' ? 'it said nothing' : detail}.`,
    hint: 'Check the path and port of the health check, and what the service needs to answer it.',
  }),
  'image-missing': ({ detail }) => ({
    code: 'image_not_found',
    message: `The image cannot be found: ${detail}.`,
    hint: 'Check its name, and that the server may read it.',
  }),
  'disk-full': ({ detail }) => ({
    code: 'disk_full',
    message: `The disk of the server is full: ${detail}.`,
    hint: 'Free some space on the server: old images and build cache are the first to look at.',
  }),
  'no-resources': ({ detail }) => ({
    code: 'no_resources',
    message: `The server has not enough memory or CPU: ${detail}.`,
    hint: 'Lower what the service asks for, or use a larger server.',
  }),
  'no-suitable-node': ({ detail }) => ({
    code: 'no_node',
    message: `No machine can run it: ${detail}.`,
    hint: 'Check the server: POST /api/servers/:id/check says what is wrong with it.',
  }),
  'port-taken': ({ detail }) => ({
    code: 'port_taken',
    message: `A port is in use: ${detail}.`,
    hint: 'Stop what uses it, or choose another port.',
  }),
  'engine-restart': ({ detail }) => ({
    code: 'engine_restarted',
    message: `The engine was restarted, and the service did not come back: ${detail}.`,
    hint: 'Deploy again.',
  }),
  'network-stuck': ({ detail }) => ({
    code: 'network_stuck',
    message: `What the engine left behind when it was restarted blocks the network of the service: ${detail}.`,
    hint: 'The platform clears it within a minute: deploy again then. If it does not, delete the link that begins with vx- on the server (`ip link`), or boot it.',
  }),
  rejected: ({ detail }) => ({
    code: 'spec_refused',
    message: `The engine refused to start it: ${detail}.`,
    hint: 'The message names the setting that is wrong.',
  }),
  timeout: ({ detail }) => ({
    code: 'rollout_timeout',
    message: `The rollout did not end in time: ${detail}.`,
    hint: 'Look at the engine of the server.',
  }),
  'no-answer': ({ detail }) => ({
    code: 'server_unreachable',
    message: `The server has not answered for minutes: ${detail}`,
    hint: 'Check that the server and its engine are running and can be reached, then deploy again.',
  }),
}

/** Where no task failed: what became of the service as a whole. */
function withoutCause({ outcome, restored, message }: Outcome): Words {
  if (outcome === 'superseded') {
    const now = restored === null ? 'something that Slipway did not make' : `the deployment ${restored}`
    return {
      code: 'changed_outside',
      message: `Something else changed the service during the rollout; it is ${now} now.`,
      hint: 'Leave the service to Slipway, and deploy again.',
    }
  }
  if (outcome === 'removed') {
    return {
      code: 'removed_outside',
      message: 'Something else removed the service during the rollout.',
      hint: 'Leave the service to Slipway, and deploy again.',
    }
  }
  const said = message ?? 'it gave no reason'
  const hint = 'Look at the services of the server, and deploy again.'
  if (outcome === 'paused') return { code: 'rollout_paused', message: `The engine stopped the rollout: ${said}.`, hint }
  return { code: 'rollout_timeout', message: `The rollout ended as ${outcome}: ${said}.`, hint }
}

export function explainRollout(outcome: Outcome, service: string, job = false): DeployFailure {
  const foreign = outcome.outcome === 'superseded' || outcome.outcome === 'removed'
  const words = outcome.cause && !foreign ? CAUSES[outcome.cause.reason](outcome.cause, outcome) : withoutCause(outcome)
  const code = outcome.outcome === 'unstable' && words.code === 'crashed' ? 'unstable' : words.code
  const hint = job && words.code === 'crashed' ? jobHint(outcome) : words.hint
  const line = words.code === 'crashed' ? tellingLine(outcome.cause?.lines ?? []) : undefined
  return new DeployFailure({ ...words, hint, code, step: 'rollout', service }, { shownBy: { step: 'rollout', line } })
}

function jobHint({ cause }: Outcome): string {
  const saidWhy = cause?.lines.some((line) => line.trim() !== '')
  const why = saidWhy ? 'Its last lines in the log show why.' : 'Let it print why it ends.'
  return `${why} A job must end with code 0 before those that wait for it can start.`
}

function aboutPorts({ expected, open }: Listening): Pick<Words, 'message' | 'hint'> {
  const own = open.find(({ port }) => port === expected)
  const others = open.filter(({ port }) => port !== expected)
  const [reachable] = others.filter(({ local }) => !local)
  if (own) {
    return {
      message: `Port ${expected} is open only inside the container: the service listens on 127.0.0.1.`,
      hint: 'Let it listen on 0.0.0.0, so that others can reach it; many programs have a setting HOST for this.',
    }
  }
  const list = others.map(({ port, local }) => `${port}${local ? ' (127.0.0.1 only)' : ''}`).join(', ')
  const what = others.length === 0 ? 'The service listens on no port at all' : `The service listens on ${list}`
  return {
    message: `Nothing listens on port ${expected}. ${what}; the platform expects ${expected}.`,
    hint: `Let it listen on 0.0.0.0 and the port in the variable PORT (${expected})${
      reachable ? `, or set \`port\` of the service to ${reachable.port}` : ''
    }.`,
  }
}

function signalled(exitCode: number): string {
  const names: Record<number, string> = {
    2: 'SIGINT',
    4: 'SIGILL',
    6: 'SIGABRT',
    9: 'SIGKILL',
    11: 'SIGSEGV',
    15: 'SIGTERM',
  }
  const number = exitCode - 128
  return `was ended by signal ${number}${names[number] ? ` (${names[number]})` : ''}`
}

function exitHint(exitCode: number | null, saidWhy: boolean): string {
  if (exitCode === 0) return 'A service must keep running: it ended without an error, as if its work were done.'
  if (exitCode === 126 || exitCode === 127)
    return 'A command was not found or may not be run: check `command` of the service and its image.'
  if (exitCode === 137 || exitCode === 143) {
    return 'Something else on the server ended it: a person, another program, or the machine for want of memory.'
  }
  const why = saidWhy
    ? 'Its last lines in the log show why.'
    : 'Let it print why it ends, or start the image with the same variables on a machine of yours and look.'
  return `${why} A service must keep running and listen on its port.`
}

/** "limit 67108864 bytes" as people say it. */
const inMib = (detail: string) =>
  detail.replace(/(\d+) bytes/, (_, bytes) => `${Math.round(Number(bytes) / 1048576)} MiB`)

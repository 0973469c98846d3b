import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Call, Command } from '../../command.ts'
import { EXIT } from '../../failure.ts'
import { linesAround } from '../../follow/lines-around.ts'
import { followRuntime } from '../../follow/runtime-logs.ts'
import { deploymentOf, isNumber } from '../../instance/deployment.ts'
import type { Instance } from '../../instance/instance.ts'
import { columns } from '../../show/columns.ts'
import { logLine } from '../../show/log-line.ts'

type Flags = {
  follow: boolean
  build: boolean
  service: string | undefined
  at: number | undefined
  limit: number | undefined
}

const USUAL = 100
/** Most that the API gives in one answer. */
const PAGE = 5000
const AROUND = 20

export const logs: Command<'logs'> = async (call) => {
  const { flags, words } = call
  const [word] = words
  const isId = word !== undefined && (word.startsWith('dep_') || isNumber(word))
  const service = flags.service ?? (isId ? undefined : word)
  const instance = await call.instance()
  const deployment = await deploymentOf(call, instance, isId ? word : undefined, 'active')
  if (flags.at !== undefined) return around(call, instance, deployment, flags.at)
  if (flags.build) return recorded(call, instance, deployment, service)
  if (flags.follow) return followRuntime(call, instance, deployment, { service, limit: flags.limit ?? USUAL })
  return printed(call, instance, deployment, service)
}

async function around(call: Call<Flags>, instance: Instance, { id }: Deployment, at: number): Promise<number> {
  const data = await linesAround(instance, id, at, { before: AROUND, after: AROUND }, call.signal)
  const width = String(at + AROUND).length
  call.out.result({ data }, () =>
    data.map(({ seq, line }) => `${seq === at ? '→' : ' '} ${String(seq).padStart(width)} │ ${line}`),
  )
  return EXIT.ok
}

/** What the services printed last, as the engine has it. */
async function printed(
  { out, flags }: Call<Flags>,
  { api }: Instance,
  { id }: Deployment,
  service: string | undefined,
): Promise<number> {
  const query = {
    kind: 'runtime' as const,
    limit: Math.min(flags.limit ?? USUAL, PAGE),
    ...(service !== undefined && { service }),
  }
  const answer = await api.deployments.logs({ params: { id }, query })
  if (!('data' in answer)) return EXIT.unexpected
  out.result({ data: answer.data }, () => answer.data.map((line) => logLine(out, line)))
  if (answer.data.length === 0) out.say('It has printed nothing.')
  return EXIT.ok
}

/** What was recorded of the build and the rollout: page by page, so that any length fits into memory. */
async function recorded(
  { out, flags }: Call<Flags>,
  { api }: Instance,
  { id, steps }: Deployment,
  service: string | undefined,
): Promise<number> {
  let left = flags.limit ?? Number.POSITIVE_INFINITY
  let cursor: string | null = null
  let lines = 0
  do {
    const query = {
      limit: Math.min(left, PAGE),
      ...(cursor !== null && { cursor }),
      ...(service !== undefined && { service }),
    }
    const answer = await api.deployments.logs({ params: { id }, query })
    if (!('data' in answer)) return EXIT.unexpected
    for (const line of answer.data) {
      out.event({ event: 'log', ...line })
      out.line(logLine(out, line))
    }
    left -= answer.data.length
    lines += answer.data.length
    cursor = answer.nextCursor
  } while (cursor !== null && left > 0)
  if (lines === 0) for (const line of unspoken(steps)) out.say(line)
  out.event({ success: true, deploymentId: id, lines })
  return EXIT.ok
}

/** What was built before is taken from the cache, and prints nothing: what was done is told instead. */
const unspoken = (steps: Deployment['steps']): string[] => [
  steps.length === 0 ? 'It has printed nothing.' : 'It has printed nothing; what it did:',
  ...columns(steps.map(({ name, status }) => [`  ${name}`, status])),
]

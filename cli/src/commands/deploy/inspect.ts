import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Command } from '../../command.ts'
import { linesAround } from '../../follow/lines-around.ts'
import { deploymentOf } from '../../instance/deployment.ts'
import { columns } from '../../show/columns.ts'
import { failureCard, sourceWords, statusColour, statusWords, tookMs, waitingCard } from '../../show/deployment.ts'
import type { Output } from '../../show/output.ts'
import { duration, since } from '../../show/words.ts'

export const inspect: Command<'inspect'> = async (call) => {
  const { out } = call
  const instance = await call.instance()
  const found = await deploymentOf(call, instance, call.words[0], 'active')
  // A list leaves out what is dear: the plan.
  const deployment = await instance.api.deployments.show({ params: { id: found.id } })
  const at = deployment.error?.logSeq ?? null
  const lines =
    at === null || out.json ? [] : await linesAround(instance, deployment.id, at, { before: 4, after: 0 }, call.signal)
  out.result(deployment, () => [...about(out, deployment), ...ending(out, deployment, lines)])
}

function about(out: Output, deployment: Deployment): string[] {
  const { number, id, active, pinned, source, message, createdBy, timing, services, steps, urls, unknown } = deployment
  const marks = [active && 'active', pinned && 'pinned'].filter(Boolean).join(', ')
  return [
    `${out.paint('bold', `#${number}`)} ${statusColour(out, deployment, statusWords(deployment))}${marks ? `  ${marks}` : ''}  ${out.paint('dim', id)}`,
    ...(message ? [`  ${out.paint('bold', message)}`] : []),
    `  ${sourceWords(source)}, by ${byWords(createdBy)}, ${since(timing.createdAt)} ago, took ${duration(tookMs(deployment)) || 'nothing yet'}`,
    ...(unknown ? [`${out.paint('yellow', '!')} ${unknown.reason}`, `  ${unknown.hint}`] : []),
    '',
    ...columns(
      services.map((one) => [
        `  ${one.name}`,
        one.status,
        `${one.replicas}×`,
        one.image ?? '',
        one.digest?.slice(0, 19) ?? '',
      ]),
    ),
    ...(steps.length > 0 ? ['', ...columns(steps.map((one) => [`  ${one.name}`, one.status, took(one)]))] : []),
    ...(urls.length > 0 ? ['', ...urls.map((url) => `  ${url}`)] : []),
  ]
}

const byWords = ({ name, client }: Deployment['createdBy']) => (client ? `${name} (${client})` : name)

const took = ({ startedAt, finishedAt }: Deployment['steps'][number]) =>
  finishedAt === null ? '' : duration(Date.parse(finishedAt) - Date.parse(startedAt))

function ending(out: Output, deployment: Deployment, lines: { seq: number; line: string }[]): string[] {
  if (deployment.waitingOn) return ['', ...waitingCard(out, deployment)]
  return deployment.error ? ['', ...failureCard(out, deployment, { lines, serving: null })] : []
}

import type { Attention } from '@slipway/contract/overview'
import type { Command } from '../../command.ts'
import { EXIT } from '../../failure.ts'
import { since } from '../../show/words.ts'

/** What needs somebody: deployments that wait or failed last, and servers that are not well. Exit code 6 if there is any. */
export const status: Command<'status'> = async (call) => {
  const { out } = call
  const { api } = await call.instance()
  const overview = await api.deployments.overview()
  const { projects, servers, deployments, attention } = overview
  const underWay = deployments.queued + deployments.running
  out.result({ success: true, ...overview }, () => [
    ...attention.map(
      (one) =>
        `${out.paint('yellow', '!')} ${whatOf(one)}  ${one.message} ${since(one.since)} ago  ${out.paint('dim', commandFor(one))}`,
    ),
    `${projects.serving} of ${projects.total} projects serve, ${servers.total} servers, ${underWay} under way`,
  ])
  return attention.length === 0 ? EXIT.ok : EXIT.actionRequired
}

const whatOf = ({ project, deployment, server }: Attention) =>
  server?.name ?? `${project?.name ?? ''} #${deployment?.number ?? ''}`

const commandFor = ({ deployment, server }: Attention) =>
  server ? `slipway servers check ${server.name}` : `slipway inspect ${deployment?.id ?? ''}`

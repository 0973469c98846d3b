import type { Command } from '../../command.ts'
import { EXIT } from '../../failure.ts'
import { listed } from '../../instance/pages.ts'
import { statusWords } from '../../show/deployment.ts'
import { since } from '../../show/words.ts'

const NEWEST = 100

/** What needs somebody: deployments that wait or failed last, and servers that are not well. Exit code 6 if there is any. */
export const status: Command<'status'> = async (call) => {
  const { out } = call
  const { api } = await call.instance()
  const [projects, deployments, servers] = await Promise.all([
    listed((query) => api.projects.list({ query })),
    listed((query) => api.deployments.list({ query }), NEWEST),
    listed((query) => api.servers.list({ query })),
  ])
  const names = new Map(projects.map(({ id, name }) => [id, name]))
  const newest = deployments.filter(
    ({ projectId }, at) => deployments.findIndex((one) => one.projectId === projectId) === at,
  )
  const attention = [
    ...newest
      .filter((one) => one.waitingOn || one.status === 'failed' || one.unknown)
      .map((one) => ({
        kind: one.waitingOn ? 'waits' : 'failed',
        what: `${names.get(one.projectId) ?? one.projectId} #${one.number}`,
        found: `${statusWords(one)}, ${since(one.timing.createdAt)} ago`,
        command: `slipway inspect ${one.id}`,
      })),
    ...servers
      .filter(({ lastReport }) => lastReport?.ok === false)
      .map(({ name }) => ({
        kind: 'server',
        what: name,
        found: 'is not well',
        command: `slipway servers check ${name}`,
      })),
  ]
  const underWay = deployments.filter((one) => ['queued', 'building', 'deploying'].includes(one.status)).length
  out.result({ success: true, projects: projects.length, servers: servers.length, underWay, attention }, () => [
    ...attention.map(
      ({ what, found, command }) => `${out.paint('yellow', '!')} ${what}  ${found}  ${out.paint('dim', command)}`,
    ),
    `${projects.length} projects, ${servers.length} servers, ${underWay} under way`,
  ])
  return attention.length === 0 ? EXIT.ok : EXIT.actionRequired
}

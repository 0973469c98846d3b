import { deployments } from '@slipway/contract/deployments'
import { followEvents } from '../../core/deployments/events/follow.ts'
import { openLogs, readLogs } from '../../core/deployments/events/logs.ts'
import { followProjectLogs, readProjectLogs } from '../../core/deployments/events/project-logs.ts'
import { showDeployment } from '../../core/deployments/verbs/show.ts'
import { waitForDeployment } from '../../core/deployments/verbs/wait.ts'
import type { Platform } from '../../core/platform.ts'
import { aborted } from '../abort-on-disconnect.ts'
import { resumePoint } from '../event-stream.ts'
import { gzippedFor, lineSeen, linesAs } from '../log-stream.ts'
import type { Streams } from '../open-streams.ts'
import { on, type Route } from '../route.ts'

/** What stays open while somebody watches. */
export const watchingRoutes = (platform: Platform, stream: Streams): Route[] => [
  on(deployments.projectLogs, async ({ caller, params, query, request, reply }) => {
    const gone = aborted(reply)
    const follow = query.follow === 'true'
    if (query.format === 'json' && !follow) return readProjectLogs(platform, caller, params.id, query, gone)
    await stream.open({ caller, target: { project: params.id } }, async (send) => {
      const wanted = { ...query, after: lineSeen(request) }
      const lines = follow
        ? await followProjectLogs(platform, caller, params.id, wanted, gone)
        : atOnce((await readProjectLogs(platform, caller, params.id, query, gone)).data)
      await send(reply, ...linesAs(query.format, follow, lines))
    })
    return null
  }),
  on(deployments.show, ({ caller, params: { id }, query: { wait }, reply }) =>
    wait === undefined
      ? showDeployment(platform, caller, id)
      : stream.open({ caller, target: { deployment: id } }, () =>
          waitForDeployment(platform, caller, id, { seconds: wait, signal: aborted(reply) }),
        ),
  ),
  on(deployments.logs, async ({ caller, params, query, request, reply }) => {
    const gone = aborted(reply)
    const follow = query.follow === 'true'
    if (query.format === 'json' && !follow) return readLogs(platform, caller, params.id, query, gone)
    const wanted = { ...query, follow, after: lineSeen(request) }
    await stream.open({ caller, target: { deployment: params.id } }, async (send) => {
      const lines = await openLogs(platform, caller, params.id, wanted, gone)
      const [source, kind] = linesAs(query.format, follow, lines)
      await send(reply, kind === 'rows' ? gzippedFor(request, reply, source) : source, kind)
    })
    return null
  }),
  on(deployments.stream, ({ caller, params, query, request, reply }) =>
    stream.open({ caller, target: { deployment: params.id } }, async (send) => {
      const since = resumePoint(request, query.since)
      const follow = await stream.inLine(() => followEvents(platform, caller, params.id, since))
      if (follow === null) return void reply.code(204).send()
      await send(reply, follow)
    }),
  ),
]

const atOnce = <T>(all: T[]) =>
  async function* () {
    yield all
  }

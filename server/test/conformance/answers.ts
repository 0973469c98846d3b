import {
  again,
  create,
  entries,
  events,
  gates,
  prepare,
  running,
  runningLogs,
  states,
  stream,
  usage,
  verbs,
} from './files.ts'
import type { Shown } from './statement.ts'

const GATED = gates('nothing is built before the build is approved, and nothing changes before the release is')
const SHOWN = states('a deployment is shown with its state, addresses, timing and, when it failed, why')
const LISTED = 'GET /api/deployments'

/** What deployments are answered with, where the interface says “not shown”. */
export const ANSWERS: Shown[] = [
  {
    id: 'answer.deployment',
    route: 'GET /api/deployments/:id',
    says: 'has every field of a deployment.',
    tests: [SHOWN],
  },
  {
    id: 'answer.list',
    route: LISTED,
    says: 'answers `{data, nextCursor}`, newest first.',
    tests: [create(LISTED, 'lists the deployments of the organization, newest first, by pages')],
  },
  {
    id: 'answer.list-filters',
    route: LISTED,
    says: 'filters by `status` and `branch`, too.',
    tests: [create(LISTED, 'lists those of a status or of a branch when they are asked for')],
  },
  {
    id: 'answer.logs-text',
    route: 'GET /api/deployments/:id/logs',
    says: 'is text with `format=text`, of one service with `service`.',
    tests: [
      events('the log', 'is text when it is asked for, whole or up to a limit'),
      events('the log', 'shows the lines of one service, and looks no further for them than is reasonable'),
      runningLogs('what a service prints', 'is followed as text, and nothing stays behind when the reader leaves'),
    ],
  },
  {
    id: 'answer.stream-end',
    route: 'GET /api/deployments/:id/stream',
    says: 'ends with the deployment; asked again behind its end: 204.',
    tests: [
      verbs('events are numbered without gaps and end with the end'),
      stream('viewers', 'go on behind the newer of ?since and Last-Event-ID, and get nothing more after the end'),
    ],
  },
  {
    id: 'answer.build',
    route: 'GET /api/deployments/:id/build',
    says: 'tells status, step and prompt.',
    tests: [GATED],
  },
  {
    id: 'answer.prompts',
    route: 'POST /api/deployments/:id/build/respond',
    says: 'answers `approve_build` and `approve_release`; a build or release that waits for it does not go on.',
    tests: [GATED],
  },
  {
    id: 'answer.prompt-message',
    route: 'GET /api/deployments/:id/build',
    says: 'tells with a prompt what is asked and why.',
    tests: [verbs('a gate waits for its answer, holds no worker, and can be declined')],
  },
  {
    id: 'answer.again',
    says: 'Redeploy and rollback answer with the new deployment as it begins.',
    tests: [again('redeploy and rollback answer with the deployment as it begins')],
  },
  {
    id: 'answer.info',
    route: 'GET /api/deployments/:id/info',
    says: 'tells of each container its image, state, health, networks, ports and volumes.',
    tests: [
      running('what runs', 'each task is told with its place, health, networks and volumes'),
      entries(
        'services run as build/access describes them: image, build, Dockerfile, ports, order, environment and volumes',
      ),
    ],
  },
  {
    id: 'answer.usage',
    route: 'GET /api/deployments/:id/usage',
    says: 'tells processor time in percent of the limit, or of one core, and memory without caches.',
    tests: [
      running('what runs', 'usage is of the limit, and memory is without the file cache'),
      usage('without a limit, 100 percent is one core'),
      usage('with a limit, 100 percent is the limit'),
    ],
  },
  {
    id: 'answer.prepare',
    route: 'POST /api/deployments/prepare',
    says: 'names the services of a compose file or of a monorepo, and says what it looked for where there is nothing.',
    tests: [
      prepare('200', 'names the services of a compose file'),
      prepare('200', 'names each part of a monorepo, with a Dockerfile of its own; or only the one that is asked for'),
      prepare('400', 'a source in which there is nothing to build says what was looked for'),
    ],
  },
]

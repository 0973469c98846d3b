import {
  again,
  compose,
  decide,
  decision,
  diff,
  events,
  git,
  journey,
  overview,
  pendingHttp,
  pendingLab,
  preview,
  previewRefused,
  projectLogs,
  putBack,
  queue,
  runningLogs,
  serving,
  states,
  steps,
  stream,
  verbs,
  watching,
} from './files.ts'
import type { Shown } from './statement.ts'

const BUILT = git(
  'a linked project is built from its branch or the one named; again from the latest commit, or from the same',
)
const JOURNEY = journey(
  'a folder becomes a running, routed service; a change goes live; a rollback brings the old one back without a build',
)
const STACK = compose(
  'a compose file becomes one release: unchanged services stay, a failing one asks, and both answers hold',
)
const CANCELLED = verbs('a build is cancelled within seconds, and cancelling twice or after the end is refused')
const GATE = verbs('a gate waits for its answer, holds no worker, and can be declined')
const not = (name: string) => states('what cannot be done in this state → 400', name)

const READ: Shown[] = [
  {
    id: 'show.one',
    route: 'GET /api/deployments/:id',
    says: 'tells status, addresses, timing and error summary.',
    tests: [states('a deployment is shown with its state, addresses, timing and, when it failed, why'), JOURNEY],
  },
  {
    id: 'show.wait',
    route: 'GET /api/deployments/:id',
    says: 'waits, with `wait`, for its end or until it waits for somebody.',
    tests: [
      watching('?wait=', 'answers when it ends'),
      watching('?wait=', 'answers at once when it has ended, and when it waits for somebody'),
    ],
  },
  {
    id: 'show.said',
    route: 'GET /api/deployments/:id',
    says: 'tells what whoever began it said, and with which program.',
    tests: [
      watching('what whoever began it said', 'is shown with it and in lists, and not repeated by a redeployment'),
      watching('the program that began it', '%s is shown as %s'),
    ],
  },
  {
    id: 'show.queue',
    route: 'GET /api/deployments/:id',
    says: 'tells of one that has not begun what its project does before it.',
    tests: [
      queue('one behind a deployment that is %s says which, and counts what else goes first'),
      queue('nothing of other projects or organizations is told'),
    ],
  },
  {
    id: 'list.number',
    route: 'GET /api/deployments',
    says: 'finds one by its number within the project, and the one that serves.',
    tests: [
      watching('a deployment by its number', 'is found within its project, for whoever may see that'),
      watching('a deployment by its number', 'so is the one that serves'),
    ],
  },
  {
    id: 'logs.project',
    route: 'GET /api/projects/:id/logs',
    says: 'tells what serves, and goes over to the release that takes the place.',
    tests: [
      projectLogs('who follows them goes over to the release that takes the place, and is told so'),
      projectLogs('who comes back after a release was replaced gets what the former one printed meanwhile'),
      runningLogs('what serves for a project is followed over a deployment, and nothing of the new one is missed'),
    ],
  },
  {
    id: 'diff.tells',
    route: 'GET /api/deployments/:id/diff',
    says: 'tells what is different in another release of the project, and no value of a variable.',
    tests: [
      diff('of two that are named, of one and what serves, and of what serves and the one before'),
      diff('one that never came to a release, one of another project and one of another organization are refused'),
    ],
  },
  {
    id: 'pending-changes.tell',
    route: 'GET /api/projects/:id/pending-changes',
    says: 'tells the variables that the active release was not made with, by name and never by value.',
    tests: [
      pendingHttp('what was set or removed since the release was frozen is told by name, and no value of it'),
      pendingHttp('where nothing serves nothing is pending, and of a release of old it is not known'),
      pendingLab('a change waits for the next deployment, and after a way back what serves lacks it again'),
    ],
  },
  {
    id: 'serving.tells',
    route: 'GET /api/projects/:id/serving',
    says: 'tells what runs per service as the engine says; where that cannot be asked, what it said last and when.',
    tests: [
      serving('each service is told with the deployment whose form the engine runs, and whether the release has it so'),
      serving(
        'a hundred who look at once cost one question, and an engine that is away leaves what it said last, with its time',
      ),
      serving(
        'what was never deployed asks nobody, of a project in the cloud nothing is known here, and a foreign one is not there',
      ),
    ],
  },
  {
    id: 'decision.tells',
    route: 'GET /api/deployments/:id/decision',
    says: 'tells per service what came up and what keep and reject would leave; 409 where nothing waits for a decision.',
    tests: [
      decision('per service it is told what came up, and what there would be when it is kept and when it is rejected'),
      decision('where its successor did not come up, what it was to replace stays when that is kept'),
      decision('where nothing waits for a decision there is none to be told of: 409; of another organization: 404'),
    ],
  },
  {
    id: 'overview.tells',
    route: 'GET /api/overview',
    says: 'tells how many serve, run and wait, and what needs somebody.',
    tests: [
      overview('what serves, runs, waits, failed, cannot be known or is not well is told, and nothing of others'),
      overview(
        'a failure that was mended by a newer deployment needs nobody, and a token of one project sees that one alone',
      ),
    ],
  },
  {
    id: 'logs.recorded',
    route: 'GET /api/deployments/:id/logs',
    says: 'tells what was recorded of the build, as data or as text.',
    tests: [
      events('the log', 'is text when it is asked for, whole or up to a limit'),
      events('the log', 'shows the lines of one service, and looks no further for them than is reasonable'),
    ],
  },
  {
    id: 'logs.runtime',
    route: 'GET /api/deployments/:id/logs',
    says: 'tells what its services print, with `kind=runtime`.',
    tests: [runningLogs('what a service prints', 'is read from the engine, without the values of variables')],
  },
  {
    id: 'stream.events',
    route: 'GET /api/deployments/:id/stream',
    says: 'is a feed of server-sent events of the build while it runs.',
    tests: [stream('viewers', 'who come at any time and from any point see the same, whole and in order')],
  },
  {
    id: 'stream.numbered',
    route: 'GET /api/deployments/:id/stream',
    says: 'numbers its events, without a gap, to the end.',
    tests: [verbs('events are numbered without gaps and end with the end')],
  },
  {
    id: 'stream.since',
    route: 'GET /api/deployments/:id/stream',
    says: 'goes on behind `since`.',
    tests: [
      stream('viewers', 'go on behind the newer of ?since and Last-Event-ID, and get nothing more after the end'),
    ],
  },
  {
    id: 'build.status',
    route: 'GET /api/deployments/:id/build',
    says: 'tells how the build stands; of one that has ended no step runs.',
    tests: [
      CANCELLED,
      steps('a step runs only as long as its deployment does'),
      steps('the one that failed says why, and what was given up with it is not blamed'),
    ],
  },
  {
    id: 'info.containers',
    route: 'GET /api/deployments/:id/info',
    says: 'tells of its containers, and of no other deployment’s.',
    tests: [
      JOURNEY,
      decide('rejected, every service is again what it was before, and so is the active release'),
      putBack('a service that became a job, which failed, is put back'),
    ],
  },
  {
    id: 'usage.containers',
    route: 'GET /api/deployments/:id/usage',
    says: 'tells processor and memory of its containers, and of no other deployment’s.',
    tests: [JOURNEY, STACK],
  },
]

const ACT: Shown[] = [
  {
    id: 'build.start',
    route: 'POST /api/deployments/:id/build',
    says: 'starts the build of a queued deployment; of any other: 400.',
    tests: [states('a queued deployment is started when it is asked for'), not('starting the build of one that is %s')],
  },
  {
    id: 'respond.answer',
    route: 'POST /api/deployments/:id/build/respond',
    says: 'answers what the build waits for.',
    tests: [GATE],
  },
  {
    id: 'respond.refused',
    route: 'POST /api/deployments/:id/build/respond',
    says: 'where nothing is asked, something else is asked, or no answer is given: 400.',
    tests: [GATE, not('an answer where nothing was asked, and none where an answer is needed')],
  },
  {
    id: 'redeploy.latest',
    route: 'POST /api/deployments/:id/redeploy',
    says: 'builds the latest commit of the branch.',
    tests: [BUILT],
  },
  {
    id: 'redeploy.latest-of-any',
    route: 'POST /api/deployments/:id/redeploy',
    says: 'does so also of one that is a rollback, or was made of one exact commit.',
    tests: [again('redeploying what %s builds the latest commit')],
  },
  {
    id: 'redeploy.exact',
    route: 'POST /api/deployments/:id/redeploy',
    says: 'with `useExistingCommit` builds the very commit of that deployment.',
    tests: [BUILT, again('redeploying with useExistingCommit builds that commit again, and its message stays')],
  },
  {
    id: 'redeploy.no-commit',
    route: 'POST /api/deployments/:id/redeploy',
    says: 'with `useExistingCommit` where no commit was recorded: 400.',
    tests: [again('where no commit was ever recorded, useExistingCommit is refused')],
  },
  {
    id: 'rollback.restores',
    route: 'POST /api/deployments/:id/rollback',
    says: 'makes the release of that deployment the active one again.',
    tests: [JOURNEY, BUILT],
  },
  {
    id: 'rollback.refused',
    route: 'POST /api/deployments/:id/rollback',
    says: 'to what never was a release: 400.',
    tests: [not('restart of what is not the active release, and rollback to what never was one')],
  },
  {
    id: 'rollback-plan.tells',
    route: 'GET /api/deployments/:id/rollback-plan',
    says: 'tells what a rollback would replace, remove, route and interrupt, and changes nothing.',
    tests: [
      preview(
        'a rollback is told before it is made: what it replaces, removes and interrupts; and nothing happens by asking',
      ),
    ],
  },
  {
    id: 'rollback-plan.refused',
    route: 'GET /api/deployments/:id/rollback-plan',
    says: 'of what cannot be rolled back to: 400; of what another organization has: 404.',
    tests: [
      previewRefused('what cannot be rolled back to has no rollback plan: 400'),
      previewRefused('a deployment of another organization and one that does not exist have no rollback plan: 404'),
    ],
  },
  {
    id: 'pin.type',
    route: 'POST /api/deployments/:id/pin',
    says: 'takes true and false alone, and only what was a release.',
    tests: [states('pin', 'takes nothing but true and false, and no deployment that never was a release')],
  },
  {
    id: 'cancel.running',
    route: 'POST /api/deployments/:id/cancel',
    says: 'stops one that is under way, or waits.',
    tests: [CANCELLED, GATE],
  },
  {
    id: 'restart.containers',
    route: 'POST /api/deployments/:id/restart',
    says: 'replaces the running containers.',
    tests: [verbs('a restart comes in its turn, replaces the containers, and ends as their engine says')],
  },
  {
    id: 'restart.refused',
    route: 'POST /api/deployments/:id/restart',
    says: 'of what is not the active release: 400.',
    tests: [not('restart of what is not the active release, and rollback to what never was one')],
  },
  {
    id: 'delete.one',
    route: 'DELETE /api/deployments/:id',
    says: 'deletes it; then it is not there any more. The active release goes only when forced.',
    tests: [
      not('deleting the active release, unless it is forced'),
      verbs(
        'removing the active release takes its routes and network along, and a deleted project its images and folders',
      ),
    ],
  },
]

/** The routes of one deployment. */
export const DEPLOYMENT_VERBS: Shown[] = [...READ, ...ACT]

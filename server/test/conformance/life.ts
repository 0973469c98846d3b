import { compose, decide, entries, gates, moved, states, truth, verbs } from './files.ts'
import type { Shown } from './statement.ts'

const STACK = compose(
  'a compose file becomes one release: unchanged services stay, a failing one asks, and both answers hold',
)

/** How a deployment lives, where the interface says “not shown”. */
export const LIFE: Shown[] = [
  {
    id: 'life.superseded',
    says: 'Newer source for a project takes the place of older that waits: that one is `superseded`.',
    tests: [verbs('of deployments that wait, only the newest is run')],
  },
  {
    id: 'life.cancelled',
    says: 'What is cancelled, also while it waits for an answer, is `cancelled` within 5 seconds.',
    tests: [
      verbs('a build is cancelled within seconds, and cancelling twice or after the end is refused'),
      verbs('a gate waits for its answer, holds no worker, and can be declined'),
    ],
  },
  {
    id: 'life.unstable',
    says: 'A release that keeps dying while it is watched fails as `unstable`; the one before is active again.',
    tests: [
      gates('a release that keeps dying while it is watched fails as unstable, and the one before is active again'),
    ],
  },
  {
    id: 'life.single',
    says: 'A deployment of one service is never a partial failure.',
    tests: [truth('an application that %s fails in the right words, and the previous release keeps serving')],
  },
  {
    id: 'life.new-service',
    says: 'A service that was not there before and fails is removed.',
    tests: [decide('kept, what came up stays and the rest is of the version before; what was new and failed is gone')],
  },
  {
    id: 'life.rollback-pauses',
    route: 'POST /api/deployments/:id/rollback',
    says: 'is a deployment of its own, with trigger `rollback`, and pauses deploying by itself.',
    tests: [states('a rollback is a new deployment, and pauses deploying by itself')],
  },
  {
    id: 'life.kept-restart',
    route: 'POST /api/deployments/:id/restart',
    says: 'of a release that was kept in part leaves what is known of what failed.',
    tests: [STACK],
  },
  {
    id: 'life.unknown',
    says: 'An active release whose server has another engine than it was rolled out on is told as `unknown`, until it is deployed there.',
    tests: [moved('what another engine ran is told as unknown and left alone, until it is deployed on this one')],
  },
  {
    id: 'life.port-taken',
    says: 'A port of the server that somebody else has is told (`port_taken`), not asked about.',
    tests: [entries('a port of the server that another project has is refused, and the failure names it')],
  },
  {
    id: 'life.pins',
    says: 'At most ten deployments of a project are pinned.',
    tests: [states('pin', 'is for ten deployments of a project at most')],
  },
]

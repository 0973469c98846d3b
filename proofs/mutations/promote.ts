import type { Mutation } from './mutation.ts'

const PROMOTE = 'server/test/promote'

/** Of a project on its way to the hosted cloud. */
export const promote: Mutation[] = [
  {
    name: 'switched-before-it-is-ready',
    guards: 'bin/prove promote: the cloud is the target only after it is ready there',
    file: 'server/src/core/cloud/promote/deploy-step.ts',
    find: "if (!isOver(seen)) throw new NotYet('It has not ended yet.', LOOK_MS)\n    if (wasReleased(seen)) return",
    replace: 'if (!isOver(seen) || wasReleased(seen)) return',
    red: {
      test: `${PROMOTE}/promote.test.ts`,
      title:
        'a project is promoted with its source, settings and names; the cloud is its target when it is ready there',
    },
  },
]

import type { Mutation } from './mutation.ts'

const CLOUD = 'server/test/http/cloud'

/** What is passed on to a hosted cloud, and what is known here of what is there. */
export const forward: Mutation[] = [
  {
    name: 'lost-and-forgotten',
    guards: 'bin/prove forward: what a write has done there is known here',
    file: 'server/src/core/cloud/writes/note-write.ts',
    find: 'await writes.setLost(tx, write)',
    replace: 'await writes.end(tx, write)',
    red: {
      test: `${CLOUD}/lost-answers.test.ts`,
      title: 'that made a deployment there: it is found, and reached here by its id',
    },
  },
  {
    name: 'gone-says-the-gateway',
    guards: 'bin/prove forward: only the cloud itself says what it does not have',
    file: 'server/src/core/cloud/writes/note-write.ts',
    find: 'answer.status === 404 && isOwnWord(answer) &&',
    replace: 'answer.status === 404 && isOwnWord !== undefined &&',
    red: { test: `${CLOUD}/lost-answers.test.ts`, title: 'stays where a gateway says so' },
  },
  {
    name: 'places-for-the-first',
    guards: 'bin/prove forward: a cloud that hangs for one organization costs the others nothing',
    file: 'server/src/drivers/cloud-forward/lanes.ts',
    find: 'if (mine >= MOST[lane] - all[lane])',
    replace: 'if (all[lane] >= MOST[lane])',
    red: {
      test: 'server/src/drivers/cloud-forward/lanes.test.ts',
      title: 'one alone holds half of the places, and whoever comes next finds room',
    },
  },
]

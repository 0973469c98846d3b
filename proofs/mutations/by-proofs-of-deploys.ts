import type { Mutation } from './mutation.ts'

/** What proofs that deploy notice, each at its smallest size. */
export const byProofsOfDeploys: Mutation[] = [
  {
    name: 'rollback-builds-again',
    guards: 'bin/prove journey',
    file: 'server/src/core/deployments/story/deploy.ts',
    find: 'const { images } = gone.length > 0 ? await makeImages(context) : { images: {} }',
    replace: 'const { images } = gone.length >= 0 ? await makeImages(context) : { images: {} }',
    red: { prove: 'journey', says: /MISSED.*without a build/ },
  },
  {
    name: 'what-runs-is-superseded',
    guards: 'bin/prove queue',
    file: 'server/src/jobs/enqueue.ts',
    find: "and lane = ${lane} and status = 'queued' and kind = any(${kinds})",
    replace: "and lane = ${lane} and status in ('queued', 'running') and kind = any(${kinds})",
    red: { prove: 'queue', says: /^ {2}q-\d+: /, sizes: { SLIPWAY_QUEUE_PROJECTS: '4' } },
  },
  {
    name: 'every-service-is-changed',
    guards: 'bin/prove selective',
    file: 'server/src/core/deployments/release/unchanged.ts',
    find: "isDeepStrictEqual(plain({ ...now, deployment: '' }), plain({ ...old, deployment: '' })) ? old : spec",
    replace: 'isDeepStrictEqual(plain(now), plain(old)) ? old : spec',
    red: { prove: 'selective', says: /was touched/ },
  },
  {
    name: 'listens-inside-only-told-as-nothing',
    guards: 'bin/prove truth',
    file: 'server/src/core/deployments/converge/explain-rollout.ts',
    find: 'const own = open.find(({ port }) => port === expected)',
    replace: 'const own = open.find(({ port, local }) => port === expected && !local)',
    red: {
      prove: 'truth',
      says: /WRONG {2}over good: listens on localhost only/,
      sizes: { SLIPWAY_TRUTH_CASE: 'listens on localhost only' },
    },
  },
  {
    name: 'failed-deployment-green-at-the-host',
    guards: 'bin/prove push-journey',
    file: 'server/src/core/githost/push/report.ts',
    find: "failure: { state: 'failure', words: 'The deployment failed', deployment: 'failure' },",
    replace: "failure: { state: 'success', words: 'The deployment ended', deployment: 'failure' },",
    red: { prove: 'push-journey', says: /WRONG the failed version is red: success/ },
  },
  {
    name: 'scan-shows-a-value',
    guards: 'bin/prove scan-readonly',
    file: 'server/src/core/migration/describe.ts',
    find: 'environment: namesOf(first.run.environment.map(nameOf)),',
    replace: 'environment: namesOf(first.run.environment),',
    red: { prove: 'scan-readonly', says: /WRONG {2}no value of a variable/ },
  },
  {
    name: 'revoked-grant-still-opens',
    guards: 'bin/prove adopt',
    file: 'server/src/core/grants/store.ts',
    find: "    .where('projectId', '=', projectId)\n    .where('revokedAt', 'is', null)\n",
    replace: "    .where('projectId', '=', projectId)\n",
    red: {
      prove: 'adopt',
      says: /WRONG {2}after its grants were revoked/,
      sizes: { SLIPWAY_ADOPT_CHOICES: '1' },
    },
  },
  {
    name: 'example-does-not-answer',
    guards: 'bin/prove build-examples',
    file: 'server/src/source/build/stacks/static.ts',
    find: "fallback === 'spa' ? '  try_files {path} {path}.html /200.html /index.html' : '  try_files {path} {path}.html'",
    replace: "fallback === 'spa' ? '  try_files {path} {path}.html /200.html' : '  try_files {path} {path}.html'",
    red: { prove: 'build-examples', says: /WRONG static/, sizes: { SLIPWAY_EXAMPLES: '^static-spa$' } },
  },
]

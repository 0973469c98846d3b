import type { Mutation } from './mutation.ts'

/** What proofs that deploy notice, each at its smallest size. */
export const byProofsOfDeploys: Mutation[] = [
  {
    name: 'rollback-builds-again',
    guards: 'bin/prove journey',
    file: 'server/src/core/deployments/deploy.ts',
    find: 'const { images } = gone.length > 0 ? await makeImages(scene, step) : { images: {} }',
    replace: 'const { images } = gone.length >= 0 ? await makeImages(scene, step) : { images: {} }',
    red: { prove: 'journey', says: /MISSED.*without a build/ },
  },
  {
    name: 'example-does-not-answer',
    guards: 'bin/prove build-examples',
    file: 'server/src/core/build/stacks/static.ts',
    find: "fallback === 'spa' ? '  try_files {path} {path}.html /200.html /index.html' : '  try_files {path} {path}.html'",
    replace: "fallback === 'spa' ? '  try_files {path} {path}.html /200.html' : '  try_files {path} {path}.html'",
    red: { prove: 'build-examples', says: /WRONG static/, sizes: { SLIPWAY_EXAMPLES: '^static-spa$' } },
  },
]

import { defineConfig } from 'vitest/config'
import { testKinds } from './test-kit/kinds.ts'
import { temporaryFolder } from './test-kit/temporary-folder.ts'

const kinds = testKinds()
const database = ['test-kit/global-setup.ts']
/** Most of a test is waiting for an engine: more of them than there are processors go well together. */
const many = { maxWorkers: 4, sequence: { groupOrder: 0 } }
const few = { maxWorkers: 2, sequence: { groupOrder: 1 } }

export default defineConfig({
  resolve: { conditions: ['slipway-source', 'node'] },
  ssr: { resolve: { conditions: ['slipway-source', 'node'] } },
  test: {
    // A file after the other in one process: whoever loads all of the server anew for each spends half of the time on that.
    isolate: false,
    // What is waited for comes when the machine has time for it; how fast something is, is for the proofs to say.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 15_000 } },
    projects: [
      {
        extends: true,
        test: {
          ...many,
          name: 'unit',
          include: kinds.unit,
          globalSetup: ['test-kit/temporary-folder.ts'],
          env: { SLIPWAY_TEST_KIND: 'unit', SLIPWAY_TEST_DATABASE_URL: '', TMPDIR: temporaryFolder },
        },
      },
      {
        extends: true,
        test: {
          ...many,
          name: 'database',
          include: kinds.database,
          globalSetup: database,
          env: { SLIPWAY_TEST_KIND: 'database' },
        },
      },
      {
        extends: true,
        test: { ...many, name: 'lab', include: kinds.lab, globalSetup: database, env: { SLIPWAY_TEST_KIND: 'lab' } },
      },
      {
        extends: true,
        test: { ...few, name: 'quiet', include: kinds.quiet, globalSetup: database, env: { SLIPWAY_TEST_KIND: 'lab' } },
      },
    ],
  },
})

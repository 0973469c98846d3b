import { defineConfig } from 'vitest/config'
import { testKinds } from './test-kit/kinds.ts'

const kinds = testKinds()
const database = ['test-kit/global-setup.ts']

export default defineConfig({
  resolve: { conditions: ['slipway-source', 'node'] },
  ssr: { resolve: { conditions: ['slipway-source', 'node'] } },
  test: {
    maxWorkers: 2,
    // What is waited for comes when the machine has time for it; how fast something is, is for the proofs to say.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 15_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: kinds.unit,
          env: { SLIPWAY_TEST_KIND: 'unit', SLIPWAY_TEST_DATABASE_URL: '' },
        },
      },
      {
        extends: true,
        test: {
          name: 'database',
          include: kinds.database,
          globalSetup: database,
          env: { SLIPWAY_TEST_KIND: 'database' },
        },
      },
      {
        extends: true,
        test: { name: 'lab', include: kinds.lab, globalSetup: database, env: { SLIPWAY_TEST_KIND: 'lab' } },
      },
    ],
  },
})

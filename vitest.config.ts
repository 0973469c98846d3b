import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['slipway-source', 'node'] },
  ssr: { resolve: { conditions: ['slipway-source', 'node'] } },
  test: {
    include: ['{contract,server,cli,lab,e2e,tools}/**/*.test.ts'],
    globalSetup: ['server/test/global-setup.ts'],
    maxWorkers: 2,
    // What is waited for comes when the machine has time for it; how fast something is, is for the proofs to say.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
  },
})

import type { DeploymentService } from '@slipway/contract/deployment-shape'
import type { Story } from '../seed.ts'

/** As long as each may be, and without a space where a line could break. */
export const LONG_PROJECT = 'a-project-that-somebody-gave-the-longest-name-that-a-project-is-allowed-to-have0'
export const LONG_SERVER = 'a-server-with-a-name-that-nobody-would-type-but-somebody-did'
const LONG_SERVICE = 'a-service-whose-name-has-as-many-letters-as-names-of-hosts-have'
const LONG_MESSAGE = 'A name without any spaces_that_is_far_longer_than_anybody_would_ever_type_it_into_a_commit'
const MANY = 40

const service = (name: string): DeploymentService => ({
  ...{ name, status: 'healthy', image: null, digest: null, previousDigest: null, replicas: 1, error: null },
})

/** One project with the longest of everything, and with many services. */
export const LONGEST: Story = {
  [LONG_PROJECT]: [1, 2, 3].map((number) => ({
    number,
    agoMs: (4 - number) * 60_000,
    status: 'ready',
    active: number === 3,
    message: LONG_MESSAGE,
    commit: '0badc0de1',
    branch: 'a-branch-with-a-name-that-tells-the-whole-story-of-what-is-done-in-it',
    by: 'Wolfeschlegelsteinhausenbergerdorff',
    services: [service(LONG_SERVICE), ...Array.from({ length: MANY - 1 }, (_, n) => service(`part-${n + 1}`))],
    steps: [
      ['source', 1.2],
      [`build:${LONG_SERVICE}`, 30],
      [`rollout:${LONG_SERVICE}`, 7],
    ],
  })),
}

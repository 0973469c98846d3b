import { type Entry, flag, number, text } from './entry.ts'

const waiting = { 'no-wait': flag('begin it, and do not wait for its end') } as const
const ID = ['[id]'] as const

export const deploying = {
  deploy: {
    group: 'deploy',
    summary: 'Deploy a folder: only what changed is sent',
    words: ['[dir]'],
    flags: {
      ...waiting,
      wait: flag('wait for its end, and end as it ends; this is so unless --no-wait is said'),
      image: text('IMAGE', 'deploy an image instead of a folder'),
      branch: text('NAME', 'deploy the repository of the project at this branch instead of a folder'),
      server: text('ID', 'the server to deploy on, by name or id'),
      cloud: flag('promote the project to the hosted cloud that the organization is linked to, and deploy it there'),
      message: text('TEXT', 'what is new in it, for those who look at it later', 'm'),
      'include-env': flag('send .env files as well, which are left out otherwise'),
      'dry-run': flag('say which files would be sent, or what an image or a branch would replace, and do nothing'),
      verbose: flag('show what the build prints', 'v'),
    },
    example: 'slipway deploy --image registry.example.com/acme/shop@sha256:… --wait',
  },
  ls: {
    group: 'deploy',
    summary: 'Deployments of the project, newest first',
    flags: { all: flag('of every project', 'a'), limit: number('N', 'how many', 'n') },
  },
  inspect: { group: 'deploy', summary: 'One deployment: services, steps, addresses, why it failed', words: ID },
  logs: {
    group: 'deploy',
    summary: 'What its services print; with --build what its build printed',
    words: ['[id|service]'],
    flags: {
      follow: flag('go on with what comes, over deployments', 'f'),
      build: flag('of the build and the rollout'),
      service: text('NAME', 'of one service', 's'),
      at: number('N', 'of a build: around this line'),
      limit: number('N', 'at most so many lines', 'n'),
    },
    example: 'slipway logs -f web',
  },
  redeploy: {
    group: 'deploy',
    summary: 'Deploy the same source again',
    words: ID,
    flags: {
      ...waiting,
      'same-commit': flag('the same commit, not the newest of its branch'),
      verbose: flag('show what the build prints', 'v'),
    },
  },
  rollback: {
    group: 'deploy',
    summary: 'Go back to an earlier release; without an id, to the one before',
    words: ID,
    flags: {
      ...waiting,
      'dry-run': flag('say what would be replaced, removed and routed, and do nothing'),
      verbose: flag('show what the build prints', 'v'),
    },
    example: 'slipway rollback 41',
  },
  cancel: { group: 'deploy', summary: 'Stop a deployment that is under way', words: ID },
  restart: { group: 'deploy', summary: 'New containers of the active release, one service after the other', words: ID },
  pin: { group: 'deploy', summary: 'Keep a release from being cleared away', words: ID },
  unpin: { group: 'deploy', summary: 'Let a release be cleared away in its time', words: ID },
  rm: {
    group: 'deploy',
    summary: 'Delete a deployment; of the active one this stops its services',
    words: ['id'],
    flags: { force: flag('although it is active: its services stop') },
  },
  keep: { group: 'answers', summary: 'Of a release that came up in part, keep what came up', words: ID },
  reject: { group: 'answers', summary: 'Of a release that came up in part, take all of it back', words: ID },
  respond: {
    group: 'answers',
    summary: 'Answer a deployment that waits for approval',
    words: ['id', 'approve|reject'],
    example: 'slipway respond 44 approve',
  },
  ps: { group: 'running', summary: 'What runs now, task by task', words: ID },
  top: { group: 'running', summary: 'What the tasks use now', words: ID },
} as const satisfies Record<string, Entry>

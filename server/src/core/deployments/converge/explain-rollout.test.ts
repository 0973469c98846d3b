import { expect, test } from 'vitest'
import type { Outcome, TaskFailure } from '../../../drivers/runtime/rollout/outcome.ts'
import { explainBuild, type FailedBuild } from '../release/explain-build.ts'
import { explainRollout } from './explain-rollout.ts'

const cause = (more: Partial<TaskFailure>): TaskFailure => ({
  reason: 'exit',
  detail: '',
  taskId: 't',
  slot: 1,
  node: 'n',
  exitCode: null,
  listening: null,
  lines: [],
  ...more,
})
const failed = (more: Partial<Outcome>) =>
  explainRollout({ outcome: 'never-came-up', cause: null, failures: 1, restored: null, message: null, ...more }, 'web')
const rollout = (more: Partial<Outcome>) => failed(more).error
const ports = (expected: number, ...open: [port: number, local?: boolean][]) =>
  rollout({
    cause: cause({
      reason: 'port-closed',
      listening: { expected, open: open.map(([port, local = false]) => ({ port, local })) },
    }),
  })

test('ports: which one is expected, which ones are open, and what to set', () => {
  expect(ports(3000)).toMatchObject({ code: 'port_not_listening', step: 'rollout', service: 'web' })
  expect(ports(3000).message).toBe(
    'Nothing listens on port 3000. The service listens on no port at all; the platform expects 3000.',
  )
  const other = ports(3000, [9229, true], [9999])
  expect(other.message).toContain('listens on 9229 (127.0.0.1 only), 9999; the platform expects 3000')
  expect(other.hint).toContain('0.0.0.0')
  expect(other.hint).toContain('PORT (3000), or set `port` of the service to 9999')
  expect(ports(3000, [3000, true]).message).toBe(
    'Port 3000 is open only inside the container: the service listens on 127.0.0.1.',
  )
  expect(ports(3000, [4000, true]).hint).not.toContain('set `port`')
})

test('a crash that printed nothing is not sent to lines that are not there', () => {
  const silent = rollout({ cause: cause({ exitCode: 3 }) })
  expect(silent.message).toContain('It printed nothing.')
  expect(silent.hint).toMatch(/^Let it print why it ends/)
  expect(rollout({ cause: cause({ exitCode: 3, lines: ['why'] }) }).hint).toContain('last lines in the log')
})

test('a crash tells its code, how often, and the last line', () => {
  const crashed = rollout({
    failures: 3,
    cause: cause({ exitCode: 3, lines: ['boot', 'DATABASE_URL is missing', ''] }),
  })
  expect(crashed).toMatchObject({ code: 'crashed' })
  expect(crashed.message).toBe(
    'The service ended with code 3, 3 times in a row. Its last line: DATABASE_URL is missing',
  )
  expect(rollout({ cause: cause({ exitCode: 137 }) }).message).toContain('ended by signal 9 (SIGKILL)')
  expect(rollout({ cause: cause({ exitCode: 0 }) }).hint).toContain('must keep running')
  expect(rollout({ outcome: 'unstable', cause: cause({ exitCode: 1 }) }).code).toBe('unstable')
})

test.each([
  [['Error: Cannot find module', '    at load (node:1)', '', 'Node.js v24.1.0'], 'It said: Error: Cannot find module'],
  [['Traceback (most recent call last):', "KeyError: 'PORT'"], "Its last line: KeyError: 'PORT'"],
  [
    ['java.lang.X: a', 'Caused by: java.io.IOException: refused', '\tat Main.java:3'],
    'It said: Caused by: java.io.IOException: refused',
  ],
  [['panic: no such table', 'goroutine 1 [running]:', 'exit status 2'], 'It said: panic: no such table'],
  [
    ["thread 'main' panicked at src/main.rs:2", 'note: run with `RUST_BACKTRACE=1`'],
    "It said: thread 'main' panicked at",
  ],
  [['0 errors', 'errors.js loaded', 'bye'], 'Its last line: bye'],
])('of what a crash printed, the line that says why is told and shown: %j', (lines, said) => {
  const { error, shownBy } = failed({ cause: cause({ exitCode: 1, lines }) })
  expect(error.message).toContain(said)
  expect(said).toContain(shownBy?.line?.trim().slice(0, 20))
})

test('what others did to the service is theirs', () => {
  expect(rollout({ outcome: 'removed' }).code).toBe('removed_outside')
  expect(rollout({ outcome: 'superseded', cause: cause({ exitCode: 1 }) })).toMatchObject({
    code: 'changed_outside',
    message: expect.stringContaining('did not make'),
  })
  expect(rollout({ outcome: 'paused', message: 'update paused' }).code).toBe('rollout_paused')
})

const build = (more: Partial<FailedBuild['failure']>, rest: Partial<FailedBuild> = {}) =>
  explainBuild(
    {
      failure: { message: '', cancelled: false, timedOut: false, clipped: false, step: 'sha256:1', ...more },
      instruction: '[2/3] RUN npm ci',
      step: '[2/3] RUN npm ci',
      generated: false,
      lastLines: [],
      ...rest,
    },
    'web',
  )

test.each<[string, Parameters<typeof build>, string, RegExp]>([
  [
    'a command that fails',
    [
      {
        message: 'process "/bin/sh -c x" did not complete successfully: exit code: 7',
        exitCode: 7,
        file: 'Dockerfile',
        line: 4,
      },
    ],
    'build_failed',
    /^The build failed \(Dockerfile, line 4, RUN npm ci\): a command ended with code 7\.$/,
  ],
  [
    'the same in a Dockerfile of ours',
    [{ exitCode: 1, file: 'Dockerfile', line: 5 }, { generated: true }],
    'build_failed',
    /\(the generated Dockerfile, line 5, RUN npm ci\)/,
  ],
  [
    'a base image that nobody has',
    [
      {
        message:
          'x:1: failed to resolve source metadata for docker.io/library/x:1: pull access denied, repository does not exist',
      },
    ],
    'image_not_found',
    /^A base image cannot be found/,
  ],
  [
    'a registry that is away',
    [
      {
        message:
          'x:1: failed to resolve source metadata for docker.io/library/x:1: failed to do request: dial tcp: lookup registry-1.docker.io: no such host',
      },
    ],
    'image_not_found',
    /its registry cannot be reached/,
  ],
  ['a full disk', [{ message: 'failed to copy: write /x: no space left on device' }], 'disk_full', /disk space/],
  [
    'a full disk that only the command noticed',
    [{ exitCode: 1 }, { lastLines: ['npm ERR! ENOSPC: no space left on device, write'] }],
    'disk_full',
    /disk space/,
  ],
  ['too much memory', [{ exitCode: 137 }], 'build_failed', /memory/],
  [
    'a file that is missing',
    [{ message: 'failed to compute cache key: "/nope": not found' }],
    'build_failed',
    /"\/nope": not found/,
  ],
  [
    'a line that is no instruction',
    [
      { message: 'dockerfile parse error on line 2: unknown instruction: FRM', line: 2, file: 'Dockerfile' },
      { instruction: undefined },
    ],
    'build_failed',
    /\(Dockerfile, line 2\): .*FRM/,
  ],
  ['too long', [{ timedOut: true }], 'build_timeout', /too long/],
])('build: %s', (_, given, code, message) => {
  const { error, shownBy } = build(...given)
  expect(error).toMatchObject({ code, step: 'build', service: 'web', hint: expect.any(String) })
  expect(error.message).toMatch(message)
  expect(shownBy?.step).toBe('[2/3] RUN npm ci')
})

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Docker from 'dockerode'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { TaskAnswer } from '../../engine/answers.ts'
import { diagnose, isAiling } from './diagnose.ts'

/** An engine that knows no container and no log, as a manager does for a task on another node. */
const UNKNOWN = { status: 404, body: { message: 'no such thing' } as object }
let answer = UNKNOWN
let server: Server
const folder = mkdtempSync(join(tmpdir(), 'slipway-diagnose-'))
const docker = new Docker({ socketPath: join(folder, 'engine.sock') })

beforeAll(async () => {
  server = createServer((_, response) => {
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(join(folder, 'engine.sock'), resolve))
})
afterEach(() => {
  answer = UNKNOWN
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

function task(Status: TaskAnswer['Status']): TaskAnswer {
  return { ID: 't', CreatedAt: '', ServiceID: 's', NodeID: 'n', Slot: 1, DesiredState: 'shutdown', Spec: {}, Status }
}

test.for([
  // What an engine says about its tasks after it was restarted: none of it is the application's fault.
  ['No such container: web.1.abc', 'failed', 'engine-restart'],
  ['no suitable node (insufficient resources on 1 node)', 'pending', 'no-resources'],
  ['no suitable node (host-mode port already in use on 1 node)', 'pending', 'port-taken'],
  ['no suitable node (1 node not available for new tasks)', 'pending', 'no-suitable-node'],
  ['No such image: slipway.invalid/x:1', 'rejected', 'image-missing'],
  ['starting container failed: … listen tcp4 0.0.0.0:80: bind: address already in use', 'failed', 'port-taken'],
  ['failed to create task: … exec: "nosuch": executable file not found in $PATH: unknown', 'failed', 'cannot-start'],
  ['starting container failed: … exec /app: exec format error', 'failed', 'cannot-start'],
  ['network slipway-edge not found', 'rejected', 'rejected'],
  ['write /var/lib/docker/tmp/x: no space left on device', 'rejected', 'disk-full'],
  ['range of CPUs is from 0.01 to 2.00, as there are only 2 CPUs available', 'rejected', 'no-resources'],
  ['invalid mount config for type "bind"', 'rejected', 'rejected'],
  ['task: non-zero exit (137): dockerexec: unhealthy container', 'failed', 'health-check'],
  ['task: non-zero exit (3)', 'failed', 'exit'],
] as const)('“%s” of a task that %s is %s', async ([Err, State, reason]) => {
  const { signal } = new AbortController()
  const found = await diagnose(docker, task({ State, Err, ContainerStatus: { ContainerID: 'c', ExitCode: 3 } }), signal)
  expect(found).toMatchObject({ reason, taskId: 't', slot: 1, node: 'n', lines: [] })
})

test.for([
  [
    'cannot access path /var/lib/docker/volumes/prj-a/_data/no/such: lstat /var/lib/docker/volumes/prj-a/_data/no: no such file or directory',
    'the path no/such is not in its volume',
  ],
  [
    'path concatenation escapes the base directory, base: /var/lib/docker/volumes/prj-a/_data, subpath: out',
    'the path out leads out of its volume',
  ],
  ['unable to find user nobody: no matching entries in passwd file', undefined],
  [
    'failed to create task for container: failed to create shim task: OCI runtime create failed: runc create failed: wrong rlimit value: RLIMIT_X: unknown',
    'wrong rlimit value: RLIMIT_X',
  ],
  [
    "error while mounting volume '/var/lib/docker/volumes/prj-a/_data': no such device",
    "error while mounting volume 'the volume prj-a': no such device",
  ],
] as const)('a setting that the engine could not bring about is named: %s', async ([words, detail = words]) => {
  const { signal } = new AbortController()
  const Err = `starting container failed: ${words}`
  const found = await diagnose(docker, task({ State: 'failed', Err, ContainerStatus: { ExitCode: 128 } }), signal)
  expect(found).toMatchObject({ reason: 'rejected', detail, exitCode: 128 })
})

test('an exit by a signal names it', async () => {
  const { signal } = new AbortController()
  const found = await diagnose(
    docker,
    task({ State: 'failed', ContainerStatus: { ContainerID: 'c', ExitCode: 139 } }),
    signal,
  )
  expect(found).toMatchObject({ reason: 'exit', detail: 'code 139 (signal 11)', exitCode: 139 })
})

describe('a task that counts as running', () => {
  const running = task({ State: 'running', ContainerStatus: { ContainerID: 'c', ExitCode: 0 } })
  const { signal } = new AbortController()

  test.for<[string, number, object, boolean]>([
    ['does when its container does', 200, { State: { Running: true } }, false],
    ['does when its last check passed', 200, { State: { Running: true, Health: { FailingStreak: 0 } } }, false],
    [
      'does not for long when its last check failed',
      200,
      { State: { Running: true, Health: { FailingStreak: 1 } } },
      true,
    ],
    ['does not when its container has ended', 200, { State: { Running: false } }, true],
    ['is not known to when the engine cannot tell', 500, { message: 'no' }, true],
    ['is believed on another node', 404, { message: 'no such thing' }, false],
  ])('%s', async ([, status, body, ailing]) => {
    answer = { status, body }
    expect(await isAiling(docker, running, signal)).toBe(ailing)
  })
})

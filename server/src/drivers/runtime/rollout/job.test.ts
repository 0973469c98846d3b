import { describe, expect, test } from 'vitest'
import type { ServiceAnswer, TaskAnswer, TaskTemplate } from '../../engine/answers.ts'
import { rolloutJudge } from '../watch/judge.ts'
import { currentTasks } from './job.ts'

const limits = { deployment: 'd', pendingMs: 1000, mostFailures: 3 }
const Labels = { 'slipway.deployment': 'd', 'slipway.spec': 'hash' }
type Policy = NonNullable<TaskTemplate['RestartPolicy']>

const template = (policy: Partial<Policy>, labels = {}): TaskTemplate => ({
  ContainerSpec: { Image: 'x', Labels: { ...Labels, ...labels } },
  RestartPolicy: { Condition: 'on-failure', Delay: 1e9, ...policy },
})

function job(policy: Partial<Policy> = {}, iteration = 0): ServiceAnswer {
  const Mode = { ReplicatedJob: { MaxConcurrent: 1, TotalCompletions: 1 } }
  const Spec = { Name: 's', TaskTemplate: template(policy), Mode }
  return { ID: 's', Version: { Index: 1 }, CreatedAt: '', Spec, JobStatus: { JobIteration: { Index: iteration } } }
}

let made = 0
function task(state: string, more: Partial<TaskAnswer> = {}): TaskAnswer {
  const Status = { State: state, Timestamp: '2024-01-01T00:01:00Z' }
  made++
  return { ID: `t${made}`, CreatedAt: '', ServiceID: 's', DesiredState: '', Spec: template({}), Status, ...more }
}

describe('a job', () => {
  const judged = (service: ServiceAnswer, looks: [at: number, tasks: TaskAnswer[]][]) => {
    const { judge } = rolloutJudge(limits)
    return looks.map(([at, tasks]) => judge({ service, tasks, failed: 0, at })?.outcome ?? null)
  }

  test('is done when it is complete, whatever failed before', () => {
    const runs = judged(job(), [
      [0, []],
      [400, [task('running')]],
      [800, [task('failed'), task('running')]],
      [1200, [task('failed'), task('complete')]],
    ])
    expect(runs).toEqual([null, null, null, 'healthy'])
  })

  test('has failed when it will not be tried again', () => {
    expect(judged(job({ Condition: 'none' }), [[0, [task('failed')]]])).toEqual(['never-came-up'])
    const twice = job({ MaxAttempts: 1 })
    expect(judged(twice, [[0, [task('failed')]]])).toEqual([null])
    expect(judged(twice, [[0, [task('failed'), task('ready')]]])).toEqual([null])
    expect(judged(twice, [[0, [task('failed'), task('failed')]]])).toEqual(['never-came-up'])
  })

  test('has failed when nothing follows: the engine forgets how often it has tried', () => {
    const dead = [task('failed')]
    const forgotten = job({ MaxAttempts: 5 })
    const silent: [number, TaskAnswer[]][] = [
      [0, dead],
      [6000, dead],
      [6001, dead],
    ]
    expect(judged(forgotten, silent)).toEqual([null, null, 'never-came-up'])
    const revived: [number, TaskAnswer[]][] = [
      [0, dead],
      [5000, [...dead, task('running')]],
      [9000, dead],
    ]
    expect(judged(forgotten, revived)).toEqual([null, null, null])
    const { judge, disturb } = rolloutJudge(limits)
    judge({ service: forgotten, tasks: dead, failed: 0, at: 0 })
    disturb()
    expect(judge({ service: forgotten, tasks: dead, failed: 0, at: 7000 })).toBeNull()
  })

  test('that no node can take is stuck, and one of another deployment is superseded', () => {
    const Status = { State: 'pending', Err: 'no suitable node' }
    const waiting = [task('pending', { Status })]
    expect(
      judged(job(), [
        [0, waiting],
        [1001, waiting],
      ]),
    ).toEqual([null, 'stuck'])
    const { judge } = rolloutJudge({ ...limits, deployment: 'other' })
    expect(judge({ service: job(), tasks: [], failed: 0, at: 0 })).toMatchObject({ outcome: 'superseded' })
  })

  test('is judged by its last run', () => {
    const first = task('complete')
    const second = task('running', { JobIteration: { Index: 7 } })
    expect(currentTasks(job({}, 7), [first, second])).toEqual([second])
    expect(currentTasks(job({}, 0), [first, second])).toEqual([first])
  })
})

describe('a service that may end', () => {
  const Spec = { Name: 's', TaskTemplate: template({}), Mode: { Replicated: { Replicas: 1 } } }
  const service = { ID: 's', Version: { Index: 1 }, CreatedAt: '', Spec }

  test('counts as up when it has, and not otherwise', () => {
    const over = task('complete', { Slot: 1, DesiredState: 'shutdown' })
    const { judge } = rolloutJudge({ ...limits, stableMs: 100 })
    const look = (at: number, ended: Set<string>) => judge({ service, tasks: [over], failed: 0, ended, at })
    expect([look(0, new Set()), look(200, new Set())]).toEqual([null, null])
    expect([look(300, new Set([over.ID])), look(400, new Set([over.ID]))]).toEqual([null, { outcome: 'healthy' }])
  })

  test('whose attempts are used up has failed before it has failed three times', () => {
    const once = { ...Spec, TaskTemplate: template({ MaxAttempts: 1 }) }
    const { judge } = rolloutJudge({ ...limits, stableMs: 100 })
    const dead = () => task('failed', { Slot: 1, Spec: once.TaskTemplate })
    const tasks = [dead(), dead()]
    expect(judge({ service: { ...service, Spec: once }, tasks, failed: 2, at: 0 })?.outcome).toBe('never-came-up')
    const waiting = [dead(), task('ready', { Slot: 1, Spec: once.TaskTemplate })]
    expect(judge({ service: { ...service, Spec: once }, tasks: waiting, failed: 1, at: 0 })).toBeNull()
  })
})

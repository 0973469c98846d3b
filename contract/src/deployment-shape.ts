import { z } from 'zod'
import { DECISIONS, TRIGGERS } from './deployment-states.ts'
import { DeploymentStatusSchema } from './deployment-status.ts'
import { idOf, timestamp } from './ids.ts'
import { DeploymentPlan } from './plan.ts'

export const DeploymentSource = z
  .object({
    kind: z.enum(['git', 'upload', 'image', 'compose', 'adopted']),
    repo: z.string().optional(),
    branch: z.string().optional(),
    commitSha: z.string().optional(),
    commitMessage: z.string().optional(),
    uploadSessionId: z.string().optional(),
    image: z.string().optional(),
  })
  .meta({ id: 'DeploymentSource' })
export type DeploymentSource = z.output<typeof DeploymentSource>

export const DeploymentError = z
  .object({
    code: z.string(),
    step: z.string().nullable(),
    service: z.string().nullable(),
    message: z.string(),
    hint: z.string().nullable(),
    logSeq: z.number().int().nullable().meta({ description: 'the event in the stream where it shows' }),
  })
  .meta({ id: 'DeploymentError' })
export type DeploymentError = z.output<typeof DeploymentError>

/** Another deployment of the project. */
const Other = z.object({
  id: idOf('dep'),
  number: z.number().int().nullable().meta({ description: 'null: it was deleted' }),
})
const Actor = z.object({ kind: z.enum(['user', 'token']), name: z.string(), at: timestamp })

const PortWait = z.object({
  port: z.number().int(),
  since: z.string().nullable().meta({ description: 'when its container was started, by the clock of the server' }),
  open: z.array(
    z.object({
      port: z.number().int(),
      local: z.boolean().meta({ description: 'only the container itself can reach it' }),
    }),
  ),
})

export const DeploymentService = z
  .object({
    name: z.string(),
    status: z
      .enum(['pending', 'building', 'built', 'deploying', 'healthy', 'failed', 'restored', 'removed', 'unknown'])
      .meta({ description: 'unknown: the engine of the server has never run it; see `unknown` of the deployment' }),
    image: z.string().nullable(),
    digest: z.string().nullable(),
    previousDigest: z.string().nullable(),
    previous: z
      .object({ deploymentId: idOf('dep'), number: z.number().int().nullable() })
      .nullable()
      .optional()
      .meta({ description: 'the deployment that brought what ran of it before; null: it was not there' }),
    replicas: z.number().int(),
    error: DeploymentError.nullable(),
    waitingFor: PortWait.nullable()
      .optional()
      .meta({ description: 'while it starts: the port that is not open yet, and those that are' }),
  })
  .meta({ id: 'DeploymentService' })
export type DeploymentService = z.output<typeof DeploymentService>

export const DeploymentStep = z
  .object({
    name: z.string(),
    status: z.enum(['running', 'succeeded', 'failed', 'cancelled']),
    startedAt: timestamp,
    finishedAt: timestamp.nullable(),
    error: z.string().nullable(),
    undone: z.literal(true).optional().meta({ description: 'what it did was taken back' }),
  })
  .meta({ id: 'DeploymentStep' })

const Action = z.object({ allowed: z.boolean(), reason: z.string().nullable() })

export const Deployment = z
  .object({
    id: idOf('dep'),
    projectId: idOf('prj'),
    project: z.object({ id: idOf('prj'), name: z.string() }).optional(),
    server: z
      .object({ id: idOf('srv'), name: z.string() })
      .nullable()
      .optional(),
    number: z.number().int(),
    status: DeploymentStatusSchema,
    decision: z.enum(DECISIONS).nullable(),
    active: z.boolean(),
    unknown: z.object({ reason: z.string(), hint: z.string() }).nullable().optional().meta({
      description:
        'of the active release: why nobody can say that it runs, whatever its status was; null where it is known',
    }),
    pinned: z.boolean(),
    trigger: z.enum(TRIGGERS),
    source: DeploymentSource,
    commitUrl: z.string().nullable().optional().meta({ description: 'the page of its commit, where that is known' }),
    urls: z.array(z.string()),
    services: z.array(DeploymentService),
    timing: z.object({
      createdAt: timestamp,
      startedAt: timestamp.nullable(),
      builtAt: timestamp.nullable(),
      finishedAt: timestamp.nullable(),
      queuedMs: z.number().nullable(),
      buildMs: z.number().nullable(),
      deployMs: z.number().nullable(),
    }),
    steps: z.array(DeploymentStep),
    waitingOn: z
      .object({
        kind: z.enum(['prompt', 'decision']),
        promptId: z.string().optional(),
        message: z.string().optional(),
        since: timestamp.optional(),
        options: z
          .array(z.string())
          .optional()
          .meta({ description: 'what may be said: `action` of build/respond, or the route that decides' }),
      })
      .nullable(),
    bakesUntil: timestamp
      .nullable()
      .optional()
      .meta({ description: 'until then it is watched, and the release before it comes back if it does not hold' }),
    previous: Other.nullable().optional().meta({ description: 'the release whose place it took' }),
    rollbackOf: Other.nullable().optional().meta({ description: 'the one whose release it brings back' }),
    supersededBy: Other.nullable().optional().meta({ description: 'the newer one that took its place' }),
    decidedBy: Actor.nullable().optional().meta({ description: 'who kept or rejected it' }),
    cancelledBy: Actor.nullable().optional(),
    log: z
      .object({
        lines: z.number().int().nullable().meta({ description: 'of its build log; null: not counted' }),
        lastSeq: z.number().int().meta({ description: 'the number of its newest event' }),
      })
      .optional(),
    error: DeploymentError.nullable(),
    message: z.string().nullable().optional().meta({ description: 'what is new in it, as whoever began it said' }),
    createdBy: z.object({
      kind: z.enum(['user', 'token', 'push']),
      name: z.string(),
      client: z.string().nullable().optional().meta({ description: 'the program that asked, as it calls itself' }),
    }),
    plan: DeploymentPlan.nullable()
      .optional()
      .meta({ description: 'of one deployment: what its rollout does to the server; null before there is one' }),
    queue: z
      .object({
        position: z.number().int().meta({ description: '1: the next of its project, as soon as a worker is free' }),
        ahead: z.array(Other).meta({ description: 'deployments of the project that go first' }),
      })
      .nullable()
      .optional()
      .meta({
        description: 'of one deployment that has not begun: its place among what its project does, one after the other',
      }),
    actions: z.record(z.string(), Action),
    asOf: timestamp.optional().meta({
      description: 'in a list, of a deployment in the hosted cloud that could not be asked about: when this was seen',
    }),
    unreachable: z.literal(true).optional().meta({ description: 'in a list: the hosted cloud did not answer in time' }),
  })
  .meta({ id: 'Deployment' })
export type Deployment = z.output<typeof Deployment>

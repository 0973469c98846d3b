import type { DeploymentError, DeploymentService, DeploymentSource } from '@slipway/contract/deployment-shape'
import type { Decision, DeploymentStatus, TRIGGERS } from '@slipway/contract/deployment-states'
import type { BuildAccess } from '@slipway/contract/deployments'
import type { DeploymentPlan } from '@slipway/contract/plan'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'

type Json<T extends object> = JSONColumnType<T, string, string>
type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>
type Time = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>

export type DeploymentTables = {
  deployment: {
    id: string
    orgId: string
    projectId: string
    serverId: string
    number: number
    status: DeploymentStatus
    decision: Decision | null
    active: Generated<boolean>
    pinned: Generated<boolean>
    trigger: (typeof TRIGGERS)[number]
    source: Json<DeploymentSource>
    /** What was asked for, without secrets. */
    request: Json<StoredRequest>
    /** What it carries for itself alone, sealed: settings, variables and where names lead. */
    overrides: ColumnType<string | null, string | null | undefined, string | null>
    services: ColumnType<DeploymentService[], string | undefined, string>
    urls: Generated<string[]>
    branch: string | null
    /** The frozen configuration of the release, sealed: what a rollback brings back. */
    release: string | null
    /** The engine that it was rolled out on; null: not known. */
    engineId: ColumnType<string | null, string | null | undefined, string | null>
    /** What all containers of the release may use together; null: there is none, or it is not known. */
    memoryBytes: ColumnType<string | null, number | null | undefined, number | null>
    /** Images this release needs; the garbage collector keeps those of roots. */
    images: Generated<string[]>
    error: NullableJson<DeploymentError>
    /** What its rollout does to the server, for people. */
    plan: NullableJson<DeploymentPlan>
    waitingOn: NullableJson<{ kind: 'prompt' | 'decision'; promptId?: string; since?: string }>
    cancelling: Generated<boolean>
    /** Names that lead to this release, and where it listens. */
    routes: ColumnType<StoredRoute[], string | undefined, string>
    /** The edge is to have its routes. */
    routed: Generated<boolean>
    /** It ended, but its engine may not be as it says: to be seen to from then on. */
    settleAfter: Time
    /** Until then it is watched, and the release before it comes back if it does not hold. */
    bakeUntil: Time
    /** The release that was active before it. */
    tookOver: string | null | undefined
    /** Since when it is, or was, the active release. */
    activatedAt: Time
    /** The newer one that took its place before it began. */
    supersededBy: ColumnType<string | null, string | null | undefined, string | null>
    decidedBy: NullableJson<StoredActor>
    cancelledBy: NullableJson<StoredActor>
    createdBy: Json<{ kind: 'user' | 'token' | 'push'; name: string; client?: string }>
    nextSeq: Generated<string>
    /** How many of its events are lines; null: nobody has counted. */
    logLines: ColumnType<string | null, number | null | undefined, number | null>
    createdAt: ColumnType<Date, Date | undefined, never>
    startedAt: Time
    builtAt: Time
    finishedAt: Time
    logsMovedAt: Time
  }
  deploymentEvent: {
    deploymentId: string
    seq: ColumnType<string, number | string, never>
    at: ColumnType<Date, Date | string, never>
    type: string
    data: JSONColumnType<Record<string, unknown>, string, never>
  }
  deploymentSegment: {
    deploymentId: string
    firstSeq: ColumnType<string, number | string, never>
    lastSeq: ColumnType<string, number | string, never>
    /** A key of the archive; null: what it held is gone. */
    location: string | null
    /** When its last event happened. */
    lastAt: ColumnType<Date, Date | string, never>
    keepUntil: ColumnType<Date, Date | string, Date | string>
  }
  hostName: {
    host: string
    orgId: string
    /** Null: the platform's own. */
    projectId: string | null
    kind: 'free' | 'custom' | 'platform'
    /** Plain HTTP is sent to https while there is a certificate; `hsts` also tells browsers to remember it. */
    redirect: Generated<boolean>
    hsts: Generated<boolean>
    /** Another name of the project: visitors are sent there. */
    redirectTo: string | null | undefined
    createdAt: ColumnType<Date, undefined, never>
  }
  /** Where on a host which service begins; an empty prefix is the whole host, port 0 wherever the service listens. */
  hostPath: { host: string; pathPrefix: string; service: string; port: number }
}

/** `also`: where its successor listens while it is being replaced. */
export type StoredRoute = {
  host: string
  pathPrefix: string | null
  service: string
  port: number
  also?: number
}

export type StoredActor = { kind: 'user' | 'token'; name: string; at: string }

export type StoredRequest = Pick<BuildAccess, 'buildStrategy' | 'publicEndpoints' | 'message'> & {
  useCommit?: string
  rollbackOf?: string
}

import type { Deployment, DeploymentError, DeploymentSource } from '@slipway/contract/deployment-shape'
import type { DeploymentStatus } from '@slipway/contract/deployment-states'
import type { BuildAccess } from '@slipway/contract/deployments'
import type { DnsChange, PromotionState } from '@slipway/contract/promotion'
import type { RelayedSaid } from '@slipway/contract/relay'
import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely'

type Created = ColumnType<Date, Date | string | undefined, never>
type Time = ColumnType<Date, Date | string, Date | string>
type MaybeTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
/** Null: of before that was kept; then it is whichever is linked. */
type MaybeOrg = ColumnType<string | null, string | null | undefined, never>
type Mark = ColumnType<string | null, string | null | undefined, string | null>
/** Eight bytes there, text here. */
type Count = ColumnType<string, number | undefined, number>

/** What is deployed at the cloud. */
type PromotionAsked = Pick<BuildAccess, 'buildStrategy' | 'publicEndpoints' | 'message'> & {
  source: DeploymentSource
}

/** Who asked for it, as the audit log wants to know. */
type Promoter = Record<'credentialId' | 'userId' | 'userName' | 'orgId' | 'address' | 'requestId', string> & {
  kind: 'token' | 'session'
}

export type CloudTables = {
  /** The cloud that an organization of this instance works with. */
  cloudLink: {
    orgId: string
    /** Where the cloud was when it was linked: another address is another cloud. */
    url: string
    /** As the cloud calls it. */
    linkId: string
    cloudOrgId: string
    cloudOrgName: string
    /** Sealed for its organization and column. */
    credential: string
    linkedBy: string
    createdAt: Created
    /** The newest number of what the cloud relays that was taken here, and when. */
    relaySeen: Count
    relayAt: MaybeTime
    /** The one that was drawn with that number; null: not known. */
    relayMark: Mark
    /** Null: nobody has followed it yet. */
    relayState: Generated<'following' | 'waiting' | 'refused' | null>
    relaySince: MaybeTime
    /** A lease: the process that follows it, and until when; without one, until when nobody does, because the cloud refuses it. */
    relayClaim: ColumnType<string | null, string | null | undefined, string | null>
    relayUntil: MaybeTime
  }
  /** What an organization was ever linked to, as it was called then. */
  cloudOrganization: { orgId: string; cloudOrgId: string; name: string; url: string }
  /** A deployment of a project in the cloud; what it is and does is there. */
  cloudDeployment: {
    /** The one that the cloud gave it. */
    id: string
    orgId: string
    projectId: string
    /** The organization of the cloud that has it. */
    cloudOrgId: MaybeOrg
    /** As the cloud has shown it last; what lists ask for is taken from it. */
    shown: JSONColumnType<Deployment, string, string>
    status: GeneratedAlways<DeploymentStatus>
    number: GeneratedAlways<number>
    branch: GeneratedAlways<string | null>
    active: GeneratedAlways<boolean>
    seenAt: ColumnType<Date, Date | undefined, Date>
  }
  /** A write that was passed on, from before it is sent until it is known what came of it. */
  cloudWrite: {
    id: string
    orgId: string
    projectId: string
    deploymentId: string
    begunAt: Created
    /** When the cloud is asked how it stands, unless its answer comes before. */
    askAt: ColumnType<Date, Date | undefined, Date>
  }
  /** A project on its way to the cloud. */
  promotion: {
    /** Of the deployment that it makes there, of its stub and of its run. */
    id: string
    orgId: string
    projectId: string
    /** The organization of the cloud that it leads to. */
    cloudOrgId: MaybeOrg
    state: Generated<PromotionState>
    asked: JSONColumnType<PromotionAsked, string, never>
    /** Which it is at, or was at last. */
    step: ColumnType<string | null, undefined, string>
    /** The cloud knows the deployment. */
    there: Generated<boolean>
    /** Which services and variables may have come there from here, by name. */
    sent: JSONColumnType<string[] | null, undefined, string | null>
    dns: JSONColumnType<DnsChange[], string | undefined, string>
    error: JSONColumnType<DeploymentError | null, undefined, string | null>
    createdBy: JSONColumnType<Promoter, string, never>
    createdAt: Created
    finishedAt: ColumnType<Date | null, undefined, Date>
  }
  /** At a cloud: an instance that is linked to the organization. It goes with its token. */
  instanceLink: {
    id: string
    orgId: string
    tokenId: string
    /** As the instance says. */
    instanceId: string
    name: string
    createdBy: string
    createdAt: Created
    /** The newest number that was given to something relayed. */
    relayed: Count
    /** Drawn with it: after a restore numbers are given again, and marks are not. */
    relayedMark: Mark
    /** The one stream that is served. */
    streamId: ColumnType<string | null, string | null | undefined, string | null>
  }
  /** At a cloud: what a linked instance is still to hear of. */
  relayDelivery: {
    linkId: string
    number: ColumnType<string, number, never>
    guid: string
    event: string
    said: JSONColumnType<RelayedSaid, string, string>
    mark: Mark
    beforeMark: Mark
    createdAt: Created
  }
  /** A link that was asked of the cloud, until somebody there decides. */
  linkAttempt: {
    orgId: string
    url: string
    /** The secret of the request and its verifier, sealed; null once nothing can be fetched with it. */
    secret: string | null
    userCode: string
    verifyUrl: string
    intervalSeconds: number
    /** The cloud is not asked before; while it is asked, a lease on asking. */
    askAt: ColumnType<Date, Date | string | undefined, Date | string>
    /** How it ended, where that was not with a link. */
    ended: 'denied' | 'expired' | 'lost' | 'unfit' | null
    begunBy: string
    expiresAt: Time
    createdAt: Created
  }
}

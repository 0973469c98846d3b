import type { DeliveryDecision } from '@slipway/contract/githost-deliveries'
import type { Role } from '@slipway/contract/permissions'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'

type Created = ColumnType<Date, Date | string | undefined, Date | string>
type Time = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
type Text = ColumnType<string | null, string | null | undefined, string | null>
type Hash = ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
/** Numbers of the host: eight bytes there, text here. */
type Big = ColumnType<string, number | string, number | string>
type MaybeBig = ColumnType<string | null, number | string | null | undefined, number | string | null>

export type AttemptKind = 'install' | 'manifest' | 'oauth' | 'device' | 'cloud'
type AttemptStatus = 'started' | 'returned' | 'proved' | 'bound' | 'denied' | 'expired' | 'failed'

export type GithostTables = {
  githostApp: {
    id: string
    orgId: string | null
    host: string
    /** `cloud`: it stands for the app of the hosted cloud, and has neither a number nor a key here. */
    via: ColumnType<'own' | 'cloud', 'own' | 'cloud' | undefined, never>
    appId: MaybeBig
    slug: string
    owner: string
    clientId: string
    privateKey: Text
    clientSecret: Text
    hookSecret: Text
    oldHookSecret: Text
    oldHookSecretUntil: Time
    hookKey: string
    heardAt: Time
    createdAt: Created
  }
  githostInstallation: {
    app: string
    installationId: Big
    accountId: Big
    accountLogin: string
    accountType: string
    avatarUrl: Text
    selection: 'all' | 'selected'
    permissions: JSONColumnType<Record<string, string>, string, string>
    suspendedAt: Time
    goneAt: Time
    checkedAt: Created
  }
  githostLink: {
    id: string
    orgId: string
    app: string
    installationId: Big
    repoIds: ColumnType<string[] | null, number[] | null, number[] | null>
    provedBy: Text
    proofLogin: string
    proofAt: Created
    brokenAt: Time
    reason: Text
  }
  githostAccount: {
    id: string
    orgId: string
    kind: 'oauth' | 'cli'
    login: string
    avatarUrl: Text
    token: Text
    refreshToken: Text
    expiresAt: Time
    scopes: Generated<string[]>
    clientId: Text
    connectedBy: Text
    brokenAt: Time
    reason: Text
    createdAt: Created
  }
  githostAttempt: {
    id: string
    orgId: string
    userId: string
    kind: AttemptKind
    status: Generated<AttemptStatus>
    reason: Text
    startHash: Hash
    stateHash: Hash
    cookieHash: Hash
    secret: Text
    linkId: Text
    returnTo: Text
    app: Text
    installationId: MaybeBig
    account: Text
    login: Text
    userCode: Text
    verificationUri: Text
    intervalSeconds: ColumnType<number | null, number | null | undefined, number | null>
    pollAt: Time
    createdAt: Created
    expiresAt: ColumnType<Date, Date | string, Date | string>
    endedAt: Time
  }
  githostLimit: { sourceKey: string; blockedUntil: ColumnType<Date, Date, Date> }
  githostRepository: {
    orgId: string
    sourceKey: string
    rank: number
    repoId: Big
    owner: string
    ownerType: string
    ownerAvatarUrl: Text
    name: string
    fullNameKey: string
    private: boolean
    defaultBranch: string
    description: Text
    language: Text
    pushedAt: ColumnType<Date, Date | string, Date | string>
    permissions: JSONColumnType<Record<string, boolean>, string, string>
    seenAt: Created
  }
  githostMirror: { sourceKey: string; orgId: string; listedAt: Time; begunAt: Time }
  githostRule: { orgId: string; role: Role; pattern: string; allow: boolean; matches: ColumnType<string, never, never> }
  githostHook: {
    id: string
    orgId: string
    host: string
    repoId: Big
    hookId: Big
    hookKey: string
    secret: string
    heardAt: Time
    createdAt: Created
  }
  githostHead: {
    orgId: string
    host: string
    repoId: Big
    ref: string
    sha: Text
    seq: ColumnType<string, number | undefined, number | string>
    dirtyAt: Time
    hookAt: Time
    pollAt: Time
    ask: Generated<boolean>
    askedAt: Time
    movedAt: Time
    silentAt: Time
    polledAt: Time
    pollEvery: Generated<number>
    poller: Text
  }
  githostDelivery: {
    id: string
    orgId: Text
    hookKey: string
    guid: string
    via: Generated<'delivery' | 'poll' | 'replay' | 'run'>
    event: string
    action: Text
    repoId: MaybeBig
    repository: Text
    ref: Text
    before: Text
    after: Text
    pusher: Text
    projectId: Text
    receivedAt: Created
    decidedAt: Time
    decision: ColumnType<DeliveryDecision | null, DeliveryDecision | null | undefined, DeliveryDecision | null>
    reason: Text
    deploymentId: Text
    attempts: Generated<number>
    body: Text
    seq: MaybeBig
    message: Text
  }
  githostReport: {
    deploymentId: string
    orgId: string
    projectId: string
    repoId: Big
    sha: string
    state: string
    sentState: Text
    hostDeploymentId: MaybeBig
    attempts: Generated<number>
    sendAt: Time
    updatedAt: Created
  }
}

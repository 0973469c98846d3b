import type { GitCredential } from '@slipway/contract/git-credentials'
import type { LimitKind } from '@slipway/contract/limits'
import type { Role, Scope } from '@slipway/contract/permissions'
import type { ProjectSettings } from '@slipway/contract/projects'
import type { SaidServerPolicy, ServerReport } from '@slipway/contract/servers'
import type { ServiceConfig } from '@slipway/contract/services'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { AdoptionTables } from './adoption-tables.ts'
import type { BackupTables } from './backup-tables.ts'
import type { CertificateTables } from './certificate-tables.ts'
import type { CloudTables } from './cloud-tables.ts'
import type { DeploymentTables } from './deployment-tables.ts'
import type { GithostTables } from './githost-tables.ts'
import type { MailTables } from './mail-tables.ts'
import type { RegistryTables } from './registry-tables.ts'
import type { SignInTables } from './sign-in-tables.ts'

type Time = ColumnType<Date, Date | string, Date | string>
type Created = ColumnType<Date, Date | string | undefined, never>
type Updated = ColumnType<Date, Date | string | undefined, Date | string>
type Version = ColumnType<number, number | undefined, number>

/** The tables as the code sees them: camelCase here, snake_case in PostgreSQL. */
export type Tables = AdoptionTables &
  BackupTables &
  CertificateTables &
  GithostTables &
  CloudTables &
  MailTables &
  RegistryTables &
  SignInTables &
  DeploymentTables & {
    /** One row: who this installation is, and in which database it has been living. */
    instance: {
      onlyOne: Generated<boolean>
      id: string
      madeAt: Created
      database: string
      timeline: number | null
      wentBackAt: ColumnType<Date | null, Date | undefined, Date>
      dataDirMarked: Generated<boolean>
    }
    schemaFloor: { onlyOne: Generated<boolean>; floor: string }
    buildInUse: { schema: string; usedAt: Updated }
    organization: { id: string; name: string; createdAt: Created }
    /** Where the operator said it for one organization. */
    organizationLimit: { orgId: string; kind: LimitKind; most: ColumnType<string | null, number | null, number | null> }
    /** Kept by triggers of `blob`: together how much each has uploaded. */
    organizationUpload: { orgId: string; shard: number; bytes: string }
    /** What deployments printed in each hour of the last day, where that is limited. */
    organizationLog: { orgId: string; hour: Time; bytes: ColumnType<string, number, number> }
    person: {
      id: string
      name: string
      email: string
      emailVerified: Generated<boolean>
      image: string | null
      createdAt: Created
      updatedAt: Updated
    }
    session: {
      id: string
      token: string
      userId: string
      activeOrgId: string | null
      ipAddress: string | null
      userAgent: string | null
      /** When its person chose a new password in it. */
      passwordChosenAt: Time | null
      expiresAt: Time
      createdAt: Created
      updatedAt: Updated
    }
    credential: {
      id: string
      userId: string
      accountId: string
      providerId: string
      password: string | null
      createdAt: Created
      updatedAt: Updated
    }
    member: { orgId: string; userId: string; role: Role; createdAt: Created }
    invitation: {
      id: string
      orgId: string
      email: string
      role: Role
      codeHash: Buffer
      invitedBy: string | null
      /** Made by the operator: may set the first password of an account that exists. */
      setup: Generated<boolean>
      attempts: Generated<number>
      /** When the link was used without a session. */
      usedAt: Time | null
      /** The token that was made together with a setup link. */
      tokenId: string | null
      expiresAt: Time
      acceptedAt: Time | null
      createdAt: Created
    }
    /** A link that was withdrawn or replaced, so that who holds it is told. */
    formerLink: { codeHash: Buffer; orgId: string; why: 'withdrawn' | 'replaced'; endedAt: Created }
    token: {
      id: string
      orgId: string
      userId: string
      name: string
      hash: Buffer
      hint: string
      scopes: Scope[] | null
      projectId: string | null
      expiresAt: Time | null
      lastUsedAt: Time | null
      createdAt: Created
    }
    signInTry: { key: string; count: number; since: Updated }
    audit: {
      id: string
      orgId: string
      at: Created
      action: string
      target: string | null
      actorKind: 'user' | 'token' | 'system'
      actorId: string | null
      actorName: string
      tokenId: string | null
      address: string | null
      requestId: string | null
      detail: JSONColumnType<Record<string, unknown>, string, never>
    }
    idempotency: {
      orgId: string
      credentialId: string
      key: string
      requestHash: Buffer
      /** Names the run that holds the key: a run that was taken over writes nothing more. */
      claim: string
      status: number | null
      response: string | null
      startedAt: Updated
    }
    server: {
      id: string
      orgId: string
      name: string
      kind: 'local' | 'ssh'
      host: string | null
      port: number | null
      loginUser: string | null
      socketPath: string | null
      privateKey: string | null
      passphrase: string | null
      publicKey: string | null
      hostKey: string | null
      /** Of its Swarm: two servers with the same one are the same engine. */
      engineId: string | null
      lastReport: JSONColumnType<ServerReport | null, string | null, string | null>
      policy: JSONColumnType<SaidServerPolicy, string | undefined, string>
      version: Version
      /** When to look next whether its engine has what is written down. */
      compareAt: Updated
      createdAt: Created
      updatedAt: Updated
    }
    project: {
      id: string
      orgId: string
      name: string
      repository: string | null
      branch: string | null
      /** Sealed, with the host it is for; and what may be shown of it. */
      gitCredential: string | null
      gitCredentialShown: JSONColumnType<GitCredential | null, string | null, string | null>
      serverId: string | null
      /** Where its deployments are; what the cloud calls it. */
      target: Generated<'server' | 'cloud'>
      cloudProjectId: ColumnType<string | null, string | null | undefined, string | null>
      /** The organization of the cloud that has it; null: of before, whichever is linked. */
      cloudOrgId: ColumnType<string | null, string | null | undefined, string | null>
      settings: JSONColumnType<Partial<ProjectSettings>, string, string>
      autoDeployPaused: Generated<boolean>
      /** The host's own number of its repository, once it was looked up. */
      githostRepoId: ColumnType<string | null, string | number | null | undefined, string | number | null>
      /** How far the moves of its branch are decided. */
      headSeq: ColumnType<string, number | undefined, number | string>
      headRef: ColumnType<string | null, string | null | undefined, string | null>
      /** Whether whoever named the repository may read what the connection to the git host reads. */
      githostAllowed: Generated<boolean>
      githostProblem: ColumnType<
        'replaced' | 'not_seen' | null,
        'replaced' | 'not_seen' | null | undefined,
        'replaced' | 'not_seen' | null
      >
      version: Version
      createdAt: Created
      updatedAt: Updated
    }
    service: {
      projectId: string
      orgId: string
      name: string
      config: JSONColumnType<ServiceConfig, string, string>
      createdAt: Created
      updatedAt: Updated
    }
    variable: {
      id: string
      projectId: string
      orgId: string
      /** Empty: every service of the project. */
      service: string
      name: string
      scope: 'all' | 'build' | 'runtime'
      value: string
      createdAt: Created
      updatedAt: Updated
    }
    folderSession: {
      id: string
      orgId: string
      projectId: string | null
      files: JSONColumnType<StoredFile[], string, never>
      fileCount: number
      byteCount: ColumnType<string, number, never>
      mode: Generated<'local' | 'cloud'>
      sealedAt: Time | null
      expiresAt: Time
      createdAt: Created
    }
    blob: {
      orgId: string
      sha256: Buffer
      size: ColumnType<string, number, never>
      location: string
      touchedAt: Updated
    }
    /** Which contents were sent by a credential of one project. */
    blobProject: { orgId: string; sha256: Buffer; projectId: string }
    run: {
      id: string
      lane: string
      kind: string
      orgId: string
      input: ColumnType<unknown, string, never>
      status: Generated<RunStatus>
      fence: Generated<number>
      /** Drawn with every claim; null before the first. */
      claim: string | null
      attempts: Generated<number>
      writes: Generated<number>
      cancel: Generated<boolean>
      outcome: 'failed' | 'cancelled' | null
      outcomeReason: JSONColumnType<RunReason | null, string | null, string | null>
      gate: string | null
      answers: ColumnType<Record<string, unknown>, string | undefined, string>
      /** The machine and process that claimed it last. */
      owner: string | null
      /** Of its kind when it was begun. */
      version: Generated<number>
      /** Order within the lane. */
      position: Generated<string>
      /** 0: usual, 1: short, 2: emergency. */
      urgency: Generated<number>
      /** Parked by itself, and goes on then. */
      wakeAt: Time | null
      createdAt: Created
      startedAt: Time | null
      finishedAt: Time | null
    }
    runStep: {
      runId: string
      name: string
      fence: number
      output: ColumnType<unknown, string | null, string | null>
      startedAt: Updated
      endedAt: Time | null
    }
    runLimit: {
      name: string
      runId: string
      fence: number
      claim: string | null
      held: Generated<boolean>
      position: Generated<string>
    }
    /** The keys that stored values are sealed with, by their ids. */
    sealingKey: {
      id: string
      /** When a process last said that it seals with this key. */
      usedAt: Updated
      /** Since when what it sealed is being sealed anew with another one. */
      retiringSince: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
    }
    schedule: {
      name: string
      dueAt: Time
      fence: Generated<number>
      claim: string | null
      leasedUntil: Time | null
      startedAt: Time | null
      endedAt: Time | null
      failure: string | null
    }
  }

export type RunStatus = 'queued' | 'running' | 'parked' | 'succeeded' | 'failed' | 'cancelled' | 'superseded'
/** Why a run did not succeed, in words for whoever asked for it. */
export type RunReason = {
  code: string
  message: string
  hint?: string
  step?: string
  service?: string
  /** The event that shows it. */
  logSeq?: number
}

/** One entry of a folder: short keys, because there are many. */
export type StoredFile = { p: string; h: string; s: number; m: number } | { p: string; l: string }

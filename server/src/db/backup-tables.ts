import type { DestinationKind, VerifiedStep } from '@slipway/contract/backup-destinations'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'

type Created = ColumnType<Date, Date | string | undefined, never>
type Updated = ColumnType<Date, Date | string | undefined, Date | string>
type Time = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
/** Sealed for its row and column. */
type Sealed = ColumnType<string | null, string | null | undefined, string | null>
type Text = ColumnType<string | null, string | null | undefined, string | null>

export type BackupTables = {
  backupDestination: {
    id: string
    orgId: string
    name: string
    /** The name as names are compared. */
    nameKey: string
    kind: DestinationKind
    endpoint: Text
    bucket: Text
    region: Text
    forcePathStyle: ColumnType<boolean | null, boolean | null | undefined, boolean | null>
    sshHost: Text
    sshPort: ColumnType<number | null, number | null | undefined, number | null>
    sshUser: Text
    hostKey: Text
    serverId: Text
    pathPrefix: Text
    isDefault: Generated<boolean>
    accessKeyId: Sealed
    secretAccessKey: Sealed
    sftpPassword: Sealed
    sftpPrivateKey: Sealed
    sftpKeyPassphrase: Sealed
    lastVerifiedAt: Time
    lastVerifyError: Text
    lastVerifySteps: JSONColumnType<VerifiedStep[] | null, string | null | undefined, string | null>
    brokenSince: Time
    /** When the background looks at it again; left out: within the hour. Without a pinned key SFTP is never due. */
    nextVerifyAt: Time
    /** Rises when the way there changes, or a secret. */
    reachVersion: ColumnType<number, number | undefined, number>
    version: ColumnType<number, number | undefined, number>
    createdAt: Created
    updatedAt: Updated
  }
}

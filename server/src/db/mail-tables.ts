import type { ColumnType, Generated } from 'kysely'

type Created = ColumnType<Date, Date | string | undefined, never>
type Updated = ColumnType<Date, Date | string | undefined, Date | string>
type Time = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
type Text = ColumnType<string | null, string | null | undefined, string | null>

export type MailTables = {
  mail: {
    id: string
    toAddress: string
    subject: string
    /** Sealed for its row and column; null as soon as it is not needed any more. */
    text: Text
    createdAt: Created
    /** How often it was claimed: the fencing token of whoever sends it. */
    attempts: Generated<number>
    /** When it is tried next; while it is being sent, the end of the lease. */
    dueAt: Updated
    sentAt: Time
    failedAt: Time
    lastError: Text
  }
}

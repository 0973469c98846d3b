import type { ColumnType, Generated } from 'kysely'

type Created = ColumnType<Date, Date | string | undefined, never>
type Updated = ColumnType<Date, Date | string | undefined, Date | string>
type Time = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
type Text = ColumnType<string | null, string | null | undefined, string | null>

export type RegistryTables = {
  registry: {
    id: string
    orgId: string
    /** The only project that it is for; null: all of the organization. */
    projectId: Text
    host: string
    /** The beginning of the names it is for, after the host; null: all of them. */
    path: Text
    username: string
    /** Sealed for its row and column. */
    password: string
    lastCheckedAt: Time
    lastCheckError: Text
    version: Generated<number>
    createdAt: Created
    updatedAt: Updated
  }
}

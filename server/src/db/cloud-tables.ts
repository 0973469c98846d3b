import type { ColumnType } from 'kysely'

type Created = ColumnType<Date, Date | string | undefined, never>

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
  }
}

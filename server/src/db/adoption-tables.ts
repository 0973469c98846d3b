import type { ColumnType } from 'kysely'

type Created = ColumnType<Date, Date | string | undefined, never>

export type AdoptionTables = {
  /** A service as it ran on a server before it was adopted. */
  adoptedService: {
    projectId: string
    name: string
    orgId: string
    serverId: string
    /** What it was there. */
    key: string
    /** Sealed: how it ran, with its environment. */
    plan: string
    createdAt: Created
  }
  /** What a project may use of a server that is not its own. */
  mountGrant: {
    id: string
    orgId: string
    projectId: string
    serverId: string
    engineId: string
    kind: 'volume' | 'path'
    source: string
    /** Of a path: where its links ended. */
    realPath: string | null
    /** Of a volume that is a mount of something else. */
    device: string | null
    writable: boolean
    createdBy: string
    createdAt: Created
    revokedBy: ColumnType<string | null, string | null | undefined, string | null>
    revokedAt: ColumnType<Date | null, Date | null | undefined, Date | null>
  }
}

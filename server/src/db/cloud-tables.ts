import type { Deployment } from '@slipway/contract/deployment-shape'
import type { DeploymentStatus } from '@slipway/contract/deployment-states'
import type { ColumnType, GeneratedAlways, JSONColumnType } from 'kysely'

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
  /** A deployment of a project in the cloud; what it is and does is there. */
  cloudDeployment: {
    /** The one that the cloud gave it. */
    id: string
    orgId: string
    projectId: string
    /** As the cloud has shown it last; what lists ask for is taken from it. */
    shown: JSONColumnType<Deployment, string, string>
    status: GeneratedAlways<DeploymentStatus>
    number: GeneratedAlways<number>
    branch: GeneratedAlways<string | null>
    active: GeneratedAlways<boolean>
    seenAt: ColumnType<Date, Date | undefined, Date>
    createdAt: Created
  }
}

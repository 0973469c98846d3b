import type { Platform } from '../../core/platform.ts'
import type { Metrics } from '../metrics.ts'
import type { Streams } from '../open-streams.ts'
import type { Dashboard } from '../pages/dashboard.ts'
import type { Route } from '../route.ts'
import { accessRoutes } from './access.ts'
import { authRoutes } from './auth.ts'
import { backupDestinationRoutes } from './backup-destinations.ts'
import { cliLoginRoutes } from './cli-login.ts'
import { cloudLinkRoutes } from './cloud-link.ts'
import { deploymentRoutes } from './deployments.ts'
import { domainRoutes } from './domains.ts'
import { folderSessionRoutes } from './folder-sessions.ts'
import { githostRoutes } from './githost.ts'
import { githostBrokerRoutes } from './githost-broker.ts'
import { githostDeliveryRoutes } from './githost-deliveries.ts'
import { githostSettingRoutes } from './githost-settings.ts'
import { limitRoutes } from './limits.ts'
import { migrationRoutes } from './migration.ts'
import { operationRoutes } from './operations.ts'
import { projectRoutes } from './projects.ts'
import { registryRoutes } from './registries.ts'
import { relayRoutes } from './relay.ts'
import { serverRoutes } from './servers.ts'

/** Whatever the mode: `only` of an endpoint says which of them serves it. */
export const allRoutes = (platform: Platform, metrics: Metrics, streams: Streams, dashboard: Dashboard): Route[] => [
  ...operationRoutes(platform, metrics),
  ...authRoutes(platform, dashboard),
  ...cliLoginRoutes(platform),
  ...accessRoutes(platform),
  ...limitRoutes(platform),
  ...cloudLinkRoutes(platform),
  ...relayRoutes(platform, streams),
  ...projectRoutes(platform),
  ...domainRoutes(platform),
  ...folderSessionRoutes(platform),
  ...serverRoutes(platform),
  ...deploymentRoutes(platform, streams),
  ...backupDestinationRoutes(platform),
  ...registryRoutes(platform),
  ...githostRoutes(platform),
  ...githostDeliveryRoutes(platform),
  ...githostSettingRoutes(platform),
  ...githostBrokerRoutes(platform),
  ...migrationRoutes(platform),
]

import type { Route } from '../route.ts'
import { accountRoutes } from './accounts.ts'
import { appRoutes } from './apps.ts'
import { commitRoutes } from './commits.ts'
import { contentRoutes } from './contents.ts'
import { deploymentRoutes } from './deployments.ts'
import { gitDataRoutes } from './git-data.ts'
import { hookRoutes } from './hooks.ts'
import { installationRoutes } from './installations.ts'
import { reportRoutes } from './reports.ts'
import { repositoryRoutes } from './repositories.ts'

/** The whole API. The first that fits answers: reports stand before commits, whose names may have slashes. */
export const routes: Route[] = [
  ...accountRoutes,
  ...appRoutes,
  ...installationRoutes,
  ...hookRoutes,
  ...reportRoutes,
  ...deploymentRoutes,
  ...contentRoutes,
  ...gitDataRoutes,
  ...commitRoutes,
  ...repositoryRoutes,
]

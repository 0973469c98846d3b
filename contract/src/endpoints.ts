import { audit, members, tokens } from './access.ts'
import { auth } from './auth.ts'
import { backupDestinations } from './backup-destinations.ts'
import { cliLogin } from './cli-login.ts'
import { deployments } from './deployments.ts'
import { domains } from './domains.ts'
import { type Endpoint, isServedIn, type Mode } from './endpoint.ts'
import { folderSessions } from './folder-sessions.ts'
import { githost } from './githost.ts'
import { githostBroker } from './githost-broker.ts'
import { githostDeliveries } from './githost-deliveries.ts'
import { githostSettings } from './githost-settings.ts'
import { limits } from './limits.ts'
import { cloudLink, links } from './link.ts'
import { me } from './me.ts'
import { migration } from './migration.ts'
import { operations } from './operations.ts'
import { projects } from './projects.ts'
import { promotion } from './promotion.ts'
import { registries } from './registries.ts'
import { relay } from './relay.ts'
import { servers } from './servers.ts'
import { services, variables } from './services.ts'

/** The whole API, by area. */
export const endpoints = {
  operations,
  auth,
  cliLogin,
  me,
  tokens,
  links,
  cloudLink,
  relay,
  members,
  audit,
  limits,
  projects,
  promotion,
  services,
  variables,
  domains,
  folderSessions,
  servers,
  deployments,
  backupDestinations,
  registries,
  githost,
  githostDeliveries,
  githostSettings,
  githostBroker,
  migration,
} as const satisfies Record<string, Record<string, Endpoint>>

export type Areas = Record<string, Record<string, Endpoint>>

/** What one mode serves of it. */
export function endpointsIn(mode: Mode): Areas {
  const areas = Object.entries<Areas[string]>(endpoints).map(([area, rows]) => {
    const served = Object.entries(rows).filter(([, row]) => isServedIn(mode, row))
    return [area, Object.fromEntries(served)] as const
  })
  return Object.fromEntries(areas.filter(([, rows]) => Object.keys(rows).length > 0))
}

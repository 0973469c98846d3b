import { servers } from '@slipway/contract/servers'
import type { Platform } from '../../core/platform.ts'
import { checkServer } from '../../core/servers/check.ts'
import { createServer, listServers, removeServer, showServer, updateServer } from '../../core/servers/manage.ts'
import { showServerUsage } from '../../core/servers/usage.ts'
import { aborted } from '../abort-on-disconnect.ts'
import { on, type Route } from '../route.ts'

export const serverRoutes = (platform: Platform): Route[] => [
  on(servers.list, ({ caller, query }) => listServers(platform, caller, query)),
  on(servers.create, ({ caller, body }) => createServer(platform, caller, body)),
  on(servers.show, ({ caller, params }) => showServer(platform, caller, params.id)),
  on(servers.update, ({ caller, params, body, ifMatch }) => updateServer(platform, caller, params.id, body, ifMatch)),
  on(servers.remove, ({ caller, params, reply }) => removeServer(platform, caller, params.id, aborted(reply))),
  on(servers.usage, ({ caller, params, reply }) => showServerUsage(platform, caller, params.id, aborted(reply))),
  on(servers.check, ({ caller, params, reply }) => checkServer(platform, caller, params.id, aborted(reply))),
]

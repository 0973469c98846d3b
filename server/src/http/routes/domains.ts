import { domains } from '@slipway/contract/domains'
import { checkDomain } from '../../core/domains/names/check.ts'
import { listAllDomains, listDomains } from '../../core/domains/names/list.ts'
import { addDomain, removeDomain } from '../../core/domains/names/manage.ts'
import type { Platform } from '../../core/platform.ts'
import { aborted } from '../abort-on-disconnect.ts'
import { on, type Route } from '../route.ts'

export const domainRoutes = (platform: Platform): Route[] => [
  on(domains.all, ({ caller, query }) => listAllDomains(platform, caller, query)),
  on(domains.list, ({ caller, params, query }) => listDomains(platform, caller, params.id, query)),
  on(domains.add, ({ caller, params, body, reply }) => addDomain(platform, caller, params.id, body, aborted(reply))),
  on(domains.check, ({ caller, params, body, reply }) =>
    checkDomain(platform, caller, params.id, body.host, aborted(reply)),
  ),
  on(domains.remove, ({ caller, params, query }) =>
    removeDomain(platform, caller, params.id, params.host, query.targetPath),
  ),
]

import { registries } from '@slipway/contract/registries'
import type { Platform } from '../../core/platform.ts'
import { checkRegistry } from '../../core/registries/check.ts'
import {
  createRegistry,
  listRegistries,
  removeRegistry,
  showRegistry,
  updateRegistry,
} from '../../core/registries/manage.ts'
import { aborted } from '../abort-on-disconnect.ts'
import { on, type Route } from '../route.ts'

export const registryRoutes = (platform: Platform): Route[] => [
  on(registries.list, ({ caller, query }) => listRegistries(platform, caller, query)),
  on(registries.create, ({ caller, body, reply }) => createRegistry(platform, caller, body, aborted(reply))),
  on(registries.show, ({ caller, params }) => showRegistry(platform, caller, params.id)),
  on(registries.update, ({ caller, params, body, ifMatch, reply }) =>
    updateRegistry(platform, caller, params.id, body, { ifMatch, signal: aborted(reply) }),
  ),
  on(registries.remove, ({ caller, params }) => removeRegistry(platform, caller, params.id)),
  on(registries.check, ({ caller, params }) => checkRegistry(platform, caller, params.id)),
]

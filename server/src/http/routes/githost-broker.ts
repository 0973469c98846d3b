import { githostBroker } from '@slipway/contract/githost-broker'
import {
  beginForInstance,
  installationsForInstance,
  tokenForInstance,
} from '../../core/githost/broker/serve-instances.ts'
import type { Platform } from '../../core/platform.ts'
import { aborted } from '../abort-on-disconnect.ts'
import { on, type Route } from '../route.ts'

export const githostBrokerRoutes = (platform: Platform): Route[] => [
  on(githostBroker.begin, ({ caller, body }) => beginForInstance(platform, caller, body)),
  on(githostBroker.installations, ({ caller }) => installationsForInstance(platform, caller)),
  on(githostBroker.token, ({ caller, body, reply }) => tokenForInstance(platform, caller, body, aborted(reply))),
]

import { cloudLink } from '@slipway/contract/link'
import { beginLink } from '../../core/cloud/begin-link.ts'
import { endLink } from '../../core/cloud/end-link.ts'
import { showLink } from '../../core/cloud/show-link.ts'
import type { Platform } from '../../core/platform.ts'
import { on, type Route } from '../route.ts'

export const cloudLinkRoutes = (platform: Platform): Route[] => [
  on(cloudLink.show, ({ caller }) => showLink(platform, caller)),
  on(cloudLink.begin, ({ caller }) => beginLink(platform, caller)),
  on(cloudLink.end, ({ caller }) => endLink(platform, caller)),
]

import { cloudLink } from '@slipway/contract/link'
import { promotion } from '@slipway/contract/promotion'
import { beginLink } from '../../core/cloud/begin-link.ts'
import { endLink } from '../../core/cloud/end-link.ts'
import { giveBack } from '../../core/cloud/promote/give-back.ts'
import { showPromotion } from '../../core/cloud/promote/show.ts'
import { showLink } from '../../core/cloud/show-link.ts'
import type { Platform } from '../../core/platform.ts'
import { on, type Route } from '../route.ts'

export const cloudLinkRoutes = (platform: Platform): Route[] => [
  on(cloudLink.show, ({ caller }) => showLink(platform, caller)),
  on(cloudLink.begin, ({ caller }) => beginLink(platform, caller)),
  on(cloudLink.end, ({ caller, query }) => endLink(platform, caller, query.force === 'true')),
  on(promotion.show, ({ caller, params }) => showPromotion(platform, caller, params.id)),
  on(promotion.giveBack, ({ caller, params }) => giveBack(platform, caller, params.id)),
]

import { limits } from '@slipway/contract/limits'
import { listLimits } from '../../core/limits/list.ts'
import type { Platform } from '../../core/platform.ts'
import { on, type Route } from '../route.ts'

export const limitRoutes = (platform: Platform): Route[] => [
  on(limits.list, ({ caller }) => listLimits(platform, caller)),
]

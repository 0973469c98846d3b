import { githostSettings } from '@slipway/contract/githost-settings'
import { listRules, setRules } from '../../core/githost/rules.ts'
import type { Platform } from '../../core/platform.ts'
import { on, type Route } from '../route.ts'

export const githostSettingRoutes = (platform: Platform): Route[] => [
  on(githostSettings.rules, ({ caller }) => listRules(platform, caller)),
  on(githostSettings.setRules, ({ caller, body }) => setRules(platform, caller, body)),
]

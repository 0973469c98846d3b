import { githostSettings } from '@slipway/contract/githost-settings'
import { rotateHookSecret, setAppKey } from '../../core/githost/connect/rotate.ts'
import { listRules, setRules } from '../../core/githost/rules.ts'
import type { Platform } from '../../core/platform.ts'
import { aborted } from '../abort-on-disconnect.ts'
import { on, type Route } from '../route.ts'

export const githostSettingRoutes = (platform: Platform): Route[] => [
  on(githostSettings.rules, ({ caller }) => listRules(platform, caller)),
  on(githostSettings.setRules, ({ caller, body }) => setRules(platform, caller, body)),
  on(githostSettings.setKey, ({ caller, body, reply }) => setAppKey(platform, caller, body, aborted(reply))),
  on(githostSettings.rotateHookSecret, ({ caller, body, reply }) =>
    rotateHookSecret(platform, caller, body, aborted(reply)),
  ),
]

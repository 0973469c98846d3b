import { Gauge, type Registry } from 'prom-client'
import { platformBackups } from '../core/operations/platform-backups.ts'
import type { Platform } from '../core/platform.ts'

/** Backups of the platform itself. None is known to be good until one is: missing and unreadable notes count as 0. */
export function measureBackups(registry: Registry, platform: Pick<Platform, 'dataDir'>): void {
  for (const what of ['backup', 'drill'] as const) {
    new Gauge({
      name: `slipway_${what}_ok`,
      help: `1: the last ${what} of the platform itself went well; 0: it failed, or none is known of`,
      registers: [registry],
      async collect() {
        const { [what]: last } = await platformBackups(platform)
        this.set(last?.ok ? 1 : 0)
      },
    })
    new Gauge({
      name: `slipway_${what}_last_success_timestamp_seconds`,
      help: `When a ${what} of the platform itself last went well; not there where none is known of`,
      registers: [registry],
      async collect() {
        this.remove()
        const { [what]: last } = await platformBackups(platform)
        if (last?.lastSuccessAt) this.set(Date.parse(last.lastSuccessAt) / 1000)
      },
    })
  }
}

import { join, resolve } from 'node:path'

/** The dashboard of the release that is proved; of this checkout, where none is named. */
export function provedDashboard(release = process.env.SLIPWAY_PROVE_RELEASE): string {
  return release ? resolve(release, 'dashboard') : join(import.meta.dirname, '../../../dashboard/dist')
}

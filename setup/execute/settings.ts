import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readSettings, readText, settingsText, writeWhole } from '../files.ts'
import { PATHS } from '../paths.ts'
import { clusterUrl } from './cluster.ts'
import { OWN_BUILDX } from './engine.ts'

/** What is there stays: it has the keys, and whatever somebody changed by hand. */
export async function writeSettings(values: Record<string, string>): Promise<void> {
  const had = readSettings(PATHS.settings)
  const { SLIPWAY_DATABASE_URL = await ownDatabase(values), SLIPWAY_SECRET_KEY = randomBytes(32).toString('hex') } = had
  const buildx = existsSync(OWN_BUILDX) ? { SLIPWAY_BUILDX: OWN_BUILDX } : {}
  const all = { ...had, ...buildx, ...values, SLIPWAY_DATABASE_URL, SLIPWAY_SECRET_KEY }
  writeWhole(PATHS.settings, settingsText(all), 0o600)
}

const ownDatabase = async ({ SLIPWAY_DATABASE_URL }: Record<string, string>) => SLIPWAY_DATABASE_URL ?? clusterUrl()

export function drawPassphrase(): void {
  if (readText(PATHS.passphrase) === null) writeWhole(PATHS.passphrase, `${randomBytes(20).toString('hex')}\n`, 0o600)
}

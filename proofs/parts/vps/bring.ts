import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Argv } from '../../../lab/run.ts'
import type { Vps } from '../../../lab/vps/boot.ts'
import type { Authority } from './authority.ts'
import { offlineFolder } from './release.ts'

const RELEASE = '/srv/release'
const OFFLINE = '/srv/offline'
const TRUST = '/srv/trust'
const INSTALL_MS = 900_000

/** What somebody carries to a machine without a way out: a release as it is published, images, and whom it has to believe. */
export function bring(vps: Vps, published: string, authority: Authority): void {
  rmSync(join(vps.root, RELEASE), { recursive: true, force: true })
  cpSync(published, join(vps.root, RELEASE), { recursive: true })
  offlineFolder(join(vps.root, OFFLINE))
  mkdirSync(join(vps.root, TRUST), { recursive: true })
  writeFileSync(join(vps.root, TRUST, 'acme.pem'), authority.tls)
  writeFileSync(join(vps.root, TRUST, 'issuing.pem'), authority.issuing)
}

/** The line that a person types, with what this laboratory needs. */
export function installing(vps: Vps, authority: Authority, more: string[] = []): Argv {
  const settings = {
    ...authority.settings,
    SLIPWAY_ACME_CA_FILE: `${TRUST}/acme.pem`,
    SLIPWAY_TLS_CA_FILE: `${TRUST}/issuing.pem`,
    SLIPWAY_PUBLIC_ADDRESSES: vps.address,
    SLIPWAY_BASE_DOMAIN: 'apps.test',
    // Load is not what these proofs are about.
    SLIPWAY_RATE_PER_ADDRESS: '100000000',
    SLIPWAY_RATE_PER_TOKEN: '100000000',
  }
  const set = Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`])
  const flags = ['--email', 'you@example.com', '--offline', OFFLINE, '--json', '--yes', ...set, ...more]
  return ['sh', `${RELEASE}/install.sh`, '--from', RELEASE, '--', ...flags]
}

/** Installs, and answers with the token of the first owner. */
export async function install(
  vps: Vps,
  authority: Authority,
  more: string[] = [],
): Promise<{ token: string; said: string }> {
  const { code, out, err } = await vps.ended(installing(vps, authority, more), { deadlineMs: INSTALL_MS })
  if (code !== 0) throw new Error(`the installation ended with ${code}:\n${err}`)
  return { token: JSON.parse(out).token, said: err }
}

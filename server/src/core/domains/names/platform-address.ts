import { isIP } from 'node:net'
import type { InstanceAddress } from '@slipway/contract/operations'
import { transaction } from '../../../db/database.ts'
import type { BaseParts } from '../../parts.ts'
import { shapeCertificate } from '../certificates/state.ts'
import * as store from './platform-store.ts'
import * as names from './store.ts'

type Parts = Pick<BaseParts, 'db' | 'config'>

/** The name by which visitors reach the platform through the edge of this machine; null where nobody set it up so. */
function addressOf({ publicUrl, platformSocket }: Parts['config']): string | null {
  const { protocol, hostname } = new URL(publicUrl)
  const isName = hostname.includes('.') && isIP(hostname) === 0
  return platformSocket !== null && protocol === 'https:' && isName ? hostname : null
}

/**
 * Makes the platform's name the one that its operator set, as soon as an organization has this machine as a server. Its certificate is
 * then looked after like any other.
 */
export async function claimAddress({ db, config }: Parts): Promise<void> {
  const host = addressOf(config)
  const known = await store.find(db)
  const orgId = host === null ? undefined : await store.holderOfMachine(db)
  if (known?.host === host && known?.orgId === orgId) return
  await transaction(db, async (tx) => {
    if (known) await store.release(tx)
    if (host !== null && orgId !== undefined) await store.claim(tx, { host, orgId })
  })
}

/** How far it is: where the name leads, and its certificate. */
export async function showAddress({ db, config }: Parts): Promise<InstanceAddress> {
  const { publicUrl: url } = config
  const host = addressOf(config)
  const base = { url, host, dns: null, certificate: null, live: false }
  if (host === null) return { ...base, message: NOT_BY_EDGE }
  const known = await store.find(db)
  if (known?.host !== host) {
    const holder = await names.holderOf(db, host)
    return { ...base, message: holder?.projectId ? TAKEN(host) : NO_SERVER }
  }
  const row = await store.certificate(db, known)
  if (!row) return { ...base, message: NO_SERVER }
  const certificate = config.acme === null ? null : shapeCertificate(row, 'live')
  const live = row.installed !== null && row.notAfter !== null && row.notAfter.getTime() > Date.now()
  const message = live ? `The edge leads ${host} here.` : waitsFor(host, certificate?.reason ?? row.dns?.message)
  return { ...base, dns: row.dns, certificate, live, message }
}

const NOT_BY_EDGE =
  'The platform is not reached through the edge: that needs SLIPWAY_PUBLIC_URL with https and a name, and SLIPWAY_PLATFORM_SOCKET. `slipway setup install --domain NAME` sets both.'
const NO_SERVER = 'Add this machine as a server: its edge leads the name here.'
const TAKEN = (host: string) => `A project has ${host}: remove the name there, and it becomes the platform’s.`
const waitsFor = (host: string, reason: string | null | undefined) =>
  reason ?? `${host} leads here as soon as it has its certificate.`

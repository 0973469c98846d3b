import { isIP } from 'node:net'
import type { Config } from '../../../config.ts'
import { kindOf } from '../../networks/address-guard.ts'
import { REDIRECT_PATH } from './connect.ts'

/** Where deliveries of the host go; null: the host could not reach it, so it is asked instead. */
export function hookAddress({ publicUrl }: Pick<Config, 'publicUrl'>, key: string): string | null {
  const { hostname, protocol } = new URL(publicUrl)
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  const isHere = bare === 'localhost' || bare.endsWith('.localhost') || !bare.includes('.')
  if (protocol !== 'https:' || (isIP(bare) === 0 ? isHere : kindOf(bare) !== null)) return null
  return `${publicUrl}/api/githost/webhook?k=${key}`
}

/** An app of the organization's own: what it may do is the least that deploying and its green tick need. */
export function manifestOf(config: Pick<Config, 'publicUrl'>, key: string): string {
  const back = `${config.publicUrl}${REDIRECT_PATH}`
  const hook = hookAddress(config, key)
  return JSON.stringify({
    name: `slipway-${key.slice(-10)}`,
    url: config.publicUrl,
    hook_attributes: hook === null ? { url: `${config.publicUrl}/api/githost/webhook`, active: false } : { url: hook },
    redirect_url: back,
    callback_urls: [back],
    setup_url: back,
    setup_on_update: true,
    public: false,
    request_oauth_on_install: true,
    default_events: ['push', 'repository'],
    default_permissions: { metadata: 'read', contents: 'read', statuses: 'write', deployments: 'write' },
  })
}

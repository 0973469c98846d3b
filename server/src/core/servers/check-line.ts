import type { ServerCheck } from '@slipway/contract/servers'

type Name = ServerCheck['name']
export const ok = (name: Name, found: string): ServerCheck => ({ name, state: 'ok', found, fix: null })
export const failed = (name: Name, found: string, fix: string): ServerCheck => ({ name, state: 'failed', found, fix })
export const warning = (name: Name, found: string, fix: string): ServerCheck => ({ name, state: 'warning', found, fix })
export const unknown = (name: Name, found: string): ServerCheck => ({
  name,
  state: 'unknown',
  found,
  fix: 'Allow SFTP for this user, so that it can be read.',
})

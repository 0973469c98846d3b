import type { Config } from '../config.ts'
import type { Links } from '../core/access/links.ts'
import { find } from '../core/cloud/link-store.ts'
import { findOfToken } from '../core/tokens/links/store.ts'

/** Each side has the links of its own kind alone. */
export const linksOf = ({ mode }: Config): Links => ({
  toCloud: async (db, orgId) => mode !== 'cloud' && (await find(db, orgId)) !== undefined,
  isInstance: async (db, { kind, orgId, credentialId }) =>
    mode === 'cloud' && kind === 'token' && (await findOfToken(db, orgId, credentialId)) !== undefined,
})

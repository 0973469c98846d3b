import type { Migration } from 'kysely/migration'

/**
 * Expand, then contract. Most migrations only add: a build that does not know of them goes on beside them. One that takes
 * away, renames or forbids what older builds write is a contraction, and says from which migration on a build can live with
 * it: that is the release that stopped using it. `server/test/db/expand.test.ts` finds those that do not say so.
 */
export type SchemaMigration = Migration & { contract?: { floor: string; why: string } }

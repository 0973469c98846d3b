import { randomUUID } from 'node:crypto'
import type { GitHost } from '../../../lab/githost/start.ts'
import { appPlace } from '../../../server/src/core/githost/secrets.ts'
import { newId } from '../../../server/src/db/ids.ts'
import { parseKeyRing } from '../../../server/src/drivers/crypto/key-ring.ts'
import type { TestDatabase } from '../../../test-kit/database.ts'
import { SECRET_KEY } from '../../../test-kit/server-process.ts'

export type Connection = { key: string; secret: string; linkId: string }
type Wanted = { host: GitHost; orgId: string; owner: string; hookUrl: (key: string) => string }

/** An app at the lab's host, installed and linked to an organization: rows as connecting leaves them. */
export async function connect(
  { db }: Pick<TestDatabase, 'db'>,
  { host, orgId, owner, hookUrl }: Wanted,
): Promise<Connection> {
  const keys = parseKeyRing(SECRET_KEY)
  const [id, key, secret, linkId] = [newId('gha'), randomUUID(), randomUUID(), newId('ghl')]
  const permissions = { metadata: 'read', contents: 'read', statuses: 'write', deployments: 'write' }
  const wanted = {
    name: `slipway-${key.slice(0, 8)}`,
    webhookSecret: secret,
    permissions,
    events: ['push'],
    public: true,
  }
  const app = host.do.app({ owner, hookUrl: hookUrl(key), ...wanted } as Parameters<typeof host.do.app>[0])
  const { id: installationId } = host.do.install({ slug: app.slug, login: owner })
  const names = {
    host: new URL(host.url).host,
    appId: app.id,
    slug: app.slug,
    owner,
    clientId: app.clientId,
    hookKey: key,
  }
  await db
    .insertInto('githostApp')
    .values({
      ...{ id, orgId, ...names },
      privateKey: keys.seal(app.pem, appPlace(id, 'private_key')),
      hookSecret: keys.seal(secret, appPlace(id, 'hook_secret')),
    })
    .execute()
  const account = { accountId: 1, accountLogin: owner, accountType: 'Organization', selection: 'all' as const }
  const installation = { app: id, installationId, ...account, permissions: JSON.stringify(permissions) }
  await db.insertInto('githostInstallation').values(installation).execute()
  await db
    .insertInto('githostLink')
    .values({ id: linkId, orgId, app: id, installationId, repoIds: null, proofLogin: 'proof' })
    .execute()
  return { key, secret, linkId }
}

/** As the listing of the installation leaves it. */
export async function mirror(
  { db }: Pick<TestDatabase, 'db'>,
  { orgId, linkId }: { orgId: string; linkId: string },
  repositories: { id: number; owner: string; name: string }[],
): Promise<void> {
  const rows = repositories.map(({ id, owner, name }) => ({
    ...{ orgId, sourceKey: linkId, rank: 1, repoId: id, owner, ownerType: 'Organization', name, private: true },
    ...{ fullNameKey: `${owner}/${name}`, defaultBranch: 'main', pushedAt: new Date(), permissions: '{}' },
  }))
  for (let at = 0; at < rows.length; at += 1000)
    await db
      .insertInto('githostRepository')
      .values(rows.slice(at, at + 1000))
      // The instance lists them by itself, and may have come first.
      .onConflict((conflict) => conflict.doNothing())
      .execute()
}

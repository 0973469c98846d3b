import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { GitHost } from '../../../lab/githost/start.ts'
import { appPlace } from '../../../server/src/core/githost/secrets.ts'
import { newId } from '../../../server/src/db/ids.ts'
import { parseKeyRing } from '../../../server/src/drivers/crypto/key-ring.ts'
import type { TestDatabase } from '../../../test-kit/database.ts'
import { SECRET_KEY } from '../../../test-kit/server-process.ts'

const SHA = 'a'.repeat(40)
type App = { id: string; slug: string }
type Installed = { orgId: string; linkId: string; repositories: { id: number; name: string }[]; login: string }
export type Filling = { installations: number; each: number; large: number; silentShare: number }

/** Installations with repositories each, at the host and in the tables; of the last app nothing was ever told. */
export async function fill(database: TestDatabase, host: GitHost, dir: string, filling: Filling): Promise<string> {
  host.do.user({ login: 'owner' })
  const [told, silent] = [await addApp(database, host, true), await addApp(database, host, false)]
  const silentFrom = Math.round(filling.installations * (1 - filling.silentShare))
  const some: Installed[] = []
  const flush = async (app: App) => insert(database, host, app, some.splice(0))
  for (let n = 0; n < filling.installations; n++) {
    const app = n < silentFrom ? told : silent
    if (n === silentFrom) await flush(told)
    some.push(await install(host, dir, app, `org-${n}`, filling.each))
    if (some.length === 200) await flush(app)
  }
  await flush(silent)
  const large = await install(host, dir, silent, 'large', filling.large)
  await insert(database, host, silent, [large])
  await database.pool.query('analyze')
  return large.orgId
}

async function addApp({ db }: TestDatabase, host: GitHost, isHeard: boolean): Promise<App> {
  const made = host.do.app({
    owner: 'owner',
    name: `app-${randomUUID().slice(0, 8)}`,
    permissions: { contents: 'read' },
    public: true,
  })
  const id = newId('gha')
  const privateKey = parseKeyRing(SECRET_KEY).seal(made.pem, appPlace(id, 'private_key'))
  const names = {
    host: new URL(host.url).host,
    appId: made.id,
    slug: made.slug,
    owner: 'owner',
    clientId: made.clientId,
  }
  const heardAt = isHeard ? new Date() : null
  await db
    .insertInto('githostApp')
    .values({ id, orgId: null, ...names, hookKey: id, privateKey, heardAt })
    .execute()
  return { id, slug: made.slug }
}

const installationIds = new Map<string, number>()

async function install(host: GitHost, dir: string, { slug }: App, login: string, count: number): Promise<Installed> {
  host.do.org({ login })
  const repositories = []
  for (let n = 0; n < count; n++) {
    const name = `r${n}`
    const { id } = await host.do.repo({ full: `${login}/${name}`, private: true, stored: false })
    // Nobody clones it: where its branch is, is all there is of it.
    const heads = join(dir, 'repositories', `${id}.git`, 'refs/heads')
    await mkdir(heads, { recursive: true })
    await writeFile(join(heads, 'main'), `${SHA}\n`)
    repositories.push({ id, name })
  }
  installationIds.set(login, host.do.install({ slug, login }).id)
  return { orgId: newId('org'), linkId: newId('ghl'), repositories, login }
}

async function insert({ db }: TestDatabase, host: GitHost, app: App, some: Installed[]): Promise<void> {
  if (some.length === 0) return
  await db
    .insertInto('organization')
    .values(some.map(({ orgId, login }) => ({ id: orgId, name: login })))
    .execute()
  const installation = {
    app: app.id,
    accountId: 1,
    accountType: 'Organization',
    selection: 'all' as const,
    permissions: '{}',
  }
  const idOf = (login: string) => installationIds.get(login) ?? 0
  const installed = some.map(({ login }) => ({ ...installation, installationId: idOf(login), accountLogin: login }))
  await db.insertInto('githostInstallation').values(installed).execute()
  const link = { app: app.id, repoIds: null, proofLogin: 'proof' }
  const links = some.map(({ linkId, orgId, login }) => ({ id: linkId, orgId, installationId: idOf(login), ...link }))
  await db.insertInto('githostLink').values(links).execute()
  const all = some.flatMap(({ repositories, ...one }) => repositories.map((repository) => ({ ...one, ...repository })))
  const times = { pushedAt: new Date(), permissions: '{}' }
  for (let from = 0; from < all.length; from += 1000) {
    const part = all.slice(from, from + 1000)
    const rows = part.map(({ orgId, linkId, login, id, name }) => ({
      ...{
        orgId,
        sourceKey: linkId,
        rank: 1,
        repoId: id,
        owner: login,
        ownerType: 'Organization',
        name,
        private: true,
      },
      ...{ fullNameKey: `${login}/${name}`, defaultBranch: 'main', ...times },
    }))
    await db.insertInto('githostRepository').values(rows).execute()
    const key = { host: new URL(host.url).host, ref: 'refs/heads/main' }
    const heads = part.map(({ orgId, id }) => ({ orgId, repoId: id, ...key, sha: SHA, seq: 1, pollAt: new Date() }))
    await db.insertInto('githostHead').values(heads).execute()
  }
}

import { createHash, randomUUID } from 'node:crypto'
import { appPlace } from '../../../server/src/core/githost/secrets.ts'
import { newId } from '../../../server/src/db/ids.ts'
import { parseKeyRing } from '../../../server/src/drivers/crypto/key-ring.ts'
import type { TestDatabase } from '../../../test-kit/database.ts'
import { freePort } from '../../../test-kit/free-port.ts'
import { SECRET_KEY } from '../../../test-kit/server-process.ts'
import { openSite, type Site } from '../../../test-kit/site.ts'
import { until } from '../../../test-kit/until.ts'
import { leadTo, link, openFront } from '../forward/ground.ts'
import { hold } from '../push/storm.ts'

const HOST = 'git.example.com'
const INSTALLATION = 7001
/** One in so many. */
const DEPLOYING = 5
export const REF = 'refs/heads/main'

export type Hook = { key: string; secret: string; installationId: number }
export type Repository = { repoId: number; full: string }
export type Ground = Awaited<ReturnType<typeof openGround>>

/** Commits that both sides know without a repository: what is relayed is never fetched. */
export const commitOf = (repoId: number, n: number) => createHash('sha1').update(`${repoId} ${n}`).digest('hex')

/** A cloud and an instance that are linked by a code; at the cloud an app of the git host, here a project for each repository. */
export async function openGround(repositories: number) {
  const [front, port] = [await openFront(), await freePort()]
  const both = { SLIPWAY_GITHOST_URL: `https://${HOST}` }
  const hosted = { ...both, SLIPWAY_MODE: 'cloud', SLIPWAY_PUBLIC_URL: front.url }
  const cloud = await openSite({ name: 'relaycloud', env: hosted })
  const env = { ...both, SLIPWAY_CLOUD_URL: front.url, SLIPWAY_CLOUD_CA_FILE: front.caFile }
  const own = await openSite({ name: 'relayown', env, slot: 1 })
  const close = async () => {
    await own.close()
    await cloud.close()
    front.close()
  }
  try {
    front.to(await cloud.start({ port }))
    await own.start()
    await link(own, cloud, front.url)
    await leadTo(own, cloud.base())
    const hook = await connectCloud(cloud)
    const followed = await followHere(own, repositories)
    // It followed the front until now; from here on the cloud is found where it listens.
    await restart(own)
    await following(own)
    return { cloud, own, port, hook, repositories: followed, close }
  } catch (error) {
    await close()
    throw error
  }
}

const following = (own: Site) =>
  until('the instance follows its cloud', 60_000, async () => {
    const { relay } = await own.ask('GET', '/api/cloud/link')
    return relay.state === 'following' || undefined
  })

/** By a kill that nothing can catch, and at once anew. */
export async function restart(site: Site, port?: number): Promise<void> {
  await site.replicas.at(-1)?.stop('SIGKILL')
  await site.start(port === undefined ? {} : { port })
}

/** The app of the cloud, installed and linked to the organization: rows as connecting leaves them. */
async function connectCloud({ database, orgId }: Site): Promise<Hook> {
  const { db } = database as TestDatabase
  const [id, key, secret] = [newId('gha'), randomUUID(), randomUUID()]
  const names = { host: HOST, appId: 1, slug: 'relay', owner: 'acme', clientId: 'client', hookKey: key }
  const hookSecret = parseKeyRing(SECRET_KEY).seal(secret, appPlace(id, 'hook_secret'))
  await db
    .insertInto('githostApp')
    .values({ id, orgId: null, ...names, hookSecret })
    .execute()
  const account = { accountId: 1, accountLogin: 'acme', accountType: 'Organization', selection: 'all' as const }
  const [app, installationId] = [id, INSTALLATION]
  await db
    .insertInto('githostInstallation')
    .values({ app, installationId, ...account, permissions: '{}' })
    .execute()
  await db
    .insertInto('githostLink')
    .values({ id: newId('ghl'), orgId, app, installationId, repoIds: null, proofLogin: 'proof' })
    .execute()
  return { key, secret, installationId }
}

/**
 * Projects here whose branches are known. Their rows are written straight into the database: there is no git host that they could be
 * connected to, and what is proved begins where a delivery comes. Some of them deploy what is pushed, and what they deploy waits behind
 * something that never ends; the others decide not to, which costs less: how much is deployed in a while is what `push` is about.
 */
async function followHere(site: Site, count: number): Promise<Repository[]> {
  const { db } = site.database as TestDatabase
  const { orgId } = site
  const serverId = newId('srv')
  const privateKey = parseKeyRing(SECRET_KEY).seal('none', `server/${serverId}/private_key`)
  const where = { kind: 'ssh', host: '192.0.2.1', port: 22, loginUser: 'root', privateKey }
  await db
    .insertInto('server')
    .values({ id: serverId, orgId, name: 'nowhere', ...where } as never)
    .execute()
  const all: (Repository & { projectId: string })[] = []
  for (let n = 0; n < count; n++) {
    const [repoId, full] = [1000 + n, `acme/relay${n}`]
    const settings = { autoDeploy: n % DEPLOYING === 0 }
    const more = { repository: `https://${HOST}/${full}.git`, branch: 'main', serverId, settings }
    const projectId = await site.project(`relay${n}`, more)
    const linked = { githostRepoId: repoId, githostAllowed: true, headRef: REF, headSeq: 1 }
    await db.updateTable('project').set(linked).where('id', '=', projectId).execute()
    const head = { orgId, host: HOST, repoId, ref: REF, sha: commitOf(repoId, 0), seq: 1 }
    await db.insertInto('githostHead').values(head).execute()
    all.push({ repoId, full, projectId })
  }
  await hold({ db } as TestDatabase, orgId, all as never)
  return all
}

import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'
import type { Org, World } from '../../../../test-kit/world.ts'
import { followLinks } from '../../../src/core/cloud/relay/follow-links.ts'
import { readEvents, type SentEvent } from '../../../src/core/cloud/relay/read-events.ts'
import { appPlace } from '../../../src/core/githost/secrets.ts'
import { keepInstallation } from '../../../src/core/githost/store.ts'
import { newId } from '../../../src/db/ids.ts'
import { link, pushBody, send } from '../githost/push-stage.ts'
import { startTwoWorlds } from '../links/two-worlds.ts'

/** A commit that anybody can name. */
export const commit = (name: string) => createHash('sha1').update(name).digest('hex')

/** A cloud with an app at the git host, and an instance whose organizations are linked to some there. */
export async function startRelay() {
  const worlds = await startTwoWorlds()
  const { cloud, home, linked, secretsOf } = worlds
  const app = await appAt(cloud)
  const ends: (() => unknown)[] = []
  afterAll(async () => {
    for (const end of ends) await end()
  })
  return {
    ...worlds,
    app,
    /** Linked to each other, and the one at the cloud to the installation of the app as well. */
    pair: async (name: string) => {
      const { here, there } = await linked(name)
      await link({ world: cloud } as never, there, app)
      const { id: linkId } = (await there.owner.api('GET', '/api/links')).body.data[0]
      return { here, there, linkId: linkId as string, credential: (await secretsOf(here)).credential }
    },
    deliver: (repoId: number, before: string, after: string, guid: string = randomUUID()) =>
      send(cloud, app, pushBody(app, 'acme/shop', { repoId, before, after }), { guid }),
    /** A process of the instance that follows its links. */
    follow: (platform = home.platform) => {
      const following = followLinks(platform)
      ends.push(following.stop)
      return following
    },
    /** What a link hears, from the cloud itself. */
    listen: async (credential: string, query = '', headers: Record<string, string> = {}) => {
      const listening = await listen(cloud, credential, query, headers)
      ends.push(listening.close)
      return listening
    },
  }
}

async function appAt(world: World) {
  const { db, keys, config } = world.platform
  const [row, key, secret, installationId] = [newId('gha'), randomUUID(), randomUUID(), 7001]
  const names = { host: config.githost.host, appId: 77, slug: 'relayed', owner: 'acme', clientId: 'client' }
  const hookSecret = keys.seal(secret, appPlace(row, 'hook_secret'))
  await db
    .insertInto('githostApp')
    .values({ id: row, orgId: null, ...names, hookKey: key, hookSecret })
    .execute()
  const account = { id: 1, login: 'acme', type: 'Organization', avatarUrl: null }
  const permissions = { contents: 'read' }
  await keepInstallation(db, row, { id: installationId, account, selection: 'all', permissions, suspended: false })
  return { row, key, secret, slug: 'relayed', installationId }
}

async function listen(world: World, credential: string, query: string, headers: Record<string, string>) {
  const { port } = world.app.server.address() as AddressInfo
  const authorization = `Bearer ${credential}`
  const asked = request({ port, path: `/api/relay/stream${query}`, headers: { authorization, ...headers } })
  asked.end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  const heard: SentEvent[] = []
  const ended = (async () => {
    try {
      for await (const events of readEvents(answer)) heard.push(...events)
    } catch {}
  })()
  return {
    status: answer.statusCode,
    heard,
    ended,
    numbers: () => heard.filter(({ event }) => event === 'delivery').map(({ id }) => Number(id)),
    close: () => asked.destroy(),
  }
}

/** A project at the instance whose branch is known, as the connection to the git host leaves it. */
export async function followed({ platform }: World, org: Org, repoId: number, sha: string): Promise<string> {
  const { db, config } = platform
  const { body } = await org.owner.api('POST', '/api/projects', { name: `relayed-${repoId}`, branch: 'main' })
  const ref = 'refs/heads/main'
  await db
    .updateTable('project')
    .set({
      githostRepoId: repoId,
      githostAllowed: true,
      headRef: ref,
      headSeq: 1,
      settings: { autoDeploy: false },
    } as never)
    .where('id', '=', body.id)
    .execute()
  await db
    .insertInto('githostHead')
    .values({ orgId: org.id, host: config.githost.host, repoId, ref, sha, seq: 1 })
    .execute()
  return body.id
}

export const headOf = ({ platform: { db } }: World, org: Org, repoId: number) =>
  db
    .selectFrom('githostHead')
    .selectAll()
    .where('orgId', '=', org.id)
    .where('repoId', '=', String(repoId))
    .executeTakeFirstOrThrow()

export const deliveriesOf = ({ platform: { db } }: World, org: Org) =>
  db.selectFrom('githostDelivery').selectAll().where('orgId', '=', org.id).orderBy('id').execute()

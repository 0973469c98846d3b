import { createHmac, randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { GitHost } from '../../../../lab/githost/start.ts'
import type { Org, World } from '../../../../test-kit/world.ts'
import { linkProjects } from '../../../src/core/githost/mirror.ts'
import { follow } from '../../../src/core/githost/push/head-store.ts'
import { pollHeads } from '../../../src/core/githost/push/poll.ts'
import { settle } from '../../../src/core/githost/push/settle.ts'
import { appPlace } from '../../../src/core/githost/secrets.ts'
import { keepInstallation, keepLink } from '../../../src/core/githost/store.ts'
import { newId } from '../../../src/db/ids.ts'

type Stage = { host: GitHost; world: World }
export type PushApp = { row: string; key: string; secret: string; slug: string; installationId: number }

/** An app of an organization, or (null) of the instance, at the lab's host and in the rows as connecting would leave them. */
export async function madeApp({ host, world }: Stage, owner: string, org: Org | null): Promise<PushApp> {
  const { platform } = world
  const secret = `secret-${randomUUID()}`
  const made = host.do.app({
    owner,
    name: `slipway-${randomUUID().slice(0, 8)}`,
    webhookSecret: secret,
    hookUrl: 'http://127.0.0.1:9/none',
    public: true,
    permissions: { metadata: 'read', contents: 'read', statuses: 'write', deployments: 'write' },
    events: ['push', 'repository'],
  })
  const [row, key] = [newId('gha'), randomUUID()]
  await platform.db
    .insertInto('githostApp')
    .values({
      ...{
        id: row,
        orgId: org?.id ?? null,
        host: platform.config.githost.host,
        appId: made.id,
        slug: made.slug,
        owner,
      },
      ...{ clientId: made.clientId, hookKey: key },
      privateKey: platform.keys.seal(made.pem, appPlace(row, 'private_key')),
      hookSecret: platform.keys.seal(secret, appPlace(row, 'hook_secret')),
    })
    .execute()
  const { id } = host.do.install({ slug: made.slug, login: owner })
  const account = { id: 1, login: owner, type: 'Organization', avatarUrl: null }
  const permissions = { contents: 'read', statuses: 'write', deployments: 'write' }
  await keepInstallation(platform.db, row, { id, account, selection: 'all', permissions, suspended: false })
  return { row, key, secret, slug: made.slug, installationId: id }
}

export async function link({ world }: Stage, org: Org, app: PushApp, repoIds: number[] | null = null): Promise<void> {
  const { row, installationId } = app
  const proof = { provedBy: org.owner.userId, proofLogin: 'ada' }
  await keepLink(world.platform.db, { id: newId('ghl'), orgId: org.id, app: row, installationId, repoIds, ...proof })
}

/** A project that follows a repository of the host, on a server that no worker looks after. */
export async function project({ host, world }: Stage, org: Org, full: string, more: object = {}): Promise<string> {
  const { api } = org.owner
  expect((await api('GET', '/api/githost/repos')).status).toBe(200)
  const name = `${full.split('/')[1]}-${randomUUID().slice(0, 6)}`
  const made = await api('POST', '/api/projects', { name, repository: `${host.url}/${full}.git`, ...more })
  expect(made.status).toBe(201)
  await linkProjects(world.platform, org.id)
  await follow(world.platform.db, world.config.githost.host)
  await pollHeads(world.platform, { now: new Date(Date.now() + 1000), signal: AbortSignal.timeout(10_000) })
  await settleAll(world)
  return made.body.id
}

export async function server(world: World, org: Org): Promise<string> {
  const id = newId('srv')
  const where = { kind: 'ssh', host: '192.0.2.1', port: 22, loginUser: 'root' } as const
  await world.platform.db
    .insertInto('server')
    .values({ id, orgId: org.id, name: `server-${id.slice(-6)}`, ...where } as never)
    .execute()
  return id
}

/** Until nothing is due. */
export async function settleAll({ platform }: World): Promise<void> {
  while (await settle(platform, AbortSignal.timeout(10_000)));
}

export type Pushed = { repoId: number; ref?: string; before: string; after: string; message?: string; pusher?: string }

export const pushBody = (app: PushApp, full: string, pushed: Pushed) =>
  JSON.stringify({
    ref: pushed.ref ?? 'refs/heads/main',
    before: pushed.before,
    after: pushed.after,
    repository: { id: pushed.repoId, full_name: full, default_branch: 'main' },
    pusher: { name: pushed.pusher ?? 'ada' },
    head_commit: { message: pushed.message ?? 'Change' },
    installation: { id: app.installationId },
  })

export const sign = (secret: string, body: string | Buffer) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

type Sending = { guid?: string; event?: string; secret?: string; headers?: Record<string, string | undefined> }

export async function send(world: World, app: Pick<PushApp, 'key' | 'secret'>, body: string, sending: Sending = {}) {
  const { guid = randomUUID(), event = 'push', secret = app.secret, headers = {} } = sending
  const all = {
    'content-type': 'application/json',
    'x-github-event': event,
    'x-github-delivery': guid,
    'x-hub-signature-256': sign(secret, body),
    ...headers,
  }
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >
  const answer = await world.app.inject({
    method: 'POST',
    url: `/api/githost/webhook?k=${app.key}`,
    headers: sent,
    payload: body,
  })
  return { status: answer.statusCode, body: answer.json(), guid }
}

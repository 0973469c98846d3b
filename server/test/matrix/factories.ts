import { createHash, randomBytes } from 'node:crypto'
import type { IdPrefix } from '@slipway/contract/ids'
import type { GitHost } from '../../../lab/githost/start.ts'
import type { Org, World } from '../../../test-kit/world.ts'
import { hashUserCode, newUserCode } from '../../src/core/access/user-code.ts'
import { newId } from '../../src/db/ids.ts'
import { connectedLogin } from '../http/githost/stage.ts'
import type { Values } from './places.ts'

/** What there is in an organization beside ids: things that are found by a name. */
export type NameKind =
  | 'service'
  | 'variable'
  | 'host'
  | 'content'
  | 'project name'
  | 'branch'
  | 'deployed project'
  | 'audited'
  | 'actor'
  | 'named project'
  | 'pushed project'
  | 'host repository'
  | 'host account'
  | 'user code'
export type Kind = IdPrefix | NameKind

/** `with`: what else a request needs to mean it, such as the project that it is of. */
export type Thing = { value: string; with?: Values }

/** How to make, and then unmake, one thing of a kind in an organization. A kind of id without one fails the matrix. */
type Factory = {
  make(org: Org): Promise<Thing>
  unmake?(org: Org, thing: Thing): Promise<unknown>
  /** One that the organization may use, where what is made is not. */
  own?(org: Org): Promise<Thing>
}

type Made = { id?: string; token?: Made; invitation?: Made; uploadSessionId?: string }

export const CONTENT_LENGTH = 12

let n = 0
const unique = () => `matrix-${++n}`
/** No packet leaves this machine: an address that the instance does not connect to. */
const SERVER = { kind: 'ssh', host: '127.0.0.1', port: 9 }
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

export const factories = (world: World, host?: GitHost): Partial<Record<Kind, Factory>> => ({
  ...ids(world),
  ...people(world),
  ...names(world),
  ...(host && atHost(world, host)),
})

async function post(org: Org, path: string, body: unknown, method = 'POST') {
  const answer = await org.owner.api(method, path, body)
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
  return answer.body as Made
}

const through = (path: string, body: () => unknown, idIn = (made: Made) => String(made.id)): Factory => ({
  make: async (org) => ({ value: idIn(await post(org, path, body())) }),
  unmake: (org, { value }) => org.owner.api('DELETE', `${path}/${value}`),
})
const project = async (org: Org, more: object = {}) =>
  String((await post(org, '/api/projects', { name: unique(), ...more })).id)
const server = async (org: Org) => String((await post(org, '/api/servers', { ...SERVER, name: unique() })).id)

const ids = (world: World): Partial<Record<IdPrefix, Factory>> => ({
  prj: through('/api/projects', () => ({ name: unique() })),
  srv: through('/api/servers', () => ({ ...SERVER, name: unique() })),
  dst: {
    ...through('/api/backup-destinations', () => ({})),
    make: async (org) => {
      const body = { kind: 'platform_server', name: unique(), serverId: await server(org) }
      return { value: String((await post(org, '/api/backup-destinations', body)).id) }
    },
  },
  // As it is saved: no registry is asked.
  reg: {
    make: async (org) => {
      const id = newId('reg')
      const row = { id, orgId: org.id, host: 'registry.invalid', path: unique(), username: 'deploy' }
      const password = world.platform.keys.seal('a password', `registry/${id}/password`)
      await world.platform.db
        .insertInto('registry')
        .values({ ...row, password })
        .execute()
      return { value: id }
    },
    unmake: (_, { value }) => world.platform.db.deleteFrom('registry').where('id', '=', value).execute(),
  },
  upl: {
    make: async (org) => {
      const made = await post(org, '/api/projects/folder-sessions', { files: [{ path: 'a', sha256: EMPTY, size: 0 }] })
      const session = `/api/projects/folder-sessions/${made.uploadSessionId}`
      const type = { 'content-type': 'application/octet-stream' }
      await org.owner.api('PUT', `${session}/blobs/${EMPTY}`, Buffer.alloc(0), type)
      return { value: String(made.uploadSessionId) }
    },
    unmake: (_, { value }) => world.platform.db.deleteFrom('folderSession').where('id', '=', value).execute(),
  },
  dep: {
    make: async (org) => ({ value: (await deployment(world, org)).id }),
    unmake: (org, { value }) => org.owner.api('DELETE', `/api/deployments/${value}`),
  },
  gnt: {
    make: async (org) => {
      const [projectId, serverId, id] = [await project(org), await server(org), newId('gnt')]
      const granted = {
        engineId: 'e',
        kind: 'volume' as const,
        source: id,
        realPath: null,
        device: null,
        writable: true,
      }
      const row = { id, orgId: org.id, projectId, serverId, ...granted, createdBy: 'matrix' }
      await world.platform.db.insertInto('mountGrant').values(row).execute()
      return { value: id, with: { 'params.id': projectId } }
    },
    unmake: (_, { value }) => world.platform.db.deleteFrom('mountGrant').where('id', '=', value).execute(),
  },
  /** Its instance has nothing to do with it here. */
  lnk: {
    make: async (org) => {
      const tokenId = String((await post(org, '/api/tokens', { name: 'matrix' })).token?.id)
      const id = newId('lnk')
      const row = { id, orgId: org.id, tokenId, instanceId: 'ins_matrix', name: 'matrix', createdBy: org.owner.userId }
      await world.platform.db.insertInto('instanceLink').values(row).execute()
      return { value: id }
    },
    unmake: (_, { value }) => world.platform.db.deleteFrom('instanceLink').where('id', '=', value).execute(),
  },
  ghd: {
    make: async (org) => ({ value: (await delivery(world, org)).id }),
    unmake: (_, { value }) => world.platform.db.deleteFrom('githostDelivery').where('id', '=', value).execute(),
  },
})

/** Of a push that was not deployed. */
async function delivery({ platform: { db } }: World, org: Org) {
  const [projectId, id] = [await project(org), newId('ghd')]
  const move = { event: 'push', repoId: 1, ref: 'refs/heads/main', decision: 'skipped' as const, decidedAt: new Date() }
  await db
    .insertInto('githostDelivery')
    .values({ id, orgId: org.id, projectId, hookKey: 'matrix', guid: id, ...move })
    .execute()
  return { id, projectId }
}

/** One that has ended: whoever follows it is let go at once. */
async function deployment({ platform: { db } }: World, org: Org, branch: string | null = null) {
  const [projectId, serverId] = [await project(org), await server(org)]
  const id = newId('dep')
  await db
    .insertInto('deployment')
    .values({
      ...{ id, orgId: org.id, projectId, serverId, number: 1, status: 'failed', decision: null, trigger: 'manual' },
      ...{ branch, release: null, finishedAt: new Date() },
      source: JSON.stringify({ kind: 'image', image: 'x' }),
      request: JSON.stringify({ buildStrategy: 'auto' }),
      createdBy: JSON.stringify({ kind: 'user', name: org.owner.userId }),
    })
    .execute()
  return { id, projectId }
}

const people = (world: World): Partial<Record<IdPrefix, Factory>> => ({
  tok: through(
    '/api/tokens',
    () => ({ name: 'matrix' }),
    ({ token }) => String(token?.id),
  ),
  inv: through(
    '/api/members/invitations',
    () => ({ email: `${unique()}@example.com`, role: 'viewer' }),
    ({ invitation }) => String(invitation?.id),
  ),
  usr: {
    make: async (org) => ({ value: (await world.person(org.id, 'developer')).userId }),
    unmake: (org, { value }) => org.owner.api('DELETE', `/api/members/${value}`),
  },
  ses: {
    make: async (org) => {
      const id = newId('ses')
      const expiresAt = new Date(Date.now() + 3600_000)
      const row = { id, token: id, userId: org.owner.userId, expiresAt }
      await world.platform.db.insertInto('session').values(row).execute()
      return { value: id }
    },
    unmake: (_, { value }) => world.platform.db.deleteFrom('session').where('id', '=', value).execute(),
  },
  org: {
    make: async () => ({ value: (await world.org('elsewhere')).id }),
    unmake: (_, { value }) => world.platform.db.deleteFrom('organization').where('id', '=', value).execute(),
    own: async (org) => ({ value: org.id }),
  },
})

/** Names are of a project: asked of another one, they are as unknown as if there were none. */
const names = (world: World): Partial<Record<NameKind, Factory>> => ({
  service: named(async (org, id, name) => void (await post(org, `/api/projects/${id}/services/${name}`, {}, 'PUT'))),
  variable: named(async (org, id, name) => {
    await post(org, `/api/projects/${id}/variables`, { variables: [{ name, value: 'x' }] }, 'PUT')
  }),
  host: {
    ...named(async (org, id, host) => void (await post(org, `/api/projects/${id}/domains`, { host })), '.example.com'),
    unmake: (org, { value, with: at }) =>
      org.owner.api('DELETE', `/api/projects/${at?.['params.id']}/domains/${value}`),
  },
  content: {
    make: async (org) => {
      const content = unique().padEnd(CONTENT_LENGTH, '-')
      const sha256 = createHash('sha256').update(content).digest('hex')
      const files = [{ path: 'a', sha256, size: CONTENT_LENGTH }]
      const session = String((await post(org, '/api/projects/folder-sessions', { files })).uploadSessionId)
      const type = { 'content-type': 'application/octet-stream' }
      const url = `/api/projects/folder-sessions/${session}/blobs/${sha256}`
      await org.owner.api('PUT', url, Buffer.from(content), type)
      return { value: sha256, with: { 'params.id': session } }
    },
  },
  'project name': {
    make: async (org) => {
      const name = unique()
      await project(org, { name })
      return { value: name }
    },
  },
  /** What happened to it stays in the log when it is gone. */
  audited: { make: async (org) => ({ value: await project(org) }) },
  /** What somebody did stays in the log when they are gone. */
  actor: {
    make: async (org) => {
      const { userId, api } = await world.person(org.id, 'developer')
      await api('POST', '/api/projects', { name: unique() })
      return { value: userId }
    },
  },
  'named project': {
    make: async (org) => {
      const id = await project(org)
      await post(org, `/api/projects/${id}/domains`, { host: `${unique()}.example.com` })
      return { value: id }
    },
    unmake: (org, { value }) => org.owner.api('DELETE', `/api/projects/${value}`),
  },
  'pushed project': { make: async (org) => ({ value: (await delivery(world, org)).projectId }) },
  'deployed project': { make: async (org) => ({ value: (await deployment(world, org)).projectId }) },
  'user code': userCode(world),
  branch: {
    make: async (org) => {
      const branch = unique()
      await deployment(world, org, branch)
      return { value: branch }
    },
  },
})

/** The code of a command line that asks to be signed in; of an organization once somebody there has answered. */
const userCode = (world: World): Factory => {
  const own = async () => {
    const value = newUserCode()
    await waitWith(world, value)
    return { value }
  }
  const hashOf = (value: string) => hashUserCode(world.platform.keys, value)
  return {
    own,
    make: async (org) => {
      const { value } = await own()
      const answer = { status: 'approved' as const, orgId: org.id, userId: org.owner.userId }
      const rows = world.platform.db.updateTable('cliSignIn').set(answer)
      await rows.where('userCodeHash', '=', hashOf(value)).execute()
      return { value }
    },
    unmake: (_, { value }) =>
      world.platform.db.deleteFrom('cliSignIn').where('userCodeHash', '=', hashOf(value)).execute(),
  }
}

/** A command line that waits with this code, whatever became of one that did before. */
export async function waitWith({ platform: { db, keys } }: World, code: string): Promise<void> {
  const userCodeHash = hashUserCode(keys, code)
  await db.deleteFrom('cliSignIn').where('userCodeHash', '=', userCodeHash).execute()
  const row = { id: newId('clr'), requestHash: randomBytes(32), userCodeHash, challenge: randomBytes(32) }
  const expiresAt = new Date(Date.now() + 3600_000)
  await db
    .insertInto('cliSignIn')
    .values({ ...row, name: 'matrix', address: '192.0.2.1', expiresAt })
    .execute()
}

const named = (make: (org: Org, projectId: string, name: string) => Promise<void>, suffix = ''): Factory => ({
  async make(org) {
    const [id, name] = [await project(org), `${unique()}${suffix}`]
    const value = suffix === '' ? name.replace('-', '_') : name
    await make(org, id, value)
    return { value, with: { 'params.id': id } }
  },
})

/** As the docs' examples name them: everybody has repositories at `acme`, and a `shop` of their own. */
const atHost = (world: World, host: GitHost): Partial<Record<NameKind, Factory>> => {
  const add = async (org: Org, owner: string, name: string) => {
    const login = await connectedLogin(world, host, org)
    await host.do.repo({ full: `${owner}/${name}`, private: true, files: { 'package.json': '{}' } })
    host.do.collaborator({ full: `${owner}/${name}`, login, level: 'admin' })
    // The next list is asked for anew.
    await world.platform.db.deleteFrom('githostMirror').execute()
  }
  return {
    'host repository': {
      make: async (org) => {
        const name = unique()
        await add(org, 'acme', name)
        return { value: name }
      },
      unmake: async (_, { value }) => host.do.removeRepo({ full: `acme/${value}` }),
    },
    'host account': {
      make: async (org) => {
        const login = unique()
        host.do.org({ login })
        await add(org, login, 'shop')
        return { value: login }
      },
      unmake: async (_, { value }) => host.do.removeRepo({ full: `${value}/shop` }),
    },
  }
}

import { type AskToken, type BeginBroker, BROKERED, type BrokeredInstallation } from '@slipway/contract/githost-broker'
import { transaction } from '../../../db/database.ts'
import type { TokenLimits } from '../../../drivers/githost/githost.ts'
import { notFound, Refusal } from '../../../errors.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import * as attempts from '../connect/attempt-store.ts'
import { attemptOf, newestApp, REDIRECT_PATH } from '../connect/connect.ts'
import { requireLinkedInstance } from '../linked-instance.ts'
import { perMinute } from '../per-minute.ts'
import { rethrow } from '../refuse.ts'
import { attemptPlace } from '../secrets.ts'
import { type GithostParts, mint } from '../sources.ts'
import * as store from '../store.ts'

/** A token serves an instance for an hour; those for one repository are made for each clone. */
const limit = perMinute(60, 'tokens for an instance')

/** Our app, for an instance that has none: somebody proves here what is theirs, for the organization that the instance is linked to. */
export async function beginForInstance(parts: GithostParts, caller: Caller, { state, returnTo }: BeginBroker) {
  const link = await requireLink(parts, caller)
  const back = returnAddress(returnTo, link.name)
  back.searchParams.set('state', state)
  requireApp(parts)
  const app = await newestApp(parts, caller.orgId)
  const row = attemptOf(caller, 'install')
  const start = attempts.newSecret()
  await transaction(parts.db, async (tx) => {
    const sealed = parts.keys.seal(back.href, attemptPlace(row.id, 'return_to'))
    await attempts.insert(tx, { ...row, app, startHash: attempts.hashOf(start), linkId: link.id, returnTo: sealed })
    await record(tx, caller, 'githost.broker.begin', link.id, { instance: link.name, returnTo })
  })
  const { publicUrl, githost } = parts.config
  return { url: `${publicUrl}${REDIRECT_PATH}?start=${start}`, host: githost.host }
}

export async function installationsForInstance(parts: GithostParts, caller: Caller) {
  await requireLink(parts, caller)
  const { slug } = requireApp(parts)
  const { host } = parts.config.githost
  const links = (await store.links(parts.db, caller.orgId, host)).filter(({ goneAt }) => goneAt === null)
  return { host, slug, data: links.map(shown) }
}

const shown = (link: store.LinkRow): BrokeredInstallation => ({
  installationId: Number(link.installationId),
  account: {
    ...{ id: Number(link.accountId), login: link.accountLogin, type: link.accountType, avatarUrl: link.avatarUrl },
  },
  selection: link.selection,
  permissions: brokered(link.permissions),
  repositoryIds: link.repoIds?.map(Number) ?? null,
  suspended: !isUsable(link),
})

const isUsable = ({ suspendedAt, brokenAt }: store.LinkRow) => suspendedAt === null && brokenAt === null

/** Never more than the organization's link proves, nor than such tokens may do; it is kept nowhere. */
export async function tokenForInstance(parts: GithostParts, caller: Caller, asked: AskToken, signal: AbortSignal) {
  const instance = await requireLink(parts, caller)
  const links = await store.links(parts.db, caller.orgId, parts.config.githost.host)
  const link = links.find((one) => Number(one.installationId) === asked.installationId && one.goneAt === null)
  if (link === undefined) throw notFound('installation')
  if (!isUsable(link)) {
    throw new Refusal('githost_forbids', 'The installation is suspended, or its connection is broken.', {
      hint: 'GET /api/githost/status of the organization at the cloud says what is wrong.',
    })
  }
  limit(instance.id)
  const repositoryIds = asked.repositoryIds ?? link.repoIds?.map(Number)
  const permissions = saidIn(asked.permissions) ?? brokered(link.permissions)
  const limits: TokenLimits = { permissions, ...(repositoryIds && { repositoryIds }) }
  const source = { kind: 'app' as const, key: link.id, orgId: caller.orgId, login: link.accountLogin, link }
  const { token, expiresAt } = await mint(parts, source, limits, signal).catch(rethrow)
  await record(parts.db, caller, 'githost.broker.token', link.accountLogin, {
    ...{ instance: instance.name, installationId: asked.installationId, permissions },
    repositories: repositoryIds?.length ?? 'all',
    expiresAt: expiresAt.toISOString(),
  })
  return { token, expiresAt: expiresAt.toISOString() }
}

type Permissions = Record<string, 'read' | 'write'>

/** What the installation allows of it: the host refuses to make a token for more. */
const brokered = (held: Record<string, string>): Permissions =>
  Object.fromEntries(
    Object.entries(BROKERED).flatMap(([name, level]) =>
      held[name] === undefined ? [] : [[name, held[name] === 'read' ? 'read' : level] as const],
    ),
  )

function saidIn(asked: AskToken['permissions']): Permissions | null {
  const said = Object.entries(asked ?? {}).filter((one): one is [string, 'read' | 'write'] => one[1] !== undefined)
  return said.length === 0 ? null : Object.fromEntries(said)
}

const requireLink = (parts: GithostParts, caller: Caller) =>
  requireLinkedInstance(parts, caller, {
    sentence: 'Only the credential of a linked instance can do this.',
    hint: 'Connect the git host of this organization with POST /api/githost/connect.',
  })

function requireApp({ config }: GithostParts) {
  if (config.githost.app !== null) return config.githost.app
  throw new Refusal('conflict', 'This cloud has no app at the git host.', {
    hint: 'Connect the instance in another way: manifest, oauth or cli.',
  })
}

/** Open redirect: the browser goes to the page of an instance that takes such answers, with TLS or at the host that the link is called by. */
function returnAddress(text: string, linkName: string): URL {
  const url = URL.parse(text)
  const plain = url !== null && url.href === `${url.origin}${REDIRECT_PATH}`
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && linkName.split(' ')[0] === url.host)
  if (url && plain && isSafe) return url
  throw new Refusal('invalid_request', `returnTo: must be the address of the instance with ${REDIRECT_PATH}.`, {
    field: 'returnTo',
    hint: 'It is https, or the host that the instance was linked by. Set SLIPWAY_PUBLIC_URL there, or link it anew.',
  })
}

import { randomBytes } from 'node:crypto'
import type { GithostHook, GithostRepositoryDetail } from '@slipway/contract/githost-shape'
import { newId } from '../../db/ids.ts'
import type { HostSession } from '../../drivers/githost/githost.ts'
import { notFound, Refusal } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import { record } from '../audit/record.ts'
import { choose } from './choose-source.ts'
import { hookAddress } from './connect/manifest.ts'
import { type Asked, requireRepository, type Seen } from './find.ts'
import * as store from './hook-store.ts'
import { failureIn, refusalFor } from './refuse.ts'
import { hookPlace } from './secrets.ts'
import { factsOf, type GithostParts, sourcesOf } from './sources.ts'
import { write } from './use.ts'

const EVENTS = ['push', 'repository']
type Push = GithostRepositoryDetail['push']

/** How pushes to a repository are learned of. */
export async function coverageOf(parts: GithostParts, orgId: string, { row, keys }: Seen): Promise<Push> {
  const { db, config, linkedCloud } = parts
  const last = await store.lastDelivery(db, orgId, row.repoId)
  const apps = (await sourcesOf(parts, orgId)).flatMap((one) => (one.kind === 'app' && keys.has(one.key) ? [one] : []))
  const covers = (via: 'own' | 'cloud') => apps.some(({ link }) => link.via === via)
  const reached = hookAddress(config, '') !== null
  const hook = await store.find(db, orgId, config.githost.host, row.repoId)
  const lastDeliveryAt = last?.receivedAt.toISOString() ?? null
  if (reached && (covers('own') || hook)) return { via: covers('own') ? 'app' : 'hook', lastDeliveryAt }
  // The app of the cloud may be on a repository that is read in another way here.
  const isRelayed = covers('cloud') || last?.hookKey.startsWith(RELAYED)
  const relays = isRelayed && (await linkedCloud.find(orgId))?.relays
  return { via: relays ? 'relay' : 'poll', lastDeliveryAt }
}

/** What came by a link: see core/cloud/relay. */
const RELAYED = 'cloud:'

const at = ({ orgId }: Caller, seen: Seen, { signal }: Asked) => ({
  orgId,
  owner: seen.at.owner,
  keys: seen.keys,
  signal,
})

/** Whose choice it is about this repository: sources that see it. */
async function choiceOf(parts: GithostParts, orgId: string, { keys }: Seen) {
  const seeing = (await sourcesOf(parts, orgId)).filter(({ kind, key }) => kind !== 'app' || keys.has(key))
  return choose('hooks', factsOf(seeing))
}

export async function listHooks(parts: GithostParts, caller: Caller, asked: Asked) {
  const seen = await requireRepository(parts, caller, asked)
  const choice = await choiceOf(parts, caller.orgId, seen)
  const { via, lastDeliveryAt } = await coverageOf(parts, caller.orgId, seen)
  const app = 'via' in choice ? { covers: via === 'app', lastDeliveryAt } : null
  if ('via' in choice) return { data: [], app }
  const found = await write(parts, 'hooks', at(caller, seen, asked), (host) => host.hooks(seen.at))
  return { data: found.map((hook): GithostHook => ({ ...shown(hook), ours: isOurs(parts, hook.url) })), app }
}

const shown = ({ id, ...hook }: Awaited<ReturnType<HostSession['hooks']>>[number]) => ({ hookId: id, ...hook })
const isOurs = ({ config }: GithostParts, url: string) =>
  url.split('?')[0] === `${config.publicUrl}/api/githost/webhook`

/** The app's own hook covers its repositories; elsewhere one is made, or ours is set again; else the host is asked. */
export async function addHook(parts: GithostParts, caller: Caller, asked: Asked) {
  const seen = await requireRepository(parts, caller, asked)
  const choice = await choiceOf(parts, caller.orgId, seen)
  if ('refuse' in choice) throw refusalFor(choice)
  const { via } = await coverageOf(parts, caller.orgId, seen)
  const none = { success: true as const, hookId: null, created: false }
  if ('via' in choice || hookAddress(parts.config, '') === null) {
    return { ...none, via: via === 'hook' ? 'poll' : via }
  }
  const made = await write(parts, 'hooks', at(caller, seen, asked), (host) => ensure(parts, caller, seen, host))
  await record(parts.db, caller, 'githost.hook.add', `${seen.at.owner}/${seen.at.name}`, made)
  return { success: true as const, via: 'hook' as const, ...made }
}

async function ensure(parts: GithostParts, { orgId }: Caller, { row, at }: Seen, host: HostSession) {
  const { githost } = parts.config
  const known = await store.find(parts.db, orgId, githost.host, row.repoId)
  const id = known?.id ?? newId('ghh')
  const hookKey = known?.hookKey ?? randomBytes(18).toString('base64url')
  const secret = known ? parts.keys.open(known.secret, hookPlace(id)) : randomBytes(32).toString('hex')
  const wanted = { url: hookAddress(parts.config, hookKey) ?? '', secret, events: EVENTS }
  const existing = async () => (await host.hooks(at)).find(({ url }) => url === wanted.url)?.id
  const before = known && (await existing())
  const hookId =
    before ??
    (await host.addHook(at, wanted).catch(async (error) => {
      // Somebody else was faster: "Hook already exists".
      const other = failureIn(error)?.code === 'invalid' ? await existing() : undefined
      if (other === undefined) throw error
      return other
    }))
  if (before !== undefined) await host.setHook(at, before, wanted)
  const names = { id, orgId, host: githost.host, repoId: row.repoId, hookId, hookKey }
  await store.keep(parts.db, { ...names, secret: parts.keys.seal(secret, hookPlace(id)) })
  return { hookId, created: before === undefined }
}

export async function removeHook(parts: GithostParts, caller: Caller, asked: Asked & { hookId: number }) {
  const seen = await requireRepository(parts, caller, asked)
  const choice = await choiceOf(parts, caller.orgId, seen)
  if ('via' in choice) {
    throw new Refusal('invalid_request', 'The app’s own hook covers this repository; it cannot be taken away here.', {
      field: 'hookId',
      hint: 'Take the repository from the installation at the git host.',
    })
  }
  await write(parts, 'hooks', at(caller, seen, asked), async (host) => {
    const found = (await host.hooks(seen.at)).some(({ id }) => id === asked.hookId)
    if (!found) throw notFound('hook')
    await host.removeHook(seen.at, asked.hookId)
  })
  const ours = await store.find(parts.db, caller.orgId, parts.config.githost.host, seen.row.repoId)
  if (ours && Number(ours.hookId) === asked.hookId) await store.remove(parts.db, caller.orgId, ours.id)
  await record(parts.db, caller, 'githost.hook.remove', `${seen.at.owner}/${seen.at.name}`, { hookId: asked.hookId })
  return { success: true as const }
}

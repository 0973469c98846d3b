import { transaction } from '../../../db/database.ts'
import { Refusal } from '../../../errors.ts'
import { relay } from '../relay/relay.ts'
import { appPlace, hookPlace } from '../secrets.ts'
import type { GithostParts } from '../sources.ts'
import { readDelivery, type Said } from './read-delivery.ts'
import * as store from './receive-store.ts'
import { storeSaid } from './store-said.ts'

/** Said to every process that settles heads. */
export const HEADS_CHANGED = 'githost-heads'
const MOST_BODY = 64 * 1024

export type Arriving = { key: string; guid: string; event: string; signature: string | undefined; body: Buffer }

/**
 * Deliveries come at least once. Stores what the host says, and that something moved; what to do about it is decided elsewhere. Nothing is stored of what
 * is not signed with the one secret that `k` names.
 */
export async function receive(parts: GithostParts, arriving: Arriving) {
  const receiver = await receiverOf(parts, arriving.key)
  await requireSigned(parts, receiver, arriving)
  if (receiver === undefined) throw unsigned()
  const said = readDelivery(arriving)
  const { fresh, links } = await transaction(parts.db, async (tx) => {
    const orgIds = await concerned(tx, receiver, said)
    const body = arriving.body.length <= MOST_BODY ? arriving.body.toString('utf8') : null
    const { host } = parts.config.githost
    const told = { guid: arriving.guid, said, body, orgIds, otherwise: receiver.orgId }
    const [stored] = await storeSaid(tx, host, receiver.hookKey, [told])
    if (!stored || stored.isOver) return { fresh: false, links: [] }
    if (receiver.kind === 'app' && said.installationId !== null && said.marks)
      await store.markInstallation(tx, receiver.id, said.installationId)
    if (receiver.kind === 'app' && said.revokedBy !== null) await store.markRevoked(tx, receiver, said.revokedBy)
    // Last: whoever takes a number holds up all others of that link until the end.
    const links = parts.config.mode === 'cloud' ? await relay(tx, stored.added, receiver.host, arriving.guid, said) : []
    return { fresh: true, links }
  })
  await store.noteHeard(parts.db, receiver)
  if (!fresh) return { duplicate: true as const }
  parts.changes.send(HEADS_CHANGED)
  for (const link of links) parts.changes.send(link)
  return { accepted: true as const }
}

/** An app that was registered by hand has no key in its address: it is the one that is configured. */
async function receiverOf({ db, config }: GithostParts, key: string): Promise<store.Receiver> {
  if (key !== '') return store.findReceiver(db, key)
  const { app, host } = config.githost
  return app === null ? undefined : store.findConfigured(db, host, app.appId)
}

/** The current secret, and the one before it for as long as the host may still use it. */
async function requireSigned(parts: GithostParts, receiver: store.Receiver, { body, signature }: Arriving) {
  if (receiver === undefined) throw unsigned()
  const secrets = secretsOf(parts, receiver)
  if (secrets.length === 0) {
    throw new Refusal('hook_without_secret', 'No secret is stored for this hook, so nothing can be checked.', {
      hint: 'Set SLIPWAY_GITHOST_APP_WEBHOOK_SECRET to the secret of the app, or connect the git host again.',
    })
  }
  for (const secret of secrets) if (await parts.githost.isSigned(secret, body, signature)) return
  throw unsigned()
}

function secretsOf({ config, keys }: GithostParts, receiver: NonNullable<store.Receiver>): string[] {
  if (receiver.kind === 'hook') return [keys.open(receiver.secret, hookPlace(receiver.id))]
  const { id, hookSecret, oldHookSecret, oldHookSecretUntil, orgId } = receiver
  const ofInstance = orgId === null ? config.githost.app : null
  const current = hookSecret === null ? ofInstance?.webhookSecret : keys.open(hookSecret, appPlace(id, 'hook_secret'))
  // Without an end as long as the host may not have heard of the new one.
  const isOldGood = oldHookSecret !== null && (oldHookSecretUntil === null || oldHookSecretUntil > new Date())
  const old = isOldGood ? keys.open(oldHookSecret, appPlace(id, 'old_hook_secret')) : ofInstance?.oldWebhookSecret
  if (!current) return []
  return old ? [current, old] : [current]
}

const unsigned = () =>
  new Refusal('signature_invalid', 'The delivery is not signed with the secret of this hook.', {
    hint: 'Compare the address with its `k` and the secret at the git host; the signature is X-Hub-Signature-256.',
  })

/** Through an app only who linked the installation; through a repository's hook only whose hook it is. */
async function concerned(tx: Parameters<typeof store.linked>[0], receiver: NonNullable<store.Receiver>, said: Said) {
  if (receiver.kind === 'hook') return said.repoId === Number(receiver.repoId) ? [receiver.orgId] : []
  if (said.installationId === null) return []
  return store.linked(tx, receiver.id, said.installationId, said.repoId)
}

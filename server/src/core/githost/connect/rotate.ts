import { createPrivateKey, randomBytes } from 'node:crypto'
import { transaction } from '../../../db/database.ts'
import { Refusal } from '../../../errors.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import { failureIn, refusalOf, rethrow } from '../refuse.ts'
import { appPlace } from '../secrets.ts'
import { asApp, type GithostParts } from '../sources.ts'
import * as store from '../store.ts'

const OLD_MS = 24 * 3600_000

/** The host takes several keys at once: the new one is tried before it is used, and the old one is deleted there by a person. */
export async function setAppKey(
  parts: GithostParts,
  caller: Caller,
  input: { slug?: string | undefined; privateKey: string },
  signal: AbortSignal,
) {
  const app = await requireOwnApp(parts, caller, input.slug)
  const privateKey = rsaKey(input.privateKey)
  const asked = parts.githost.asApp({ appId: Number(app.appId), privateKey, signal })
  const answered = await asked.self().catch((error: unknown) => {
    const failure = failureIn(error)
    if (failure?.code === 'unauthorized' || failure?.code === 'not_found') throw notThisApps()
    throw failure ? refusalOf(failure) : error
  })
  if (answered.id !== Number(app.appId)) throw notThisApps()
  await transaction(parts.db, async (tx) => {
    const sealed = parts.keys.seal(privateKey, appPlace(app.id, 'private_key'))
    await store.saveAppSecrets(tx, app, { privateKey: sealed })
    await record(tx, caller, 'githost.app.key', app.slug)
  })
  return { success: true as const, slug: app.slug }
}

/**
 * Both secrets are good from before the host hears of the new one until a day after it has taken it. Where it cannot be said
 * whether it has, both stay good, and the next try tells it the same one again.
 */
export async function rotateHookSecret(
  parts: GithostParts,
  caller: Caller,
  { slug }: { slug?: string | undefined },
  signal: AbortSignal,
) {
  const { keys, db } = parts
  const app = await requireOwnApp(parts, caller, slug)
  const secret = await transaction(db, async (tx) => {
    const row = await store.lockApp(tx, app)
    const isPending = row.oldHookSecret !== null && row.oldHookSecretUntil === null
    if (isPending && row.hookSecret) return keys.open(row.hookSecret, appPlace(row.id, 'hook_secret'))
    const made = randomBytes(32).toString('hex')
    const old = row.hookSecret && keys.open(row.hookSecret, appPlace(row.id, 'hook_secret'))
    await store.saveAppSecrets(tx, row, {
      hookSecret: keys.seal(made, appPlace(row.id, 'hook_secret')),
      oldHookSecret: old && keys.seal(old, appPlace(row.id, 'old_hook_secret')),
      oldHookSecretUntil: null,
    })
    return made
  })
  await asApp(parts, { ...app, app: app.id }, signal)
    .setHookSecret(secret)
    .catch(rethrow)
  const oldUntil = new Date(Date.now() + OLD_MS)
  await transaction(db, async (tx) => {
    await store.saveAppSecrets(tx, app, { oldHookSecretUntil: oldUntil })
    await record(tx, caller, 'githost.app.hook_secret', app.slug, { oldUntil: oldUntil.toISOString() })
  })
  return { success: true as const, slug: app.slug, oldUntil: oldUntil.toISOString() }
}

/** An app of the whole instance has its secrets in the configuration: they are whoever's who runs it. */
async function requireOwnApp({ db, config }: GithostParts, { orgId }: Caller, slug: string | undefined) {
  const own = (await store.apps(db, orgId, config.githost.host)).filter(
    (app) => app.orgId === orgId && app.via === 'own',
  )
  const named = slug === undefined ? own : own.filter((app) => app.slug === slug)
  const [app, second] = named
  if (app && second === undefined) return app
  const words = app ? 'slug: the organization has several apps.' : 'slug: the organization has no such app of its own.'
  throw new Refusal('invalid_request', words, {
    field: 'slug',
    hint: app
      ? `It is one of ${own.map((one) => one.slug).join(', ')}.`
      : 'The secrets of an app of the whole instance are in its configuration.',
  })
}

function rsaKey(text: string): string {
  try {
    const key = createPrivateKey(text)
    if (key.asymmetricKeyType === 'rsa') return String(key.export({ type: 'pkcs1', format: 'pem' }))
  } catch {}
  throw new Refusal('invalid_request', 'privateKey: is not an RSA private key in PEM format.', {
    field: 'privateKey',
    hint: 'Generate one on the page of the app at the git host, and send the file as it is.',
  })
}

const notThisApps = () =>
  new Refusal('invalid_request', 'privateKey: the git host does not take it for this app.', {
    field: 'privateKey',
    hint: 'Generate it on the page of this app at the git host. The key before it stays in use.',
  })

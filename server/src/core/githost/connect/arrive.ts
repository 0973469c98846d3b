import { createHash } from 'node:crypto'
import { transaction } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'
import { instanceName } from '../broker/broker-store.ts'
import { failed, failureIn } from '../refuse.ts'
import { appPlace, attemptPlace } from '../secrets.ts'
import type { GithostParts } from '../sources.ts'
import * as store from '../store.ts'
import * as attempts from './attempt-store.ts'
import { bindAccount, bindInstallation, bindThroughCloud, clientOf } from './bind.ts'
import { REDIRECT_PATH, SCOPES } from './connect.ts'
import { manifestOf } from './manifest.ts'

/** What the browser brings. */
export type Visit = {
  query: Record<string, string | undefined>
  cookie: string | undefined
  /** Who is signed in in this browser, if anybody. */
  userId: string | undefined
}
export type Outcome = 'connected' | 'denied' | 'failed' | 'requested' | 'unfinished'
/** The instance that it is for, as it calls itself, and where the browser goes afterwards. */
type For = { instance: string; returnsTo: string }

/**
 * Where to send it, or what to show. Addresses are ours, the configured host's, or the one that a linked instance has given with its
 * credential; never one from the query.
 */
export type Arrival =
  | { go: string; cookie?: string }
  | {
      ask: {
        organization: string
        beganBy: string
        host: string
        action: string
        manifest: string | null
        for: For | null
      }
      cookie: string
    }
  | { done: Outcome; message: string | null; back?: string }
  | { again: true }

const DEADLINE_MS = 30_000

export async function arrive(parts: GithostParts, visit: Visit): Promise<Arrival> {
  const { start, state, error, installation_id: installationId } = visit.query
  if (start !== undefined) return begin(parts, visit, start)
  if (state === undefined) return installationId === undefined ? { again: true } : { done: 'unfinished', message: null }
  const attempt = await attempts.bySecret(parts.db, 'stateHash', state)
  if (attempt === undefined) return { again: true }
  // Cookie and state belong together: whoever has only one of them is another browser.
  if (!isSameBrowser(attempt, visit.cookie)) {
    await attempts.end(parts.db, attempt.id, 'failed', {
      reason: 'The answer of the git host came to another browser.',
    })
    return { again: true }
  }
  const taken = await attempts.advance(parts.db, attempt, { status: 'returned' })
  if (taken === undefined) return { again: true }
  return backFrom(parts, taken, await endOf(parts, taken, visit.query, error))
}

async function endOf(
  parts: GithostParts,
  attempt: attempts.AttemptRow,
  query: Visit['query'],
  error: string | undefined,
): Promise<Arrival> {
  try {
    // What went wrong at the cloud was told there.
    if (error === FAILED_THERE && attempt.kind === 'cloud') throw failed('forbidden', 'It failed at the hosted cloud.')
    if (error === undefined) return await returned(parts, attempt, query)
    await attempts.end(parts.db, attempt.id, 'denied')
    return { done: 'denied', message: null }
  } catch (thrown) {
    const failure = failureIn(thrown)
    const reason = failure?.message ?? 'It could not be finished.'
    await attempts.end(parts.db, attempt.id, 'failed', { reason })
    if (failure === null) parts.log.error({ err: thrown }, 'connecting the git host failed')
    return { done: 'failed', message: reason }
  }
}

const FAILED_THERE = 'failed'

/** To the instance that it was for. A reason is read here, and not in an address. */
function backFrom({ keys }: GithostParts, { id, returnTo }: attempts.AttemptRow, arrival: Arrival): Arrival {
  if (returnTo === null || !('done' in arrival)) return arrival
  const address = new URL(keys.open(returnTo, attemptPlace(id, 'return_to')))
  if (arrival.done === 'denied') address.searchParams.set('error', 'access_denied')
  if (arrival.done === 'connected' || arrival.done === 'denied') return { go: address.href }
  if (arrival.done !== 'failed') return arrival
  address.searchParams.set('error', FAILED_THERE)
  return { ...arrival, back: address.href }
}

const isSameBrowser = ({ cookieHash }: attempts.AttemptRow, cookie: string | undefined) =>
  cookieHash !== null && cookie !== undefined && cookieHash.equals(attempts.hashOf(cookie))

/** Our own page. It is shown to one browser only, and may be shown there again. */
async function begin(parts: GithostParts, visit: Visit, start: string): Promise<Arrival> {
  const attempt = await attempts.bySecret(parts.db, 'startHash', start)
  if (attempt === undefined || (attempt.cookieHash !== null && !isSameBrowser(attempt, visit.cookie)))
    return { again: true }
  const cookie = attempts.newSecret()
  const { changes, address, manifest } = await leave(parts, attempt)
  const left = await attempts.advance(parts.db, attempt, { ...changes, cookieHash: attempts.hashOf(cookie) })
  if (left === undefined) return { again: true }
  const instance = await instanceOf(parts, attempt)
  // Who began it knows what for; a form has to be sent by a click all the same, and so has what an instance began in their name.
  if (visit.userId === attempt.userId && manifest === null && instance === null) return { go: address, cookie }
  const { name, email } = await attempts.beganBy(parts.db, attempt)
  const organization = await store.organizationName(parts.db, attempt.orgId)
  const { host } = parts.config.githost
  const beganBy = `${name} (${email})`
  return { ask: { organization, beganBy, host, action: address, manifest, for: instance }, cookie }
}

async function instanceOf({ db, keys }: GithostParts, attempt: attempts.AttemptRow): Promise<For | null> {
  const { id, orgId, linkId, returnTo } = attempt
  if (linkId === null || returnTo === null) return null
  const returnsTo = new URL(keys.open(returnTo, attemptPlace(id, 'return_to'))).host
  return { instance: (await instanceName(db, orgId, linkId)) ?? '', returnsTo }
}

/** The next address at the host, with a state of its own and, where a code comes back, a challenge (PKCE, S256). */
async function leave(parts: GithostParts, attempt: attempts.AttemptRow, authorize = attempt.kind === 'oauth') {
  const { config, keys } = parts
  const { url, oauth } = config.githost
  // A page of the cloud, which has our state already.
  if (attempt.kind === 'cloud') {
    const address = keys.open(attempt.secret ?? '', attemptPlace(attempt.id))
    return { changes: { status: 'started' as const }, address, manifest: null }
  }
  const state = attempts.newSecret()
  const changes = { stateHash: attempts.hashOf(state), status: 'started' as const }
  const app = attempt.app === null ? undefined : await store.findApp(parts.db, attempt.orgId, attempt.app)
  if (authorize) {
    const verifier = attempts.newSecret()
    const query = new URLSearchParams({
      client_id: app?.clientId ?? oauth?.clientId ?? '',
      redirect_uri: `${config.publicUrl}${REDIRECT_PATH}`,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...(app === undefined && { scope: SCOPES.join(',') }),
    })
    const secret = keys.seal(verifier, attemptPlace(attempt.id))
    return { changes: { ...changes, secret }, address: `${url}/login/oauth/authorize?${query}`, manifest: null }
  }
  if (app === undefined) {
    const owner = attempt.account === null ? '' : `/organizations/${attempt.account}`
    return {
      changes,
      address: `${url}${owner}/settings/apps/new?state=${state}`,
      manifest: manifestOf(config, attempt.id),
    }
  }
  const pages = url === 'https://github.com' ? 'apps' : 'github-apps'
  return { changes, address: `${url}/${pages}/${app.slug}/installations/new?state=${state}`, manifest: null }
}

async function returned(parts: GithostParts, attempt: attempts.AttemptRow, query: Visit['query']): Promise<Arrival> {
  const { code, installation_id: said, setup_action: action } = query
  const signal = AbortSignal.timeout(DEADLINE_MS)
  if (attempt.kind === 'cloud') {
    await bindThroughCloud(parts, attempt, signal)
    return { done: 'connected', message: null }
  }
  if (action === 'request') return { done: 'requested', message: null }
  if (attempt.kind === 'manifest' && code !== undefined) return converted(parts, attempt, code)
  const installationId = numberIn(said) ?? numberIn(attempt.installationId)
  const app = attempt.app === null ? undefined : await store.findApp(parts.db, attempt.orgId, attempt.app)
  // An app that does not ask people to sign in when it is installed: they do it now.
  if (code === undefined && app) return goOn(parts, attempt, { installationId }, true)
  const client = app ? clientOf(parts, app) : parts.config.githost.oauth
  if (code === undefined || client === null) throw failed('invalid', 'The git host sent no code.')
  const verifier = attempt.secret && parts.keys.open(attempt.secret, attemptPlace(attempt.id))
  const redirectUri = `${parts.config.publicUrl}${REDIRECT_PATH}`
  const granted = await parts.githost.oauth.exchange(client, code, redirectUri, verifier)
  if (app) await bindInstallation(parts, attempt, app, { token: granted.token, installationId, signal })
  else await bindAccount(parts, attempt, granted, signal)
  return { done: 'connected', message: null }
}

/** The code is good once: its keys are sealed before anything else, and the way leads on to the installation. */
async function converted(parts: GithostParts, attempt: attempts.AttemptRow, code: string): Promise<Arrival> {
  const made = await parts.githost.oauth.convertManifest(code)
  const id = newId('gha')
  const seal = (text: string, column: Parameters<typeof appPlace>[1]) => parts.keys.seal(text, appPlace(id, column))
  const { appId, slug, owner, clientId } = made
  const names = { id, orgId: attempt.orgId, host: parts.config.githost.host, appId, slug, owner, clientId }
  await transaction(parts.db, (tx) =>
    store.keepApp(tx, {
      ...names,
      privateKey: seal(made.privateKey, 'private_key'),
      clientSecret: seal(made.clientSecret, 'client_secret'),
      hookSecret: made.webhookSecret && seal(made.webhookSecret, 'hook_secret'),
      hookKey: attempt.id,
    }),
  )
  return goOn(parts, attempt, { app: id, kind: 'install' }, false)
}

/** Another round at the host for the same attempt and browser, with a new state. */
async function goOn(
  parts: GithostParts,
  attempt: attempts.AttemptRow,
  more: { app?: string; kind?: 'install'; installationId?: number | null },
  authorize: boolean,
): Promise<Arrival> {
  const { changes, address } = await leave(parts, { ...attempt, app: more.app ?? attempt.app }, authorize)
  await attempts.reopen(parts.db, attempt.id, { ...more, ...changes })
  return { go: address }
}

const numberIn = (text: string | null | undefined) => (text && /^\d{1,15}$/.test(text) ? Number(text) : null)

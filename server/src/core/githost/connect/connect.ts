import type { Connect } from '@slipway/contract/githost'
import type { GithostConnect } from '@slipway/contract/githost-shape'
import type { AttemptKind } from '../../../db/githost-tables.ts'
import { newId } from '../../../db/ids.ts'
import { Refusal } from '../../../errors.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import { askAddress } from '../broker/ask-cloud.ts'
import { requireHost } from '../broker/keep-brokered.ts'
import { failureIn, refusalOf, rethrow } from '../refuse.ts'
import { attemptPlace } from '../secrets.ts'
import { type GithostParts, mayUseCli, sourcesOf } from '../sources.ts'
import * as store from '../store.ts'
import * as attempts from './attempt-store.ts'
import { bindCli } from './bind.ts'

export const REDIRECT_PATH = '/api/githost/connect/redirect'
/** What an account is asked for; the host separates them by commas. */
export const SCOPES = ['repo', 'read:org']
const MINUTE_MS = 60_000
/** The host itself gives an hour for all steps of a manifest. */
const LIFE_MS = { install: 10, oauth: 10, cloud: 10, device: 15, manifest: 60 } as const

type Way = NonNullable<Connect['source']>
type Answer = Omit<GithostConnect, 'alternatives'>

export async function connect(
  parts: GithostParts,
  caller: Caller,
  { source, account }: Connect,
  signal: AbortSignal,
): Promise<GithostConnect> {
  const ways = await waysOf(parts, caller)
  const connected = source === undefined && (await sourcesOf(parts, caller.orgId)).length > 0
  const way = source ?? ways[0]
  // Also where nothing is left: the machine's own login is nobody's by default.
  if (!connected && (way === undefined || !ways.includes(way))) throw unavailable(parts, way)
  const answer: Answer = connected ? { connected: true } : await begin(parts, caller, way ?? 'cli', { account, signal })
  await record(parts.db, caller, 'githost.connect', null, {
    way,
    ...(connected ? { connected } : { flow: answer.flow }),
  })
  return { ...answer, alternatives: ways.filter((one) => one !== way) }
}

/** In the order in which they are picked: an app of one's own before what acts as a person. */
async function waysOf({ db, config, linkedCloud }: GithostParts, { orgId, role }: Caller): Promise<Way[]> {
  const { githost, mode } = config
  const apps = (await store.apps(db, orgId, githost.host)).filter(({ via }) => via === 'own')
  const linked = mode === 'self_hosted' ? await linkedCloud.find(orgId) : null
  const manages = role === 'owner' || role === 'admin'
  return [
    ...(githost.app !== null || apps.length > 0 ? ['app' as const] : []),
    ...(linked?.isSet ? ['cloud' as const] : []),
    ...(mode === 'self_hosted' && manages ? ['manifest' as const] : []),
    ...(githost.oauth !== null && (mode === 'self_hosted' || githost.oauth.clientSecret) ? ['oauth' as const] : []),
    ...((await mayUseCli({ db, config }, orgId)) ? ['cli' as const] : []),
  ]
}

type More = { account?: string | undefined; signal: AbortSignal }

async function begin(parts: GithostParts, caller: Caller, way: Way, more: More): Promise<Answer> {
  const { oauth } = parts.config.githost
  if (way === 'app') return redirect(parts, caller, 'install', { app: await newestApp(parts, caller.orgId) })
  if (way === 'manifest') return redirect(parts, caller, 'manifest', { account: more.account ?? null })
  if (way === 'cloud') return throughCloud(parts, caller, more.signal)
  if (way === 'oauth' && oauth?.clientSecret) return redirect(parts, caller, 'oauth', {})
  if (way === 'oauth' && oauth) return (await device(parts, caller, oauth.clientId)) ?? terminal(parts)
  return (await bindCli(parts, caller, more.signal)) ? { connected: true } : terminal(parts)
}

/** The browser begins at our own page: it says for whom one is about to connect, and binds the attempt to that browser. */
async function redirect(
  parts: GithostParts,
  caller: Caller,
  kind: AttemptKind,
  more: { app?: string; account?: string | null },
): Promise<Answer> {
  const start = attempts.newSecret()
  await attempts.insert(parts.db, { ...attemptOf(caller, kind), ...more, startHash: attempts.hashOf(start) })
  return { connected: false, flow: 'redirect', url: `${parts.config.publicUrl}${REDIRECT_PATH}?start=${start}` }
}

export const attemptOf = ({ orgId, userId }: Caller, kind: AttemptKind) => ({
  ...{ id: newId('ght'), orgId, userId, kind },
  expiresAt: new Date(Date.now() + LIFE_MS[kind] * MINUTE_MS),
})

/** Ten open tabs ask for one code: a pending login is answered again as it is. */
async function device(parts: GithostParts, caller: Caller, clientId: string): Promise<Answer | null> {
  const known = await attempts.newest(parts.db, caller.orgId, caller.userId)
  if (known?.kind === 'device' && known.status === 'started' && known.expiresAt > new Date()) return codesOf(known)
  const asked = await parts.githost.oauth.deviceCode(clientId, SCOPES.join(',')).catch(rethrow)
  if (asked === null) return null
  const row = attemptOf(caller, 'device')
  const made = await attempts.insert(parts.db, {
    ...row,
    secret: parts.keys.seal(asked.deviceCode, attemptPlace(row.id)),
    userCode: asked.userCode,
    verificationUri: asked.verificationUri,
    intervalSeconds: asked.interval,
    pollAt: new Date(Date.now() + asked.interval * 1000),
    expiresAt: new Date(Date.now() + asked.expiresIn * 1000),
  })
  return codesOf(made)
}

const codesOf = (row: attempts.AttemptRow): Answer => ({
  connected: false,
  flow: 'device_code',
  userCode: row.userCode ?? '',
  verificationUri: row.verificationUri ?? '',
  expiresIn: Math.max(0, Math.round((row.expiresAt.getTime() - Date.now()) / 1000)),
  interval: row.intervalSeconds ?? 5,
})

const terminal = ({ config: { githost } }: GithostParts): Answer => ({
  connected: false,
  flow: 'terminal',
  command: `gh auth login --hostname ${githost.host} --web --git-protocol https --scopes ${SCOPES.join(',')}`,
  message: `Sign in with this command as the user that Slipway runs as, then connect again with source "cli".`,
})

/** The cloud knows the address, and our state; the browser goes there from our own page. */
async function throughCloud(parts: GithostParts, caller: Caller, signal: AbortSignal): Promise<Answer> {
  const { config, keys, db, linkedCloud: cloud } = parts
  const [state, start] = [attempts.newSecret(), attempts.newSecret()]
  const here = `${config.publicUrl}${REDIRECT_PATH}`
  const asking = { cloud, orgId: caller.orgId, signal }
  const there = await askAddress(asking, { state, returnTo: here })
    .then(({ url, host }) => {
      requireHost(host, config.githost.host)
      return url
    })
    .catch(refusedThere)
  const row = attemptOf(caller, 'cloud')
  const hashes = { startHash: attempts.hashOf(start), stateHash: attempts.hashOf(state) }
  await attempts.insert(db, { ...row, ...hashes, secret: keys.seal(there, attemptPlace(row.id)) })
  return { connected: false, flow: 'redirect', url: `${here}?start=${start}` }
}

/** It is about the link, and not about what the caller has sent. */
function refusedThere(error: unknown): never {
  const failure = failureIn(error)
  if (failure === null) throw error
  const { code, message, hint } = failure
  if (code === 'cloud_unreachable' || code === 'busy' || code === 'unreachable') throw refusalOf(failure)
  const address = 'SLIPWAY_PUBLIC_URL has to be https, or the address that the instance had when it was linked.'
  throw new Refusal('conflict', message, { hint: code === 'invalid' ? address : hint, cause: error })
}

/** An app that was registered by hand has a row as well, made when it is first used: links refer to it. */
export async function newestApp(parts: GithostParts, orgId: string): Promise<string> {
  const { app, host } = parts.config.githost
  const [own] = (await store.apps(parts.db, orgId, host)).filter(
    ({ via, ...row }) => via === 'own' && (row.orgId !== null || app !== null),
  )
  if (app === null) return own?.id ?? ''
  const { appId, slug, clientId } = app
  const names = { id: newId('gha'), orgId: null, host, owner: '', hookKey: attempts.newSecret() }
  return (await store.keepApp(parts.db, { ...names, appId, slug, clientId })).id
}

function unavailable({ config }: GithostParts, source: Way | undefined): Refusal {
  const message =
    source === undefined
      ? 'This instance offers this organization, or this role, no way to connect.'
      : `source: ${source} cannot be used here.`
  const hint =
    source === 'cloud' && config.mode === 'self_hosted' && config.cloudUrl !== null
      ? 'Link the organization to the hosted cloud first: POST /api/cloud/link.'
      : 'Ask whoever runs the instance; docs/how-to/connect-a-git-host.md says what each way needs.'
  return new Refusal('invalid_request', message, { field: 'source', hint })
}

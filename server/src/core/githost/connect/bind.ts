import { holds } from '@slipway/contract/permissions'
import { type Tx, transaction } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'
import type { Granted, HostSession } from '../../../drivers/githost/githost.ts'
import type { Caller } from '../../access/caller.ts'
import { record } from '../../audit/record.ts'
import { askInstallations } from '../broker/ask-cloud.ts'
import { keepBrokered, requireHost } from '../broker/keep-brokered.ts'
import { failed, failureIn, rethrow } from '../refuse.ts'
import { accountPlace, appPlace } from '../secrets.ts'
import { asApp, type GithostParts } from '../sources.ts'
import * as store from '../store.ts'
import { TOKENS_CHANGED } from '../tokens.ts'
import * as attempts from './attempt-store.ts'
import { prove } from './prove.ts'

const NEEDED = [/^repo$/, /^(?:read|write|admin):org$/]

/** A person's account becomes the organization's: its login, its scopes and whose it was before are looked at first. */
export async function bindAccount(
  parts: GithostParts,
  attempt: attempts.AttemptRow,
  granted: Granted,
  signal: AbortSignal,
) {
  const person = await sessionOf(parts, attempt, granted.token, signal).person()
  const scopes = person.scopes.length > 0 ? person.scopes : granted.scopes
  const missing = NEEDED.filter((needed) => !scopes.some((scope) => needed.test(scope)))
  // A token of an app carries permissions instead of scopes.
  if (scopes.length > 0 && missing.length > 0) {
    throw failed(
      'forbidden',
      `${person.login} gave too little: ${scopes.join(', ')}, but repo and read:org are needed.`,
    )
  }
  const before = (await store.accounts(parts.db, attempt.orgId)).find(({ kind }) => kind === 'oauth')
  if (before && before.brokenAt === null && before.login.toLowerCase() !== person.login.toLowerCase()) {
    throw failed('forbidden', `${before.login} is connected. Disconnect it before ${person.login} takes its place.`)
  }
  const id = newId('ghc')
  await bound(parts, attempt, person.login, { source: 'oauth', login: person.login }, (tx) =>
    store.keepAccount(tx, {
      ...{ id, orgId: attempt.orgId, kind: 'oauth', login: person.login, avatarUrl: person.avatarUrl, scopes },
      token: parts.keys.seal(granted.token, accountPlace(id, 'token')),
      refreshToken: granted.refreshToken && parts.keys.seal(granted.refreshToken, accountPlace(id, 'refresh_token')),
      expiresAt: granted.expiresAt,
      clientId: parts.config.githost.oauth?.clientId ?? null,
      connectedBy: attempt.userId,
    }),
  )
}

/** An installation is bound as far as the person proves it; their token is thrown away with the end of this. */
export async function bindInstallation(
  parts: GithostParts,
  attempt: attempts.AttemptRow,
  app: store.AppRow,
  { token, installationId, signal }: { token: string; installationId: number | null; signal: AbortSignal },
) {
  const key = { app: app.id, appId: app.appId, privateKey: app.privateKey }
  const asInstallation = async (id: number) => {
    const minted = await asApp(parts, key, signal).mint(id, {})
    return sessionOf(parts, attempt, minted.token, signal)
  }
  const { installation, repoIds, login } = await prove(
    sessionOf(parts, attempt, token, signal),
    installationId,
    asInstallation,
  )
  const { id: number, account } = installation
  const detail = { source: 'app', account: account.login, installationId: number, provedBy: login }
  const extent = repoIds === null ? 'all repositories' : `${repoIds.length} repositories`
  await bound(parts, attempt, login, { ...detail, extent }, async (tx) => {
    await store.keepInstallation(tx, app.id, installation)
    const row = { id: newId('ghl'), orgId: attempt.orgId, app: app.id, installationId: number }
    await store.keepLink(tx, { ...row, repoIds, provedBy: attempt.userId, proofLogin: login })
  })
}

/** What somebody has proved at the cloud is usable here, as far as they have; the cloud is asked, whatever the browser brought. */
export async function bindThroughCloud(parts: GithostParts, attempt: attempts.AttemptRow, signal: AbortSignal) {
  const { orgId, userId } = attempt
  const { host } = parts.config.githost
  const seen = await askInstallations({ cloud: parts.linkedCloud, orgId, signal })
  requireHost(seen.host, host)
  const [first] = seen.data
  if (first === undefined) throw failed('forbidden', 'The organization at the cloud holds no installation of its app.')
  const accounts = seen.data.map(({ account }) => account.login)
  await bound(parts, attempt, first.account.login, { source: 'cloud', accounts }, (tx) =>
    keepBrokered(tx, { orgId, userId, host }, seen),
  )
}

/** The choice alone is remembered. False: nobody is signed in. */
export async function bindCli(parts: GithostParts, caller: Caller, signal: AbortSignal): Promise<boolean> {
  const token = await parts.githost.cli.token()
  if (token === null) return false
  const { orgId, userId } = caller
  const source = { key: `cli:${orgId}`, token: async () => token, signal }
  const person = await parts.githost
    .as(source)
    .person()
    .catch((error: unknown) => {
      if (failureIn(error)?.code === 'unauthorized') return null
      return rethrow(error)
    })
  if (person === null) return false
  const { login, avatarUrl, scopes } = person
  await store.keepAccount(parts.db, {
    ...{ id: newId('ghc'), orgId, kind: 'cli', login, avatarUrl, scopes, connectedBy: userId },
  })
  return true
}

const sessionOf = (parts: GithostParts, { id }: attempts.AttemptRow, token: string, signal: AbortSignal): HostSession =>
  parts.githost.as({ key: `proof:${id}`, token: async () => token, signal })

async function bound(
  parts: GithostParts,
  attempt: attempts.AttemptRow,
  login: string,
  detail: Record<string, unknown>,
  keep: (tx: Tx) => Promise<unknown>,
): Promise<void> {
  await transaction(parts.db, async (tx) => {
    const role = await attempts.roleOf(tx, attempt)
    if (role === undefined || !holds(role, null, 'githost:write')) {
      throw failed('forbidden', 'Whoever began this may not connect the organization any more.')
    }
    await keep(tx)
    await attempts.end(tx, attempt.id, 'bound', { login })
    // Who has proved it at the cloud is in the log there.
    const name = attempt.kind === 'cloud' ? 'the hosted cloud' : `${login} at the git host`
    const actor = { kind: 'system' as const, name, orgId: attempt.orgId }
    await record(tx, actor, 'githost.connected', attempt.userId, detail)
  })
  parts.changes.send(TOKENS_CHANGED)
}

/** As whom people sign in to an app: of one that was registered by hand, the configuration has the secret. */
export function clientOf({ config, keys }: Pick<GithostParts, 'config' | 'keys'>, app: store.AppRow) {
  const sealed = app.clientSecret
  const clientSecret =
    sealed === null ? (config.githost.app?.clientSecret ?? null) : keys.open(sealed, appPlace(app.id, 'client_secret'))
  return { clientId: app.clientId, clientSecret }
}

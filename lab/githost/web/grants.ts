import { createHash, randomBytes } from 'node:crypto'
import { addToken, appByClientId, randomText } from '../host.ts'
import type { Account, App, Code, Host, Json, Token } from '../model.ts'

/** An OAuth app, or an app in so far as people sign in with it. */
export type Client = {
  id: string
  name: string
  secrets: string[]
  callbackUrls: string[]
  deviceFlow: boolean
  app: App | null
}

export function findClient(host: Host, id: string | null): Client | undefined {
  const app = appByClientId(host, id ?? '')
  const found = app ?? host.oauthApps.get(id ?? '')
  if (!found) return undefined
  const { clientId, clientSecrets, name, callbackUrls, deviceFlow } = found
  return { id: clientId, name, secrets: clientSecrets, callbackUrls, deviceFlow, app: app ?? null }
}

export const scopesOf = (text: string | null) => (text ?? '').split(/[ ,]+/).filter(Boolean)

export function issueCode({ grants }: Host, code: Omit<Code, 'at'>): string {
  const value = randomBytes(10).toString('hex')
  grants.codes.set(value, { ...code, at: Date.now() })
  return value
}

/** The code itself is used up, whatever comes of it. */
export function takeCode({ grants, settings }: Host, client: Client, value: string): Code | undefined {
  const code = grants.codes.get(value)
  if (code?.clientId !== client.id || Date.now() - code.at > settings.codeLifeMs) return undefined
  grants.codes.delete(value)
  return code
}

export function isVerified({ challenge }: Code, verifier: string | null): boolean {
  if (challenge === null) return true
  return verifier !== null && createHash('sha256').update(verifier).digest('base64url') === challenge
}

const REFRESH_SECONDS = 15_897_600

/** A token in the person's name, in the words of the token endpoint. */
export function grantToken(host: Host, { id, app }: Client, user: Account, scopes: string[]): Json {
  if (!app) {
    const { value } = addToken(host, { kind: 'oauth', user, scopes, clientId: id })
    return { access_token: value, token_type: 'bearer', scope: scopes.join(',') }
  }
  const common = { kind: 'user', user, app, clientId: id } as const
  if (!app.expireUserTokens) return { access_token: addToken(host, common).value, scope: '', token_type: 'bearer' }
  const life = host.settings.userTokenLifeMs
  const token = addToken(host, { ...common, expiresAt: Date.now() + life, refreshToken: randomText('ghr_', 76) })
  return {
    access_token: token.value,
    expires_in: Math.round(life / 1000),
    refresh_token: token.refreshToken,
    refresh_token_expires_in: REFRESH_SECONDS,
    scope: '',
    token_type: 'bearer',
  }
}

/** Works once: the pair it belonged to is gone. */
export function takeRefreshToken({ tokens }: Host, client: Client, value: string): Token | undefined {
  const isIt = ({ refreshToken, clientId }: Token) => refreshToken === value && clientId === client.id
  const found = value === '' ? undefined : [...tokens.values()].find(isIt)
  if (found) tokens.delete(found.value)
  return found
}

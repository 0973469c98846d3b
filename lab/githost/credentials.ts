import { createPublicKey, verify } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ApiError, unauthenticated } from './answer.ts'
import { appByClientId } from './host.ts'
import type { Account, App, Host, Json, Token } from './model.ts'

export type Actor =
  | { kind: 'anonymous'; address: string }
  | { kind: 'token'; token: Token }
  | { kind: 'app'; app: App }
  | { kind: 'client'; clientId: string; secret: string }

/** Remote addresses without the IPv6 form of IPv4. */
export const addressOf = ({ socket }: IncomingMessage) => (socket.remoteAddress ?? '').replace('::ffff:', '')

/** Who asks. An unknown, expired or revoked credential is 401, also where the thing asked for is public. */
export function readActor(host: Host, request: IncomingMessage): Actor {
  const { authorization } = request.headers
  if (!authorization) return { kind: 'anonymous', address: addressOf(request) }
  const [, scheme = '', value = ''] = /^(\S+)\s+(.*)$/.exec(authorization.trim()) ?? []
  if (/^basic$/i.test(scheme)) return fromBasic(host, Buffer.from(value, 'base64').toString())
  if (!/^(bearer|token)$/i.test(scheme)) throw badCredentials()
  const isJwt = value.split('.').length === 3 && !value.startsWith('ghs_')
  if (isJwt) return { kind: 'app', app: fromJwt(host, value) }
  return { kind: 'token', token: requireToken(host, value) }
}

const badCredentials = () => new ApiError(401, 'Bad credentials')

function fromBasic(host: Host, pair: string): Actor {
  const [, name = '', password = ''] = /^([^:]*):?(.*)$/s.exec(pair) ?? []
  const isClient = host.oauthApps.has(name) || appByClientId(host, name) !== undefined
  if (isClient) return { kind: 'client', clientId: name, secret: password }
  return { kind: 'token', token: requireToken(host, password || name) }
}

function requireToken(host: Host, value: string): Token {
  const token = host.tokens.get(value)
  const expired = token?.expiresAt != null && token.expiresAt <= Date.now()
  const uninstalled = token?.installation && !host.installations.has(token.installation.id)
  if (!token || expired || uninstalled) throw badCredentials()
  return token
}

const decoded = (part: string): Json => JSON.parse(Buffer.from(part, 'base64url').toString())

/** An app signs who it is, for at most ten minutes. */
function fromJwt(host: Host, value: string): App {
  const [head = '', claims = '', signature = ''] = value.split('.')
  const undecodable = () => new ApiError(401, 'A JSON web token could not be decoded')
  let payload: Json
  try {
    if (decoded(head).alg !== 'RS256') throw undecodable()
    payload = decoded(claims)
  } catch {
    throw undecodable()
  }
  const issuer = String(payload.iss)
  const app = host.apps.get(Number(issuer)) ?? appByClientId(host, issuer)
  if (!app) throw new ApiError(404, 'Integration not found')
  const signed = Buffer.from(`${head}.${claims}`)
  const isGood = (key: string) =>
    verify('RSA-SHA256', signed, createPublicKey(key), Buffer.from(signature, 'base64url'))
  if (!app.publicKeys.some(isGood)) throw undecodable()
  const problem = problemWithTimes(payload, Date.now() / 1000)
  if (problem) throw new ApiError(401, problem)
  return app
}

function problemWithTimes({ exp, iat }: Json, at: number): string | undefined {
  if (typeof exp !== 'number') return "Missing 'expiration time' claim ('exp') in assertion"
  if (typeof iat !== 'number') return "Missing 'issued at' claim ('iat') in assertion"
  if (exp <= at)
    return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
  if (exp > at + 605) return "'Expiration time' claim ('exp') is too far in the future"
  if (iat > at + 60)
    return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
  return undefined
}

export function requireUser(actor: Actor): Account {
  if (actor.kind === 'token' && actor.token.user) return actor.token.user
  if (actor.kind === 'token') throw new ApiError(403, 'Resource not accessible by integration')
  throw actor.kind === 'app' ? badCredentials() : unauthenticated()
}

export function requireApp(actor: Actor): App {
  if (actor.kind === 'app') return actor.app
  throw new ApiError(401, 'A JSON web token could not be decoded')
}

/** Whose hourly limit a request counts for. */
export function payerOf(actor: Actor): string {
  if (actor.kind === 'anonymous') return `address ${actor.address}`
  if (actor.kind === 'app') return `app ${actor.app.id}`
  if (actor.kind === 'client') return `client ${actor.clientId}`
  const { installation, user } = actor.token
  return installation ? `installation ${installation.id}` : `user ${user?.id}`
}

/** For the log: names the credential and never shows it. */
export function describeActor(actor: Actor): string {
  if (actor.kind === 'app') return `app:${actor.app.slug}`
  if (actor.kind !== 'token') return actor.kind
  const { kind, user, installation } = actor.token
  return `${kind}:${user?.login ?? installation?.id ?? ''}`
}

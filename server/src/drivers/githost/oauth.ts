import type { Caller } from './client.ts'
import { type Client, type Granted, gitHostFailure, type OAuth } from './githost.ts'
import type { Raw } from './shapes.ts'

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code'
const TOKEN = '/login/oauth/access_token'

/**
 * Signing in to the host. One request each, so that a device login is polled from its row by whichever process comes:
 * octokit's own helper polls in the memory of one.
 */
export function hostOAuth({ web, plain }: Pick<Caller, 'web' | 'plain'>): OAuth {
  return {
    async exchange(client, code, redirectUri, verifier) {
      const form = { ...credentialsOf(client), code, redirect_uri: redirectUri }
      return grantedIn(await web(TOKEN, { ...form, ...(verifier !== null && { code_verifier: verifier }) }))
    },
    async refresh(client, refreshToken) {
      const form = { ...credentialsOf(client), grant_type: 'refresh_token', refresh_token: refreshToken }
      const said = await web(TOKEN, form)
      return said.error === 'bad_refresh_token' ? null : grantedIn(said)
    },
    async deviceCode(clientId, scope) {
      const said = await web('/login/device/code', { client_id: clientId, scope })
      if (said.error === 'device_flow_disabled') return null
      if (typeof said.device_code !== 'string') throw refused(said)
      return {
        deviceCode: said.device_code,
        userCode: String(said.user_code),
        verificationUri: String(said.verification_uri),
        expiresIn: Number(said.expires_in),
        interval: Number(said.interval),
      }
    },
    async pollDevice(clientId, deviceCode) {
      const said = await web(TOKEN, { client_id: clientId, device_code: deviceCode, grant_type: DEVICE })
      if (said.error === 'authorization_pending') return { state: 'pending', interval: null }
      if (said.error === 'slow_down') return { state: 'pending', interval: Number(said.interval ?? 10) }
      if (said.error === 'access_denied') return { state: 'denied' }
      if (said.error === 'expired_token' || said.error === 'incorrect_device_code') return { state: 'expired' }
      return { state: 'granted', granted: grantedIn(said) }
    },
    async revoke({ clientId, clientSecret }, token) {
      const basic = `basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
      await plain('DELETE /applications/{client_id}/token', { client_id: clientId, access_token: token }, basic)
    },
    async convertManifest(code) {
      const { data } = await plain('POST /app-manifests/{code}/conversions', { code })
      const made = data as Raw
      return {
        appId: Number(made.id),
        slug: String(made.slug),
        owner: String((made.owner as Raw | undefined)?.login),
        clientId: String(made.client_id),
        clientSecret: String(made.client_secret),
        privateKey: String(made.pem),
        webhookSecret: typeof made.webhook_secret === 'string' ? made.webhook_secret : null,
      }
    },
  }
}

const credentialsOf = ({ clientId, clientSecret }: Client) => ({
  client_id: clientId,
  ...(clientSecret !== null && { client_secret: clientSecret }),
})

function grantedIn(said: Raw): Granted {
  if (typeof said.access_token !== 'string') throw refused(said)
  const seconds = Number(said.expires_in)
  return {
    token: said.access_token,
    refreshToken: typeof said.refresh_token === 'string' ? said.refresh_token : null,
    expiresAt: Number.isFinite(seconds) ? new Date(Date.now() + seconds * 1000) : null,
    scopes: String(said.scope ?? '')
      .split(/[\s,]+/)
      .filter(Boolean),
  }
}

const refused = (said: Raw) =>
  gitHostFailure('invalid', `The git host refused it: ${String(said.error_description ?? said.error).slice(0, 300)}`, {
    hint: 'Begin to connect again.',
  })

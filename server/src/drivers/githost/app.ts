import type { Caller } from './client.ts'
import type { AppKey, AppSession } from './githost.ts'
import { failedDeliveries } from './push.ts'
import { installationOf, type Raw } from './shapes.ts'

/** As an app: requests are signed with its private key. */
export function appSession({ as }: Caller, app: AppKey): AppSession {
  const call = as({ key: `app:${app.appId}`, signal: app.signal }, async () => `bearer ${await tokenOf(app)}`)
  return {
    self: async () => ({ id: Number(((await call('GET /app')).data as Raw).id) }),
    setHookSecret: async (secret) => void (await call('PATCH /app/hook/config', { secret })),
    async installation(id) {
      const { data } = await call('GET /app/installations/{id}', { id })
      return installationOf(data as Raw)
    },
    failedDeliveries: () => failedDeliveries(call),
    async mint(id, { repositoryIds, permissions }) {
      const { data } = await call('POST /app/installations/{id}/access_tokens', {
        id,
        ...(repositoryIds && { repository_ids: repositoryIds }),
        ...(permissions && { permissions }),
      })
      const { token, expires_at } = data as { token: string; expires_at: string }
      return { token, expiresAt: new Date(expires_at) }
    },
  }
}

async function tokenOf({ appId, privateKey }: AppKey): Promise<string> {
  const { createAppAuth } = await import('@octokit/auth-app')
  const { token } = await createAppAuth({ appId, privateKey })({ type: 'app' })
  return token
}

import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { now, randomText } from './host.ts'
import type { Account, App, Host } from './model.ts'

export type NewApp = Partial<Omit<App, 'id' | 'slug' | 'publicKeys' | 'owner'>> & { name: string }

export function addApp(host: Host, { owner, ...wanted }: NewApp & { owner: Account }): { app: App; pem: string } {
  const app: App = {
    id: host.nextId(),
    slug: wanted.name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, ''),
    owner,
    clientId: randomText('Iv23li', 14),
    clientSecrets: [randomBytes(20).toString('hex')],
    publicKeys: [],
    webhookSecret: null,
    hookUrl: null,
    hookActive: true,
    permissions: {},
    events: [],
    callbackUrls: [],
    setupUrl: null,
    public: false,
    requestOauthOnInstall: false,
    deviceFlow: false,
    expireUserTokens: true,
    createdAt: now(),
    deliveries: [],
    ...wanted,
  }
  host.apps.set(app.id, app)
  return { app, pem: addKey(app) }
}

/** Gives the private half; older keys go on working until they are dropped. */
export function addKey(app: App): string {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  })
  app.publicKeys.push(publicKey)
  return privateKey
}

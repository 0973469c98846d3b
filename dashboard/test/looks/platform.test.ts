import type { Page } from 'playwright-core'
import { bootstrap } from '../../../server/src/core/operator/bootstrap.ts'
import { newId } from '../../../server/src/db/ids.ts'
import { configFor, connectedLogin, startLabHost } from '../../../server/test/http/githost/stage.ts'
import { fakeRegistry } from '../../../test-kit/fake-registry.ts'
import { joinAs, openStage } from '../stage.ts'
import { everyScreenIsForEverybody, type Screens } from './screens.ts'

const ADA = { email: 'ada@example.com', name: 'Ada', password: 'a password of ten letters' }

const host = await startLabHost()
const { clientId } = host.do.oauthApp({ name: 'slipway', callbackUrls: [] })
const { githost, ...trusted } = configFor(host)
const oauth = { clientId, clientSecret: null }
const stage = await openStage({ ...trusted, githost: { ...githost, oauth }, cloudUrl: 'http://127.0.0.1:9' })
const { platform, as, tokenFor } = stage.world
const made = await bootstrap(platform, { email: ADA.email, organization: 'Acme', again: false, days: 1 })
const signedIn = await joinAs(await stage.open(), made.link, ADA)
const { id: userId } = await platform.db.selectFrom('person').select('id').executeTakeFirstOrThrow()
const owner = { userId, orgId: made.orgId }
const api = as(await tokenFor(owner))

/** Something of everything, also what is broken. */
await connectedLogin(stage.world, host, { id: made.orgId } as never, 'ada')
await host.do.repo({ full: 'ada/shop', private: true, files: { a: 'a' } })
await api('POST', '/api/projects', { name: 'shop' })
await api('POST', '/api/members/invitations', { email: 'sam@example.com', role: 'developer' })
await api('POST', '/api/tokens', { name: 'build server', scopes: ['project:read', 'deployment:write'] })
const login = { username: 'deploy', password: 'the right one' }
const registry = await fakeRegistry(login)
await api('POST', '/api/registries', { host: registry.host, ...login })
await registry.close()
const bucket = { kind: 's3_compatible', bucket: 'backups', accessKeyId: 'k', secretAccessKey: 's' }
const checked = async (asked: object, found: { lastVerifySteps: object[] }) => {
  const { id } = (await api('POST', '/api/backup-destinations', { ...bucket, ...asked })).body
  await platform.db
    .updateTable('backupDestination')
    .set({ ...found, lastVerifySteps: JSON.stringify(found.lastVerifySteps) } as never)
    .where('id', '=', id)
    .execute()
}
await checked({ name: 'offsite', isDefault: true }, {
  lastVerifyError: 'connect: 192.0.2.9 does not answer. Look whether it is on, and whether a firewall is between.',
  lastVerifySteps: [{ step: 'connect', ok: false, ms: 5003 }],
  brokenSince: new Date(),
} as never)
await checked({ name: 'archive', bucket: 'archive' }, {
  lastVerifiedAt: new Date(),
  lastVerifySteps: ['connect', 'auth', 'write', 'read', 'delete'].map((step, n) => ({
    step,
    ok: true,
    ms: 41 + 30 * n,
  })),
} as never)
const told = { hookKey: 'k', event: 'push', repository: 'ada/shop', ref: 'refs/heads/main', pusher: 'ada' }
const REASONS = { skipped: 'auto-deploy is paused', failed: 'the branch could not be read', deployed: null }
for (const [guid, decision] of [
  ['g1', 'skipped'],
  ['g2', 'failed'],
  ['g3', 'deployed'],
] as const)
  await platform.db
    .insertInto('githostDelivery')
    .values({
      ...{ id: newId('ghd'), orgId: made.orgId, guid, ...told, after: 'd9dae0a'.padEnd(40, '0') },
      ...{ decidedAt: new Date(), decision, reason: REASONS[decision] },
    })
    .execute()

const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click()

/** A code to be typed at the git host, shown to whoever asked for it. */
await api('POST', '/api/githost/connect', { source: 'oauth' })
const guest = { email: 'grace@example.com', role: 'viewer' }
const { link } = (await api('POST', '/api/members/invitations', guest)).body
const asViewer = await joinAs(await stage.open(), link, { ...ADA, email: guest.email, name: 'Grace' })

const SCREENS: Screens = {
  backups: { path: '/backups', shows: 'text=Works', picture: 'backups' },
  members: { path: '/settings?tab=members', shows: 'text=sam@example.com', picture: 'members' },
  profile: { path: '/settings', shows: 'text=Where you are signed in' },
  roles: { path: '/settings?tab=roles', shows: 'text=audit:' },
  'new token': {
    path: '/settings?tab=tokens&make=token',
    shows: 'text=Make the token',
    picture: 'tokens',
    byAddress: true,
  },
  registries: { path: '/settings?tab=registries', shows: 'text=Works' },
  instance: { path: '/settings?tab=instance', shows: 'text=Builds at once', picture: 'instance' },
  cloud: { path: '/settings?tab=cloud', shows: 'text=Link to the cloud', picture: 'cloud-link' },
  'change of a destination': {
    path: '/backups',
    shows: '[role=dialog]',
    act: async (page) => {
      await press('Actions for offsite')(page)
      await page.getByRole('menuitem', { name: 'Change' }).click()
    },
  },
  git: { path: '/git', shows: 'text=Good for another' },
  repository: { path: '/git?tab=repositories&repo=ada%2Fshop', shows: 'text=Webhooks' },
  deliveries: { path: '/git?tab=deliveries', shows: 'text=auto-deploy is paused', picture: 'deliveries' },
  rules: { path: '/git?tab=rules', shows: '[aria-label="Rule 1: repositories"]', act: press('Add a rule') },
  activity: {
    path: '/activity',
    shows: 'text=Everything about it',
    act: (page) => page.locator('summary').first().click(),
    picture: 'activity',
  },
}
const OUTSIDE: Screens = {
  'sign-up by invitation': { path: '/sign-up', shows: 'text=Ask for an invitation' },
}

/** Every button that they may not press says why. */
const VIEWED: Screens = {
  'members, to a viewer': { path: '/settings?tab=members', shows: 'text=it needs member:write' },
  'backups, to a viewer': { path: '/backups', shows: 'text=it needs backup_destination:write' },
}

everyScreenIsForEverybody(stage, [
  [signedIn, SCREENS],
  [asViewer, VIEWED],
  [undefined, OUTSIDE],
])

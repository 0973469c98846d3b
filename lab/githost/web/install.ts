import { type Answer, noPage, redirect } from '../answer.ts'
import { appBySlug, findAccount, findRepository, installationOn } from '../host.ts'
import { install } from '../installations.ts'
import type { Account, App, Host } from '../model.ts'
import { issueCode } from './grants.ts'
import { ask, toSignIn, type Visit, visitorOf, withQuery } from './visit.ts'

/** `/apps/<slug>/installations/new`: an account and its repositories, then to where the app wants the person. */
export function installPage(visit: Visit, slug: string): Answer {
  const { host, url, given, isPost } = visit
  const user = visitorOf(visit)
  if (!user) return toSignIn(visit)
  const app = appBySlug(host, slug)
  const account = findAccount(host, given.get('target') ?? user.login)
  const state = url.searchParams.get('state')
  // An app that is not public is installed only where it was registered.
  if (!app || !account || (!app.public && app.owner.id !== account.id)) return noPage()
  const role = account.id === user.id ? 'admin' : account.members.get(user.login)
  if (!role) return noPage()
  const names = (given.get('repositories') ?? '').split(',').filter(Boolean)
  if (!isPost && !host.settings.autoApprove) {
    const hidden = { target: account.login, repositories: names.join(',') }
    return ask(`Install ${app.name} on ${account.login}`, url.pathname + url.search, hidden, ['Install'])
  }
  // Who may not install asks an owner to; nothing is installed yet.
  if (role !== 'admin') return leave(host, app, user, { setup_action: 'request', state })
  const existing = installationOn(host, app.id, account)
  const found = names.map((name) => findRepository(host, account.login, name)).filter((one) => one !== undefined)
  const one = existing ?? install(host, app, account, user, names.length > 0 ? found : null)
  return leave(host, app, user, {
    installation_id: String(one.id),
    setup_action: existing ? 'update' : 'install',
    state,
  })
}

function leave(host: Host, app: App, user: Account, said: Record<string, string | null>): Answer {
  const [callback] = app.callbackUrls
  if (app.requestOauthOnInstall && callback) {
    const code = issueCode(host, { clientId: app.clientId, user, redirectUri: callback, scopes: [], challenge: null })
    return redirect(withQuery(callback, { code, ...said }))
  }
  return redirect(app.setupUrl ? withQuery(app.setupUrl, said) : '/settings/installations')
}

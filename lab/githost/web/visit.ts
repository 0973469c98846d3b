import type { IncomingMessage } from 'node:http'
import { type Answer, page, redirect } from '../answer.ts'
import { findAccount } from '../host.ts'
import type { Account, Host } from '../model.ts'

/** One request to the pages; `given` is the form of a POST, else the query. */
export type Visit = {
  host: Host
  request: IncomingMessage
  url: URL
  isPost: boolean
  given: URLSearchParams
}

/** Whoever names themselves is signed in: the lab's host has no passwords. */
export function visitorOf({ host, request }: Visit): Account | undefined {
  const [, login = ''] = /(?:^|;\s*)lab_user=([\w-]+)/.exec(request.headers.cookie ?? '') ?? []
  return findAccount(host, login)
}

/** `/login?as=ada&return_to=/path` */
export function signIn({ host, url }: Visit): Answer {
  const account = findAccount(host, url.searchParams.get('as') ?? '')
  if (!account) return page('<h1>Sign in</h1><p>Add <code>as=</code> and a login to this address.</p>')
  const wanted = url.searchParams.get('return_to') ?? '/'
  const location = /^\/(?!\/)/.test(wanted) ? wanted : '/'
  return { status: 302, headers: { location, 'set-cookie': `lab_user=${account.login}; Path=/; HttpOnly` } }
}

export const toSignIn = ({ url }: Visit): Answer =>
  redirect(`/login?return_to=${encodeURIComponent(url.pathname + url.search)}`)

const escaped = (text: string) => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`)

/** A page that asks; a button posts all hidden fields. */
export function ask(title: string, action: string, hidden: Record<string, string>, buttons: string[]): Answer {
  const fields = Object.entries(hidden).map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  )
  const choices = buttons.map((one) => `<button name="decision" value="${escaped(one)}">${escaped(one)}</button>`)
  const heading = `<title>${escaped(title)}</title><h1>${escaped(title)}</h1>`
  return page(`${heading}<form method="post" action="${escaped(action)}">${[...fields, ...choices].join('')}</form>`)
}

export function withQuery(address: string, more: Record<string, string | null>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(more)) if (value !== null) url.searchParams.set(name, value)
  return url.toString()
}

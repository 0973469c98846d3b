import { type Answer, type Headers, ok } from './answer.ts'
import type { Actor } from './credentials.ts'
import type { Host, Json } from './model.ts'

/** One request to the API, with all that a handler needs. */
export type Call = {
  host: Host
  actor: Actor
  /** Where it comes from. */
  address: string
  url: URL
  /** Where this client has the API: what it is redirected to lies below. */
  base: string
  body: Json
  param(name: string): string
  query(name: string): string | null
}

type Handler = (call: Call) => Answer | Promise<Answer>
export type Route = { method: string; path: string; pattern: RegExp; names: string[]; handle: Handler }

/** `GET /repos/:owner/:repo/contents/*path`: `:` stands for one segment, `*` for the rest of the path. */
export function route(line: string, handle: Handler): Route {
  const [method = '', path = ''] = line.split(' ')
  const names: string[] = []
  const source = path.replace(/\/([:*])(\w+)/g, (_, kind: string, name: string) => {
    names.push(name)
    return kind === ':' ? '/([^/]+)' : '(?:/(.*))?'
  })
  return { method, path, pattern: new RegExp(`^${source}/?$`), names, handle }
}

/** The first that fits; what is more special stands first in the table. */
export function findRoute(routes: Route[], method: string, path: string) {
  for (const one of routes) {
    const found = one.method === method ? one.pattern.exec(path) : null
    if (!found) continue
    const values = new Map(one.names.map((name, at) => [name, decodeURIComponent(found[at + 1] ?? '')]))
    return { handle: one.handle, param: (name: string) => values.get(name) ?? '' }
  }
  return undefined
}

/** One page of a list, with the Link header that leads on. */
export function pageOf<T>({ url }: Call, items: T[]): { items: T[]; headers: Headers } {
  const number = (name: string, otherwise: number) => Math.max(1, Number(url.searchParams.get(name)) || otherwise)
  const size = Math.min(100, number('per_page', 30))
  const at = number('page', 1)
  const last = Math.max(1, Math.ceil(items.length / size))
  const link = (to: number, rel: string) => {
    const target = new URL(url)
    target.searchParams.set('per_page', String(size))
    target.searchParams.set('page', String(to))
    return `<${target}>; rel="${rel}"`
  }
  const back = at > 1 ? [link(at - 1, 'prev'), link(1, 'first')] : []
  const forth = at < last ? [link(at + 1, 'next'), link(last, 'last')] : []
  const links = [...back, ...forth]
  return {
    items: items.slice((at - 1) * size, at * size),
    headers: links.length > 0 ? { link: links.join(', ') } : {},
  }
}

export function list<T>(call: Call, items: T[], shape: (item: T) => unknown, more: Headers = {}): Answer {
  const shown = pageOf(call, items)
  return ok(shown.items.map(shape), 200, { ...shown.headers, ...more })
}

/** As `list`, below a name and with the count of all. */
export function counted<T>(call: Call, name: string, items: T[], shape: (item: T) => unknown, more: Json = {}): Answer {
  const shown = pageOf(call, items)
  return ok({ total_count: items.length, ...more, [name]: shown.items.map(shape) }, 200, shown.headers)
}

import type { GithostSource } from '@slipway/contract/githost-shape'

export type Operation =
  | 'read'
  | 'clone_token'
  | 'hooks'
  | 'create_in_organization'
  | 'create_for_person'
  | 'delete'
  | 'report'

/** What there is for one repository or owner: an installation that covers it, an account that works, a `gh` login. */
export type Facts = { app: { administration: boolean } | null; oauth: boolean; cli: boolean }

export type Choice =
  /** A read goes on to the next when one knows nothing; a write has only one. */
  | { use: GithostSource[] }
  | { via: 'app_hook' }
  | { refuse: 'githost_not_connected' | 'no_installation' | 'githost_forbids' }
  | { nothing: true }

/** Which source does it. Pure, and the only place that decides it. */
export function choose(operation: Operation, { app, oauth, cli }: Facts): Choice {
  const people: GithostSource[] = [...(oauth ? ['oauth' as const] : []), ...(cli ? ['cli' as const] : [])]
  const all: GithostSource[] = [...(app ? ['app' as const] : []), ...people]
  const connected = all.length > 0
  switch (operation) {
    case 'read':
      return connected ? { use: all } : { refuse: 'githost_not_connected' }
    case 'clone_token':
      return app ? { use: ['app'] } : { refuse: 'no_installation' }
    case 'hooks':
      return app ? { via: 'app_hook' } : firstOf(people, 'githost_not_connected')
    case 'create_in_organization':
    case 'delete':
      return app?.administration ? { use: ['app'] } : firstOf(people, app ? 'githost_forbids' : 'githost_not_connected')
    case 'create_for_person':
      // The host has no such route for apps.
      return firstOf(people, app ? 'githost_forbids' : 'githost_not_connected')
    case 'report':
      return connected ? { use: all.slice(0, 1) } : { nothing: true }
  }
}

function firstOf(
  [first]: GithostSource[],
  otherwise: Extract<Choice, { refuse: unknown }>['refuse'],
): Extract<Choice, { use: unknown } | { refuse: unknown }> {
  return first === undefined ? { refuse: otherwise } : { use: [first] }
}

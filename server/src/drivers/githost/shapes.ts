import type { HostHook, HostInstallation, HostRepository } from './githost.ts'

export type Raw = Record<string, unknown>

/** What the host says is data from outside: every member is looked at before it is used. */
export function repositoryOf(raw: Raw): HostRepository {
  const owner = (raw.owner ?? {}) as Raw
  return {
    id: Number(raw.id),
    owner: String(owner.login),
    ownerType: owner.type === 'Organization' ? 'Organization' : 'User',
    ownerAvatarUrl: textOf(owner.avatar_url),
    name: String(raw.name),
    private: raw.private === true,
    defaultBranch: textOf(raw.default_branch) ?? 'main',
    description: textOf(raw.description),
    language: textOf(raw.language),
    // Null before the first push.
    pushedAt: new Date(textOf(raw.pushed_at) ?? textOf(raw.created_at) ?? 0),
    permissions: flagsOf(raw.permissions),
  }
}

export function installationOf(raw: Raw): HostInstallation {
  const account = (raw.account ?? {}) as Raw
  return {
    id: Number(raw.id),
    account: {
      id: Number(account.id),
      login: String(account.login ?? account.slug),
      type: textOf(account.type) ?? textOf(raw.target_type) ?? 'User',
      avatarUrl: textOf(account.avatar_url),
    },
    selection: raw.repository_selection === 'all' ? 'all' : 'selected',
    permissions: Object.fromEntries(
      Object.entries((raw.permissions ?? {}) as Raw).filter(
        (pair): pair is [string, string] => textOf(pair[1]) !== null,
      ),
    ),
    suspended: textOf(raw.suspended_at) !== null,
  }
}

/** Without its secret, which the host shows as stars anyway. */
export function hookOf(raw: Raw): HostHook {
  const last = raw.last_response as Raw | undefined
  return {
    id: Number(raw.id),
    url: textOf((raw.config as Raw | undefined)?.url) ?? '',
    active: raw.active === true,
    events: Array.isArray(raw.events) ? raw.events.map(String) : [],
    lastResponse: last ? { code: typeof last.code === 'number' ? last.code : null, status: textOf(last.status) } : null,
  }
}

export function listIn(data: unknown): Raw[] {
  if (Array.isArray(data)) return data as Raw[]
  const inside = Object.values((data ?? {}) as Raw).find(Array.isArray)
  return (inside ?? []) as Raw[]
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : null)

const flagsOf = (value: unknown): Record<string, boolean> =>
  Object.fromEntries(Object.entries((value ?? {}) as Raw).map(([name, given]) => [name, given === true]))

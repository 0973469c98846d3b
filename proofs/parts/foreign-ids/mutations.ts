/** A lookup that forgets whose rows it may see: in `file`, the first `from` behind `after` becomes `to`. */
export type Mutation = { what: string; file: string; after: string; from: string; to: string }

const store = (name: string) => `server/src/core/${name}`
const WHERE = ".where('orgId', '=', orgId)"
const SCOPED = ".where('orgId', '=', scope.orgId)"

/** Stores, each without the organization in the query that finds what a request names. */
export const BY_ORGANIZATION: Mutation[] = [
  { what: 'projects', file: store('projects/store.ts'), after: 'const scoped =', from: SCOPED, to: '' },
  { what: 'servers', file: store('servers/store.ts'), after: 'export const find =', from: WHERE, to: '' },
  {
    what: 'deployments',
    file: store('deployments/rows/store.ts'),
    after: 'const select =',
    from: ".where('deployment.orgId', '=', orgId)",
    to: '',
  },
  {
    what: 'deployments of a project',
    file: store('deployments/rows/store.ts'),
    after: 'const select =',
    from: '.where(isOfOrg(orgId))',
    to: '',
  },
  { what: 'folder sessions', file: store('uploads/store.ts'), after: 'const select =', from: SCOPED, to: '' },
  {
    what: 'contents of uploads',
    file: store('uploads/blobs-store.ts'),
    after: 'const has =',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of another file
    from: 'blob.org_id = ${scope.orgId} and',
    to: '',
  },
  {
    what: 'access tokens',
    file: store('tokens/store.ts'),
    after: 'const select =',
    from: ".where('token.orgId', '=', scope.orgId)",
    to: '',
  },
  {
    what: 'members',
    file: store('members/store.ts'),
    after: 'const select =',
    from: ".where('member.orgId', '=', orgId)",
    to: '',
  },
  { what: 'backup destinations', file: store('backups/store.ts'), after: 'export const find =', from: WHERE, to: '' },
  { what: 'registries', file: store('registries/store.ts'), after: 'export const find =', from: WHERE, to: '' },
  {
    what: 'certificates',
    file: store('domains/certificates/store.ts'),
    after: 'export async function findByHost(',
    from: WHERE,
    to: '',
  },
  { what: 'audit entries', file: store('audit/store.ts'), after: 'export async function list(', from: WHERE, to: '' },
]

/** Lookups that go by something else than an organization alone. */
export const BY_SOMETHING_ELSE: Mutation[] = [
  {
    what: 'sessions, by person',
    file: store('access/sessions-store.ts'),
    after: 'export async function end(',
    from: ".where('userId', '=', userId)",
    to: '',
  },
  {
    what: 'whether a domain is managed',
    file: store('domains/names/store.ts'),
    after: 'export async function isManaged(',
    from: WHERE,
    to: '',
  },
]

/** The source as it would be; null when it does not have what the mutation is about any more. */
export function mutated(source: string, { after, from, to }: Mutation): string | null {
  const start = source.indexOf(after)
  const at = start < 0 ? -1 : source.indexOf(from, start)
  return at < 0 ? null : source.slice(0, at) + to + source.slice(at + from.length)
}

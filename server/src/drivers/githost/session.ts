import type { Answer, Call } from './client.ts'
import type {
  HostBranch,
  HostHook,
  HostInstallation,
  HostPage,
  HostRepository,
  HostSession,
  Named,
  NewHook,
} from './githost.ts'
import type { PushSession } from './push-session.ts'
import { hookOf, installationOf, listIn, type Raw, repositoryOf } from './shapes.ts'

const PER_PAGE = 100
const REPO = '/repos/{owner}/{repo}'

/** The operations of the REST API that are used, and nothing else. */
export function hostSession(call: Call): Omit<HostSession, keyof PushSession> {
  const paged = async <T>(route: string, params: object, shape: (one: Raw) => T, size = PER_PAGE) => {
    const answer = await call(route, { per_page: size, ...params })
    return pageOf(answer, shape)
  }
  return {
    async person() {
      const { data, headers } = await call('GET /user')
      const { id, login, avatar_url } = data as Raw
      // Octokit's own helper splits at spaces only; the host separates by commas.
      const scopes = String(headers['x-oauth-scopes'] ?? '').split(/[\s,]+/)
      return { id: Number(id), login: String(login), avatarUrl: textOf(avatar_url), scopes: scopes.filter(Boolean) }
    },
    repositories: (of, page): Promise<HostPage<HostRepository>> =>
      of === 'installation'
        ? paged('GET /installation/repositories', { page }, repositoryOf)
        : paged('GET /user/repos', { page, sort: 'pushed' }, repositoryOf),
    repository: async (of) => repositoryOf((await call(`GET ${REPO}`, at(of))).data as Raw),
    branches: (of, page, size): Promise<HostPage<HostBranch>> =>
      paged(`GET ${REPO}/branches`, { ...at(of), page }, branchOf, size),
    async head(of, branch) {
      const { data } = await call(`GET ${REPO}/git/ref/{+ref}`, { ...at(of), ref: `heads/${encodedPath(branch)}` })
      return String(((data as Raw).object as Raw | undefined)?.sha)
    },
    async tree(of, sha, recursive) {
      const { data } = await call(`GET ${REPO}/git/trees/{sha}`, {
        ...at(of),
        sha,
        ...(recursive && { recursive: '1' }),
      })
      const { tree, truncated } = data as { tree: Raw[]; truncated?: boolean }
      return { entries: tree.map(entryOf), truncated: truncated ?? false }
    },
    async blob(of, sha) {
      const { data } = await call(`GET ${REPO}/git/blobs/{sha}`, { ...at(of), sha })
      return Buffer.from(String((data as Raw).content), 'base64')
    },
    ...changes(call),
    installations: (page): Promise<HostPage<HostInstallation>> =>
      paged('GET /user/installations', { page }, installationOf),
    installationRepositories: (id, page) =>
      paged('GET /user/installations/{id}/repositories', { id, page }, repositoryOf),
  }
}

type Changes = Pick<HostSession, 'create' | 'remove' | 'hooks' | 'addHook' | 'setHook' | 'removeHook'>

const changes = (call: Call): Changes => ({
  async create({ organization }, name, isPrivate) {
    const body = { name, private: isPrivate }
    const asked =
      organization === null
        ? call('POST /user/repos', body)
        : call('POST /orgs/{org}/repos', { ...body, org: organization })
    return repositoryOf((await asked).data as Raw)
  },
  remove: async (of) => void (await call(`DELETE ${REPO}`, at(of))),
  async hooks(of): Promise<HostHook[]> {
    const { data } = await call(`GET ${REPO}/hooks`, { ...at(of), per_page: PER_PAGE })
    return (data as Raw[]).map(hookOf)
  },
  async addHook(of, hook) {
    const { data } = await call(`POST ${REPO}/hooks`, { ...at(of), name: 'web', active: true, ...wantedOf(hook) })
    return Number((data as Raw).id)
  },
  setHook: async (of, id, hook) =>
    void (await call(`PATCH ${REPO}/hooks/{id}`, { ...at(of), id, active: true, ...wantedOf(hook) })),
  removeHook: async (of, id) => void (await call(`DELETE ${REPO}/hooks/{id}`, { ...at(of), id })),
})

const wantedOf = ({ url, secret, events }: NewHook) => ({
  config: { url, secret, content_type: 'json', insecure_ssl: '0' },
  events,
})
/** A slash stays one; nothing else has a meaning in an address. */
const encodedPath = (path: string) => path.split('/').map(encodeURIComponent).join('/')
const at = ({ owner, name }: Named) => ({ owner, repo: name })
const textOf = (value: unknown) => (typeof value === 'string' ? value : null)

const branchOf = (raw: Raw): HostBranch => ({
  name: String(raw.name),
  commitSha: String((raw.commit as Raw | undefined)?.sha),
  protected: raw.protected === true,
})

const entryOf = (raw: Raw) => ({
  path: String(raw.path),
  mode: String(raw.mode),
  type: String(raw.type),
  sha: String(raw.sha),
  size: typeof raw.size === 'number' ? raw.size : null,
})

/** Some lists are bare, some lie in a member beside their count; the Link header says whether there is more. */
const pageOf = <T>({ data, headers }: Answer, shape: (one: Raw) => T): HostPage<T> => ({
  data: listIn(data).map(shape),
  more: /rel="next"/.test(String(headers.link ?? '')),
})

import { requireRepository } from '../access.ts'
import { type Answer, ApiError, invalid, notFound, ok } from '../answer.ts'
import { tellPush } from '../events/push.ts'
import { commitFile } from '../git/commit-file.ts'
import { git, gitBytes, resolveCommit } from '../git/run.ts'
import type { Host, Repository } from '../model.ts'
import { authorOf } from '../repositories.ts'
import { type Call, route } from '../route.ts'
import { gitCommitShape } from '../shapes/commit.ts'
import { repositoryPage, repositoryUrl } from '../shapes/repository.ts'
import { senderOf } from './repositories.ts'

type Entry = { mode: string; type: string; sha: string; size: number; path: string }

export async function listTree(repository: Repository, ...args: string[]): Promise<Entry[]> {
  const text = await git(repository, '--literal-pathspecs', 'ls-tree', '-l', '-z', ...args)
  const lines = text.split('\0').filter(Boolean)
  return lines.map((line) => {
    const [meta = '', path = ''] = line.split('\t')
    const [mode = '', type = '', sha = '', size = ''] = meta.split(/\s+/)
    return { mode, type, sha, size: Number(size) || 0, path }
  })
}

const entryAt = async (repository: Repository, commit: string, path: string) =>
  (await listTree(repository, commit, '--', path))[0]

function kindOf({ type, mode }: Entry): string {
  if (type === 'tree') return 'dir'
  if (type === 'commit') return 'submodule'
  return mode === '120000' ? 'symlink' : 'file'
}

function itemShape(host: Host, repository: Repository, ref: string, entry: Entry) {
  const { path, sha, size, type } = entry
  const [api, html] = [repositoryUrl(host, repository), repositoryPage(host, repository)]
  const [plural, singular] = type === 'tree' ? ['trees', 'tree'] : ['blobs', 'blob']
  const url = `${api}/contents/${path}?ref=${ref}`
  const links = { git_url: `${api}/git/${plural}/${sha}`, html_url: `${html}/${singular}/${ref}/${path}` }
  return {
    name: path.split('/').at(-1) ?? '',
    path,
    sha,
    size,
    url,
    ...links,
    download_url: kindOf(entry) === 'file' ? `${html}/raw/${ref}/${path}` : null,
    type: kindOf(entry),
    _links: { self: url, git: links.git_url, html: links.html_url },
  }
}

const MOST_LISTED = 1000
const MOST_INLINE = 1_000_000
const MOST_BYTES = 100_000_000

async function read(call: Call): Promise<Answer> {
  const repository = requireRepository(call, 'contents')
  const ref = call.query('ref') ?? repository.defaultBranch
  const sha = await resolveCommit(repository, ref)
  if (!sha)
    throw new ApiError(404, call.query('ref') ? `No commit found for the ref ${ref}` : 'This repository is empty.')
  const path = call.param('path').replace(/^\/+|\/+$/g, '')
  if (path.split('/').some((part) => part === '..' || part === '.')) throw notFound()
  const entry = path === '' ? undefined : await entryAt(repository, sha, path)
  if (path !== '' && !entry) throw notFound()
  if (entry && entry.type !== 'tree') return readFile(call, repository, ref, entry)
  const below = path === '' ? '' : `${path}/`
  const children = (await listTree(repository, `${sha}:${path}`)).slice(0, MOST_LISTED)
  return ok(
    children.map((child) => {
      const item = itemShape(call.host, repository, ref, { ...child, path: below + child.path })
      // Lists call a submodule a file, as documented.
      return item.type === 'submodule' ? { ...item, type: 'file' } : item
    }),
  )
}

async function readFile({ host }: Call, repository: Repository, ref: string, entry: Entry): Promise<Answer> {
  const item = itemShape(host, repository, ref, entry)
  if (item.type === 'submodule') return ok({ ...item, submodule_git_url: null })
  if (entry.size > MOST_BYTES) {
    const errors = [{ resource: 'Blob', field: 'data', code: 'too_large' }]
    throw new ApiError(403, 'This API returns blobs up to 100 MB in size.', { errors })
  }
  // Between 1 and 100 MB only the raw media type carries the content.
  if (entry.size > MOST_INLINE) return ok({ ...item, encoding: 'none', content: '' })
  const bytes = await gitBytes(repository, 'cat-file', 'blob', entry.sha)
  if (item.type === 'symlink') return ok({ ...item, target: bytes.toString() })
  const content = bytes.toString('base64').replace(/.{1,60}/g, '$&\n')
  return ok({ ...item, encoding: 'base64', content })
}

async function write(call: Call): Promise<Answer> {
  const { host } = call
  const repository = requireRepository(call, 'contents', 'write')
  const { message, content, sha } = call.body
  const branch = String(call.body.branch ?? repository.defaultBranch)
  const path = call.param('path')
  if (typeof message !== 'string' || typeof content !== 'string') throw invalid('Content', 'message', 'missing_field')
  const head = await resolveCommit(repository, branch)
  const old = head && (await entryAt(repository, head, path))
  if (old && sha === undefined) throw new ApiError(422, 'Invalid request.\n\n"sha" wasn\'t supplied.')
  if (old && sha !== old.sha) throw new ApiError(409, `${path} does not match ${sha}`)
  const sender = senderOf(call, repository)
  const change = { branch, path, content: Buffer.from(content, 'base64'), message, author: authorOf(sender) }
  const moved = await commitFile(repository, change)
  await tellPush(host, repository, [{ ref: `refs/heads/${branch}`, ...moved }], sender)
  const entry = await entryAt(repository, moved.after, path)
  if (!entry) throw notFound()
  const commit = await gitCommitShape(host, repository, moved.after)
  return ok({ content: itemShape(host, repository, branch, entry), commit }, old ? 200 : 201)
}

export const contentRoutes = [
  route('GET /repos/:owner/:repo/contents/*path', read),
  route('PUT /repos/:owner/:repo/contents/*path', write),
]

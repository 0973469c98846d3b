import { requireRepository } from '../access.ts'
import { type Answer, ApiError, invalid, noContent, notFound, ok } from '../answer.ts'
import { tellPush } from '../events/push.ts'
import { git, gitBytes, readHead, refsOf, resolveCommit, ZERO } from '../git/run.ts'
import { nodeId } from '../host.ts'
import type { Repository } from '../model.ts'
import { type Call, route } from '../route.ts'
import { repositoryUrl } from '../shapes/repository.ts'
import { listTree } from './contents.ts'
import { senderOf } from './repositories.ts'

const isId = (text: string) => /^[0-9a-f]{40}$/.test(text)
const MOST_ENTRIES = 100_000

async function showTree(call: Call): Promise<Answer> {
  const repository = requireRepository(call, 'contents')
  const name = call.param('tree')
  const at = (await resolveCommit(repository, name)) ?? (isId(name) ? name : undefined)
  if (!at) throw notFound()
  const absent = () => {
    throw notFound()
  }
  const root = (await git(repository, 'rev-parse', '--verify', `${at}^{tree}`).catch(absent)).trim()
  const entries = await listTree(repository, ...(call.query('recursive') ? ['-r', '-t'] : []), root)
  const url = `${repositoryUrl(call.host, repository)}/git`
  const tree = entries.slice(0, MOST_ENTRIES).map(({ path, mode, type, sha, size }) => {
    const item = { path, mode, type, sha, url: `${url}/${type === 'tree' ? 'trees' : 'blobs'}/${sha}` }
    return type === 'blob' ? { ...item, size } : item
  })
  return ok({ sha: root, url: `${url}/trees/${root}`, tree, truncated: entries.length > MOST_ENTRIES })
}

async function showBlob(call: Call): Promise<Answer> {
  const repository = requireRepository(call, 'contents')
  const sha = call.param('sha')
  if (!isId(sha)) throw new ApiError(422, 'The sha parameter must be exactly 40 characters and contain only [0-9a-f].')
  const bytes = await gitBytes(repository, 'cat-file', 'blob', sha).catch(() => null)
  if (!bytes) throw notFound()
  const url = `${repositoryUrl(call.host, repository)}/git/blobs/${sha}`
  const content = bytes.toString('base64')
  return ok({ sha, node_id: nodeId('Blob', sha), size: bytes.length, url, content, encoding: 'base64' })
}

const refShape = ({ host }: Call, repository: Repository, ref: string, sha: string) => {
  const url = `${repositoryUrl(host, repository)}/git`
  return {
    ref,
    node_id: nodeId('Ref', ref),
    url: `${url}/${ref}`,
    object: { type: 'commit', sha, url: `${url}/commits/${sha}` },
  }
}

const findRef = async (repository: Repository, ref: string) =>
  (await readHead(repository, ref)) ?? (await refsOf(repository, ref)).get(ref)

async function showRef(call: Call): Promise<Answer> {
  const repository = requireRepository(call, 'contents')
  const ref = `refs/${call.param('ref')}`
  const sha = await findRef(repository, ref)
  if (!sha) throw notFound()
  return ok(refShape(call, repository, ref, sha))
}

async function matchingRefs(call: Call): Promise<Answer> {
  const repository = requireRepository(call, 'contents')
  const start = `refs/${call.param('ref')}`
  const found = [...(await refsOf(repository))].filter(([ref]) => ref.startsWith(start))
  return ok(found.map(([ref, sha]) => refShape(call, repository, ref, sha)))
}

/** Makes, moves or deletes a ref and tells the hooks, as a push would. */
async function move(call: Call, repository: Repository, ref: string, sha: string): Promise<void> {
  const before = (await findRef(repository, ref)) ?? ZERO
  const args = sha === ZERO ? ['-d', ref] : [ref, sha]
  await git(repository, 'update-ref', ...args).catch(() => {
    throw new ApiError(422, 'Object does not exist')
  })
  await tellPush(call.host, repository, [{ ref, before, after: sha }], senderOf(call, repository))
}

async function createRef(call: Call): Promise<Answer> {
  const repository = requireRepository(call, 'contents', 'write')
  const [ref, sha] = [String(call.body.ref), String(call.body.sha)]
  if (!/^refs\/\w+\/[^\s~^:?*[\\]+$/.test(ref) || !isId(sha)) throw invalid('Reference', 'ref', 'invalid')
  if (await findRef(repository, ref)) throw new ApiError(422, 'Reference already exists')
  await move(call, repository, ref, sha)
  return ok(refShape(call, repository, ref, sha), 201)
}

async function updateRef(call: Call): Promise<Answer> {
  const repository = requireRepository(call, 'contents', 'write')
  const [ref, sha] = [`refs/${call.param('ref')}`, String(call.body.sha)]
  const before = await findRef(repository, ref)
  if (!before || !isId(sha)) throw new ApiError(422, 'Reference does not exist')
  const isForward = await git(repository, 'merge-base', '--is-ancestor', before, sha).then(
    () => true,
    () => false,
  )
  if (!isForward && call.body.force !== true) throw new ApiError(422, 'Update is not a fast forward')
  await move(call, repository, ref, sha)
  return ok(refShape(call, repository, ref, sha))
}

async function deleteRef(call: Call): Promise<Answer> {
  const repository = requireRepository(call, 'contents', 'write')
  const ref = `refs/${call.param('ref')}`
  if (!(await findRef(repository, ref))) throw new ApiError(422, 'Reference does not exist')
  await move(call, repository, ref, ZERO)
  return noContent()
}

export const gitDataRoutes = [
  route('GET /repos/:owner/:repo/git/trees/*tree', showTree),
  route('GET /repos/:owner/:repo/git/blobs/:sha', showBlob),
  route('GET /repos/:owner/:repo/git/ref/*ref', showRef),
  route('GET /repos/:owner/:repo/git/matching-refs/*ref', matchingRefs),
  route('POST /repos/:owner/:repo/git/refs', createRef),
  route('PATCH /repos/:owner/:repo/git/refs/*ref', updateRef),
  route('DELETE /repos/:owner/:repo/git/refs/*ref', deleteRef),
]

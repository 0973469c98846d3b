import { requireRepository } from '../access.ts'
import { type Answer, ApiError, notFound, ok, redirect } from '../answer.ts'
import { git, refsOf, resolveCommit } from '../git/run.ts'
import type { Repository } from '../model.ts'
import { type Call, list, pageOf, route } from '../route.ts'
import { commitShape, fileShape, gitCommitShape } from '../shapes/commit.ts'
import { repositoryPage, repositoryUrl } from '../shapes/repository.ts'

const requireCommit = async (repository: Repository, name: string) => {
  const sha = await resolveCommit(repository, name)
  if (!sha) throw new ApiError(422, `No commit found for SHA: ${name}`)
  return sha
}
const linesOf = (text: string) => text.split('\n').filter(Boolean)

async function listBranches(call: Call): Promise<Answer> {
  const repository = requireRepository(call, 'contents')
  const url = `${repositoryUrl(call.host, repository)}/commits`
  const branches = [...(await refsOf(repository, 'refs/heads/'))]
  return list(call, branches, ([ref, sha]) => ({
    name: ref.slice('refs/heads/'.length),
    commit: { sha, url: `${url}/${sha}` },
    protected: false,
  }))
}

async function showBranch(call: Call): Promise<Answer> {
  const repository = requireRepository(call, 'contents')
  const name = call.param('branch')
  const sha = (await refsOf(repository, `refs/heads/${name}`)).get(`refs/heads/${name}`)
  if (!sha) throw new ApiError(404, 'Branch not found')
  const url = `${repositoryUrl(call.host, repository)}/branches/${name}`
  return ok({
    name,
    commit: await commitShape(call.host, repository, sha),
    _links: { self: url, html: `${repositoryPage(call.host, repository)}/tree/${name}` },
    protected: false,
    protection: { enabled: false, required_status_checks: { enforcement_level: 'off', contexts: [], checks: [] } },
    protection_url: `${url}/protection`,
  })
}

async function listCommits(call: Call): Promise<Answer> {
  const repository = requireRepository(call, 'contents')
  const name = call.query('sha')
  const sha = await resolveCommit(repository, name ?? repository.defaultBranch)
  if (!sha) throw name === null ? new ApiError(409, 'Git Repository is empty.') : notFound()
  const { items, headers } = pageOf(call, linesOf(await git(repository, 'rev-list', '-n', '1000', sha)))
  return ok(await Promise.all(items.map((id) => commitShape(call.host, repository, id))), 200, headers)
}

/** What changed between two commits; a first commit has everything. */
async function changedFiles({ host }: Call, repository: Repository, head: string, args: string[]) {
  const options = ['--raw', '-r', '--root', '--no-commit-id', '--abbrev=40', '--no-renames', '-z']
  const words = (await git(repository, 'diff-tree', ...options, ...args)).split('\0').filter(Boolean)
  const kinds: Record<string, string> = { A: 'added', D: 'removed', M: 'modified', T: 'changed' }
  return words.flatMap((word, at) => {
    if (at % 2 === 1) return []
    const [, , , sha = '', kind = 'M'] = word.split(' ')
    return [fileShape(host, repository, head, { path: words[at + 1] ?? '', sha, status: kinds[kind] ?? 'modified' })]
  })
}

async function showCommit(call: Call): Promise<Answer> {
  const repository = requireRepository(call, 'contents')
  const sha = await requireCommit(repository, call.param('ref'))
  const files = (await changedFiles(call, repository, sha, [sha])).slice(0, 300)
  const stats = { additions: 0, deletions: 0, total: 0 }
  return ok({ ...(await commitShape(call.host, repository, sha)), stats, files })
}

async function compare(call: Call): Promise<Answer> {
  const { host } = call
  const repository = requireRepository(call, 'contents')
  const range = call.param('basehead')
  const [from = '', to = ''] = range.split('...')
  const [base, head] = await Promise.all([resolveCommit(repository, from), resolveCommit(repository, to)])
  if (!base || !head) throw notFound()
  const ancestor = (await git(repository, 'merge-base', base, head).catch(() => '')).trim()
  if (!ancestor) throw new ApiError(404, `No common ancestor between ${from} and ${to}.`)
  const ahead = linesOf(await git(repository, 'rev-list', '--reverse', `${base}..${head}`))
  const behind = Number(await git(repository, 'rev-list', '--count', `${head}..${base}`))
  const onlyBehind = behind === 0 ? 'identical' : 'behind'
  const onlyAhead = behind === 0 ? 'ahead' : 'diverged'
  const files = await changedFiles(call, repository, head, [ancestor, head])
  const html = `${repositoryPage(host, repository)}/compare`
  return ok({
    url: `${repositoryUrl(host, repository)}/compare/${range}`,
    html_url: `${html}/${range}`,
    permalink_url: `${html}/${base.slice(0, 12)}...${head.slice(0, 12)}`,
    diff_url: `${html}/${range}.diff`,
    patch_url: `${html}/${range}.patch`,
    base_commit: await commitShape(host, repository, base),
    merge_base_commit: await commitShape(host, repository, ancestor),
    status: ahead.length === 0 ? onlyBehind : onlyAhead,
    ahead_by: ahead.length,
    behind_by: behind,
    total_commits: ahead.length,
    commits: await Promise.all(ahead.slice(-100).map((id) => commitShape(host, repository, id))),
    // At most 300, as documented: who filters by path must not take this for all.
    files: files.slice(0, 300),
  })
}

const archive = (call: Call): Answer => {
  const repository = requireRepository(call, 'contents')
  const ref = call.param('ref') || repository.defaultBranch
  return redirect(`${repositoryPage(call.host, repository)}/legacy.archive/${ref}?token=lab`)
}

export const commitRoutes = [
  route('GET /repos/:owner/:repo/branches', listBranches),
  route('GET /repos/:owner/:repo/branches/*branch', showBranch),
  route('GET /repos/:owner/:repo/commits', listCommits),
  route('GET /repos/:owner/:repo/commits/*ref', showCommit),
  route('GET /repos/:owner/:repo/git/commits/:sha', async (call) => {
    const repository = requireRepository(call, 'contents')
    const sha = await resolveCommit(repository, call.param('sha'))
    if (!sha) throw notFound()
    return ok(await gitCommitShape(call.host, repository, sha))
  }),
  route('GET /repos/:owner/:repo/compare/*basehead', compare),
  route('GET /repos/:owner/:repo/tarball/*ref', archive),
  route('GET /repos/:owner/:repo/zipball/*ref', archive),
]

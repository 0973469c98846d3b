import { git } from '../git/run.ts'
import { nodeId, seconds } from '../host.ts'
import type { Host, Json, Repository } from '../model.ts'
import { repositoryPage, repositoryUrl } from './repository.ts'

const FIELDS = ['%H', '%T', '%P', '%an', '%ae', '%aI', '%cn', '%ce', '%cI', '%B'].join('%x02')

/** As `commits` shows one; its `commit` is what `git/commits` shows. */
export async function commitShape(host: Host, repository: Repository, id: string) {
  const text = await git(repository, 'show', '-s', `--format=${FIELDS}`, id, '--')
  const [sha = '', tree = '', parents = '', an = '', ae = '', at = '', cn = '', ce = '', ct = '', message = ''] =
    text.split('\x02')
  const url = repositoryUrl(host, repository)
  const html = `${repositoryPage(host, repository)}/commit`
  const by = (name: string, email: string, when: string) => ({ name, email, date: seconds(Date.parse(when)) })
  return {
    sha,
    node_id: nodeId('Commit', sha),
    commit: {
      author: by(an, ae, at),
      committer: by(cn, ce, ct),
      message: message.trim(),
      tree: { sha: tree, url: `${url}/git/trees/${tree}` },
      url: `${url}/git/commits/${sha}`,
      comment_count: 0,
      verification: { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null },
    },
    url: `${url}/commits/${sha}`,
    html_url: `${html}/${sha}`,
    comments_url: `${url}/commits/${sha}/comments`,
    author: null,
    committer: null,
    parents: parents
      .split(' ')
      .filter(Boolean)
      .map((parent) => ({ sha: parent, url: `${url}/commits/${parent}`, html_url: `${html}/${parent}` })),
  }
}

export async function gitCommitShape(host: Host, repository: Repository, id: string): Promise<Json> {
  const { sha, node_id, html_url, parents, commit } = await commitShape(host, repository, id)
  const { comment_count: _, ...rest } = commit
  return { ...rest, sha, node_id, html_url, parents }
}

type Changed = { path: string; sha: string; status: string }

export function fileShape(host: Host, repository: Repository, head: string, { path, sha, status }: Changed) {
  const html = repositoryPage(host, repository)
  return {
    sha,
    filename: path,
    status,
    additions: 0,
    deletions: 0,
    changes: 0,
    blob_url: `${html}/blob/${head}/${path}`,
    raw_url: `${html}/raw/${head}/${path}`,
    contents_url: `${repositoryUrl(host, repository)}/contents/${path}?ref=${head}`,
  }
}

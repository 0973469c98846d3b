import { reaches } from '../access.ts'
import { fullName, nodeId } from '../host.ts'
import type { Host, Repository, Role } from '../model.ts'
import { each, simpleUser, urlsBelow } from './account.ts'

const PATHS = [
  'forks keys{/key_id} collaborators{/collaborator} teams hooks issues/events{/number} events assignees{/user}',
  'branches{/branch} tags git/blobs{/sha} git/tags{/sha} git/refs{/sha} git/trees{/sha} statuses/{sha} languages',
  'stargazers contributors subscribers subscription commits{/sha} git/commits{/sha} comments{/number}',
  'issues/comments{/number} contents/{+path} compare/{base}...{head} merges {archive_format}{/ref} downloads',
  'issues{/number} pulls{/number} milestones{/number} notifications{?since,all,participating} labels{/name}',
  'releases{/id} deployments',
].join(' ')
const NAMES = {
  '': 'archive',
  'issues/events': 'issue_events',
  'issues/comments': 'issue_comment',
  'git/blobs': 'blobs',
  'git/tags': 'git_tags',
  'git/refs': 'git_refs',
  'git/trees': 'trees',
  'git/commits': 'git_commits',
  'contents/': 'contents',
  'compare/': 'compare',
  'statuses/': 'statuses',
}

export const repositoryUrl = (host: Host, repository: Repository) => `${host.api}/repos/${fullName(repository)}`
export const repositoryPage = (host: Host, repository: Repository) => `https://${host.name}/${fullName(repository)}`

export function minimalRepository(host: Host, repository: Repository, role: Role = 'read') {
  const full = fullName(repository)
  const url = repositoryUrl(host, repository)
  const html = repositoryPage(host, repository)
  return {
    id: repository.id,
    node_id: nodeId('Repository', repository.id),
    name: repository.name,
    full_name: full,
    private: repository.private,
    visibility: repository.private ? 'private' : 'public',
    owner: simpleUser(host, repository.owner),
    description: repository.description,
    default_branch: repository.defaultBranch,
    url,
    ...urlsBelow(url, PATHS, NAMES),
    html_url: html,
    svn_url: html,
    git_url: `git://${host.name}/${full}.git`,
    ssh_url: `git@${host.name}:${full}.git`,
    clone_url: `${html}.git`,
    ...each('mirror_url homepage language', null),
    ...each('forks_count stargazers_count watchers_count open_issues_count', 0),
    size: 1,
    topics: [],
    ...each('fork is_template archived disabled has_pages has_discussions', false),
    ...each('has_issues has_projects has_wiki has_downloads', true),
    pushed_at: repository.pushedAt ?? repository.createdAt,
    created_at: repository.createdAt,
    updated_at: repository.updatedAt,
    permissions: {
      ...each('admin maintain', reaches(role, 'admin')),
      ...each('push triage', reaches(role, 'write')),
      pull: reaches(role, 'read'),
    },
  }
}

export const wholeRepository = (host: Host, repository: Repository, role: Role = 'read') => ({
  ...minimalRepository(host, repository, role),
  ...each('forks open_issues watchers', 0),
  license: null,
  allow_forking: true,
  web_commit_signoff_required: false,
})

export const fullRepository = (host: Host, repository: Repository, role: Role = 'read') => ({
  ...wholeRepository(host, repository, role),
  ...each('network_count subscribers_count', 0),
})

/** As events of installations name repositories. */
export const namedRepository = (repository: Repository) => ({
  id: repository.id,
  node_id: nodeId('Repository', repository.id),
  name: repository.name,
  full_name: fullName(repository),
  private: repository.private,
})

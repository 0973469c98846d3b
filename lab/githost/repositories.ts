import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { tellRepository } from './events/tell.ts'
import { commitFile } from './git/commit-file.ts'
import { initRepository } from './git/run.ts'
import { now, repositoryKey } from './host.ts'
import type { Account, Host, Repository } from './model.ts'
import { simpleOrganization, simpleUser } from './shapes/account.ts'

export type NewRepository = {
  private?: boolean
  description?: string | null
  defaultBranch?: string
  autoInit?: boolean
  files?: Record<string, string>
  /** False: only listed, there is nothing to clone. For thousands of them. */
  stored?: boolean
}

export async function addRepository(host: Host, owner: Account, name: string, wanted: NewRepository = {}) {
  const id = host.nextId()
  const repository: Repository = {
    id,
    owner,
    name,
    private: wanted.private ?? false,
    description: wanted.description ?? null,
    defaultBranch: wanted.defaultBranch ?? 'main',
    createdAt: now(),
    updatedAt: now(),
    pushedAt: null,
    collaborators: new Map(),
    hooks: new Map(),
    statuses: [],
    deployments: [],
    checkRuns: [],
    dir: join(host.repositoriesDir, `${id}.git`),
  }
  host.repositories.set(repositoryKey(owner.login, name), repository)
  if (wanted.stored === false) return repository
  await initRepository(repository)
  const files = { ...(wanted.autoInit && { 'README.md': `# ${name}\n` }), ...wanted.files }
  for (const [path, text] of Object.entries(files)) {
    const change = { branch: repository.defaultBranch, path, content: Buffer.from(text), message: `Add ${path}` }
    await commitFile(repository, { ...change, author: authorOf(owner) })
  }
  if (Object.keys(files).length > 0) repository.pushedAt = now()
  return repository
}

export const authorOf = ({ login }: Account) => ({ name: login, email: `${login}@example.com` })

export function removeRepository(host: Host, repository: Repository, sender: Account): void {
  tellRepository(host, repository, { event: 'repository', action: 'deleted', sender })
  host.repositories.delete(repositoryKey(repository.owner.login, repository.name))
  for (const { repositoryIds } of host.installations.values()) repositoryIds.delete(repository.id)
  rmSync(repository.dir, { recursive: true, force: true })
}

export function renameRepository(host: Host, repository: Repository, name: string, sender: Account): void {
  const from = repository.name
  move(host, repository, () => {
    repository.name = name
  })
  const more = { changes: { repository: { name: { from } } } }
  tellRepository(host, repository, { event: 'repository', action: 'renamed', sender, more })
}

/** Installations of the former owner have it no longer; its own hooks go with it. */
export function transferRepository(host: Host, repository: Repository, owner: Account, sender: Account): void {
  const before = repository.owner
  move(host, repository, () => {
    repository.owner = owner
  })
  for (const { repositoryIds } of host.installations.values()) repositoryIds.delete(repository.id)
  const isUser = before.type === 'User'
  const from = isUser ? { user: simpleUser(host, before) } : { organization: simpleOrganization(host, before) }
  const more = { changes: { owner: { from } } }
  tellRepository(host, repository, { event: 'repository', action: 'transferred', sender, more })
}

function move(host: Host, repository: Repository, change: () => void): void {
  const key = () => repositoryKey(repository.owner.login, repository.name)
  host.repositories.delete(key())
  host.formerNames.set(key(), repository.id)
  change()
  repository.updatedAt = now()
  host.repositories.set(key(), repository)
}

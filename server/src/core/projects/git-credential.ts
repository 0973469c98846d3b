import { createHash } from 'node:crypto'
import type { NewGitCredential, GitCredential as Shown } from '@slipway/contract/git-credentials'
import type { GitCredential } from '../../drivers/git/git.ts'
import { Refusal } from '../../errors.ts'
import type { BaseParts } from '../parts.ts'
import type { SshKeys } from '../servers/ssh-keys.ts'
import { gitOrigin } from './git-origin.ts'
import type { ProjectRow } from './store.ts'

type Parts = Pick<BaseParts, 'keys'> & { sshKeys: SshKeys }
type Project = Pick<ProjectRow, 'id' | 'name' | 'repository' | 'gitCredential'>

/** The sealed text says for which host it is: a repository that moves does not take its credential along. */
type Sealed = { origin: string; credential: GitCredential }

const placeOf = (projectId: string) => `project/${projectId}/git_credential`

const NONE = { gitCredential: null, gitCredentialShown: null }

/** The columns for a credential that was given, with the repository as it will be. */
export async function sealCredential(parts: Parts, project: Project, given: NewGitCredential | null) {
  if (given === null) return NONE
  const origin = gitOrigin(project.repository)
  if (origin === null) throw wrong('A credential needs a repository.', 'Send repository along with it.')
  if (origin.startsWith('ssh:') !== (given.kind === 'key')) {
    const needed = given.kind === 'key' ? 'an ssh address such as git@host:owner/name.git' : 'an https:// address'
    throw wrong(`A ${given.kind === 'key' ? 'deploy key' : 'token'} needs ${needed}.`, 'Change repository, too.')
  }
  const credential = given.kind === 'token' ? tokenOf(given) : await keyOf(parts, project, given)
  const sealed: Sealed = { origin, credential }
  return {
    gitCredential: parts.keys.seal(JSON.stringify(sealed), placeOf(project.id)),
    gitCredentialShown: JSON.stringify(await shownOf(parts, credential)),
  }
}

/** The columns when only the address changes: another host must never get what was meant for this one. */
export const afterMove = (before: string | null, after: string | null) =>
  gitOrigin(before) === gitOrigin(after) ? {} : NONE

/** What opens `repository`; nothing where the stored one is for another host. */
export function openCredential(
  { keys }: Pick<BaseParts, 'keys'>,
  project: Pick<ProjectRow, 'id' | 'gitCredential'>,
  repository: string,
): GitCredential | null {
  const sealed = unseal({ keys }, project)
  return sealed !== null && sealed.origin === gitOrigin(repository) ? sealed.credential : null
}

/** Every text of it that must not be seen anywhere. */
export function secretsOf(parts: Pick<BaseParts, 'keys'>, project: Pick<ProjectRow, 'id' | 'gitCredential'>): string[] {
  const sealed = unseal(parts, project)
  if (sealed === null) return []
  return [sealed.credential.kind === 'token' ? sealed.credential.token : sealed.credential.privateKey]
}

function unseal({ keys }: Pick<BaseParts, 'keys'>, { id, gitCredential }: Pick<ProjectRow, 'id' | 'gitCredential'>) {
  return gitCredential === null ? null : (JSON.parse(keys.open(gitCredential, placeOf(id))) as Sealed)
}

const tokenOf = ({ token, username }: NewGitCredential & { kind: 'token' }): GitCredential => ({
  kind: 'token',
  token,
  ...(username !== undefined && { username }),
})

/** The key that was given, the one that is there for this host, or a new one. */
async function keyOf(
  { keys, sshKeys }: Parts,
  project: Project,
  { privateKey, hostKeys }: NewGitCredential & { kind: 'key' },
): Promise<GitCredential> {
  const before = project.repository === null ? null : openCredential({ keys }, project, project.repository)
  const kept = before?.kind === 'key' ? before.privateKey : undefined
  const chosen = privateKey ?? kept ?? sshKeys.generate(`slipway ${project.name}`).privateKey
  return { kind: 'key', privateKey: chosen, hostKeys: hostKeys.map(withoutHost) }
}

/** ssh-keyscan prints the host first; here the address says which it is. */
const withoutHost = (line: string) => line.trim().replace(/^(?!(?:ssh|ecdsa|sk)-[a-z0-9@.-]+ )\S+ +/, '')

async function shownOf(parts: Parts, credential: GitCredential): Promise<Shown> {
  const none = { username: null, publicKey: null, fingerprint: null, hostKeys: [] }
  if (credential.kind === 'token') return { kind: 'token', ...none, username: credential.username ?? null }
  const publicKey = await publicKeyOf(parts, credential.privateKey)
  const blob = Buffer.from(publicKey.split(' ')[1] ?? '', 'base64')
  const fingerprint = `SHA256:${createHash('sha256').update(blob).digest('base64').replaceAll('=', '')}`
  return { kind: 'key', ...none, publicKey, fingerprint, hostKeys: credential.hostKeys }
}

async function publicKeyOf({ sshKeys }: Parts, privateKey: string): Promise<string> {
  try {
    return await sshKeys.publicKeyOf({ privateKey })
  } catch (error) {
    const hint = 'Give it in OpenSSH or PEM form and without a passphrase: it is sealed here. Or leave it out.'
    throw wrong('The private key cannot be read.', hint, error)
  }
}

const wrong = (message: string, hint: string, cause?: unknown) =>
  new Refusal('invalid_request', message, { field: 'gitCredential', hint, ...(cause !== undefined && { cause }) })

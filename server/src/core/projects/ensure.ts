import { type EnsureProject, type NewProject, ProjectName } from '@slipway/contract/projects'
import { type Tx, transaction } from '../../db/database.ts'
import { Refusal } from '../../errors.ts'
import { type Caller, requireUnrestricted } from '../access/caller.ts'
import type { BaseParts } from '../parts.ts'
import type { SshKeys } from '../servers/ssh-keys.ts'
import { insertProject } from './manage.ts'
import type { MayLink } from './may-link.ts'
import * as store from './store.ts'

/** The project of this name or repository, made if there is none: may be repeated, also by two callers at once. */
export async function ensureProject(
  parts: Pick<BaseParts, 'db' | 'keys' | 'config'> & { sshKeys: SshKeys; mayLink: MayLink },
  caller: Caller,
  input: EnsureProject,
) {
  return transaction(parts.db, async (tx) => {
    const known = await findExisting(tx, caller, input)
    if (known) return { success: true as const, created: false, project: store.shape(known, caller) }
    requireUnrestricted(caller)
    const name = input.name ?? nameFrom(input.repository ?? '')
    const wanted: NewProject = {
      name,
      repository: input.repository ?? null,
      branch: null,
      gitCredential: null,
      serverId: null,
      settings: {},
    }
    const made = await insertProject(tx, parts, caller, wanted)
    if (made) return { success: true as const, created: true, project: store.shape(made, caller) }
    const winner = await findExisting(tx, caller, { ...input, name })
    if (winner) return { success: true as const, created: false, project: store.shape(winner, caller) }
    throw new Refusal('name_taken', `A project named ${JSON.stringify(name)} exists for another repository.`, {
      field: 'name',
      hint: 'Send a name of your own along with the repository.',
    })
  })
}

/** A name decides when it is given; a repository alone finds the oldest project that uses it. */
async function findExisting(tx: Tx, caller: Caller, input: EnsureProject) {
  if (input.name === undefined) return store.findByRepository(tx, caller, input.repository ?? '')
  const named = await store.findByName(tx, caller, input.name)
  const fits = input.repository === undefined || named?.repository === input.repository
  return fits ? named : undefined
}

function nameFrom(repository: string): string {
  const last = (repository.replace(/\/+$/, '').split(/[/:]/).pop() ?? '').replace(/\.git$/, '').slice(0, 80)
  return ProjectName.safeParse(last).data ?? 'project'
}

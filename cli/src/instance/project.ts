import type { Project } from '@slipway/contract/projects'
import type { Call } from '../command.ts'
import { EXIT, Failure, usage } from '../failure.ts'
import { readConfig } from './config-file.ts'
import type { Instance } from './instance.ts'
import { type Folder, findFolder } from './link.ts'

/** How a project was named: a flag, else the environment, else the link of the folder, else its slipway.json. */
export type Named = { by: 'id' | 'name'; value: string }

export const namedBy = (value: string): Named => ({ by: value.startsWith('prj_') ? 'id' : 'name', value })

export async function namedProject(call: Call, { url }: Instance, folder?: Folder): Promise<Named | null> {
  const said = call.flags.project ?? (call.env.SLIPWAY_PROJECT || undefined)
  if (said !== undefined) return namedBy(said)
  const { path, link, file } = folder ?? findFolder(call.cwd)
  if (link) {
    if (link.instance !== url) throw await linkedElsewhere(call, path, link.instance, url)
    return { by: 'id', value: link.projectId }
  }
  return file?.project === undefined ? null : { by: 'name', value: file.project }
}

/** The project that is meant, as it is now. */
export async function projectOf(call: Call, instance: Instance): Promise<Project> {
  const named = await namedProject(call, instance)
  if (named !== null) return findProject(instance, named)
  throw usage('Which project?', 'Name it with --project NAME, or say once which one this folder is: slipway link NAME')
}

export async function findProject({ api }: Instance, { by, value }: Named): Promise<Project> {
  if (by === 'id') return api.projects.show({ params: { id: value } })
  const { data } = await api.projects.list({ query: { name: value, limit: 1 } })
  const [found] = data
  if (found) return found
  throw new Failure(
    EXIT.refused,
    'not_found',
    `There is no project called ${value}.`,
    'slipway projects ls lists them.',
  )
}

/** Never guessed: what is done to the wrong instance cannot be taken back. */
async function linkedElsewhere({ env }: Call, path: string, linked: string, asked: string): Promise<Failure> {
  const { contexts } = readConfig(env)
  const known = Object.entries(contexts).find(([, { url }]) => url === linked)?.[0]
  const hint =
    known === undefined ? `Sign in to it: slipway login ${linked}` : `Ask that one: slipway context use ${known}`
  const message = `${path} is linked to a project of ${linked}, and ${asked} is asked.`
  return new Failure(EXIT.usage, 'linked_elsewhere', message, `${hint}\nOr link it anew: slipway link NAME`)
}

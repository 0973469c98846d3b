import type { Project } from '@slipway/contract/projects'
import type { Call, Command } from '../../command.ts'
import { confirm } from '../../instance/ask.ts'
import type { Instance } from '../../instance/instance.ts'
import { once } from '../../instance/once.ts'
import { listed } from '../../instance/pages.ts'
import { findProject, namedBy, projectOf } from '../../instance/project.ts'
import { findServer } from '../../instance/server.ts'
import { fieldsIn } from '../../parse/pairs.ts'
import { columns, details } from '../../show/columns.ts'
import { since } from '../../show/words.ts'

export const list: Command<'projects ls'> = async (call) => {
  const { api } = await call.instance()
  const data = await listed((query) => api.projects.list({ query }))
  call.out.result({ data }, () =>
    columns(data.map((one) => [one.name, one.id, one.repository ?? '', `changed ${since(one.updatedAt)} ago`])),
  )
  if (data.length === 0) call.out.say('None yet. Make one of a folder: slipway init')
}

export const create: Command<'projects create'> = async (call) => {
  const { flags, words } = call
  const instance = await call.instance()
  const body = {
    name: words[0] ?? '',
    ...(flags.repository !== undefined && { repository: flags.repository }),
    ...(flags.branch !== undefined && { branch: flags.branch }),
    ...(flags.server !== undefined && { serverId: (await findServer(instance, flags.server)).id }),
  }
  const made = await instance.api.projects.create({ body, headers: once() })
  call.out.done(made, `Project ${made.name} made. Say that a folder is it: slipway link ${made.name}`)
}

/** By the word, else the one that is meant here. */
const meant = (call: Call, instance: Instance): Promise<Project> =>
  call.words[0] === undefined ? projectOf(call, instance) : findProject(instance, namedBy(call.words[0]))

export const inspect: Command<'projects inspect'> = async (call) => {
  const instance = await call.instance()
  const found = await meant(call, instance)
  const { name, id, repository, branch, serverId, gitCredential, settings, autoDeployPaused, repositoryProblem } = found
  call.out.result(found, () =>
    details([
      ['name', name],
      ['id', id],
      ['repository', repository],
      ['branch', branch],
      ['read with', gitCredential?.publicKey ?? gitCredential?.kind],
      ['server', serverId],
      ...Object.entries(settings).map(([key, value]): [string, string | number | boolean] => [
        key,
        Array.isArray(value) ? value.join(', ') : value,
      ]),
      ['pushes', autoDeployPaused ? 'are not deployed, since somebody went back' : null],
      ['problem', repositoryProblem],
    ]),
  )
}

const OWN = { name: 'text', repository: 'text', branch: 'text', server: 'text' } as const
const SETTINGS = {
  rollbackWindow: 'number',
  bakeSeconds: 'number',
  approveBuild: 'boolean',
  approveRelease: 'boolean',
  autoDeploy: 'boolean',
  watchPaths: 'list',
  skipWords: 'list',
  reportStatus: 'boolean',
} as const

export const set: Command<'projects set'> = async (call) => {
  const { server, ...said } = await fieldsIn(call, call.words, { ...OWN, ...SETTINGS })
  const instance = await call.instance()
  const { id } = await projectOf(call, instance)
  const isSetting = ([key]: [string, unknown]) => Object.hasOwn(SETTINGS, key)
  const settings = Object.fromEntries(Object.entries(said).filter(isSetting))
  const body = {
    ...Object.fromEntries(Object.entries(said).filter((one) => !isSetting(one))),
    ...(server !== undefined && { serverId: server === null ? null : (await findServer(instance, `${server}`)).id }),
    ...(Object.keys(settings).length > 0 && { settings }),
  }
  const changed = await instance.api.projects.update({ params: { id }, body })
  call.out.done(changed, `${changed.name} is changed`)
}

export const rename: Command<'projects rename'> = async (call) => {
  const [, name = ''] = call.words
  const instance = await call.instance()
  const before = await meant(call, instance)
  const changed = await instance.api.projects.update({ params: { id: before.id }, body: { name } })
  call.out.done(changed, `${before.name} is called ${changed.name} now`)
}

/** Named by a word, never by the folder: what is deleted was typed. */
export const remove: Command<'projects rm'> = async (call) => {
  const { flags, out } = call
  const instance = await call.instance()
  const { id, name } = await meant(call, instance)
  const data = flags.volumes ? ', and the data of its volumes for good' : '; the data of its volumes stays'
  await confirm(call, `Delete ${name}? Its services stop, its settings and variables are gone${data}.`)
  const result = await instance.api.projects.remove({
    params: { id },
    query: { volumes: flags.volumes ? 'delete' : 'keep' },
  })
  out.done({ ...result, id, name }, `${name} is deleted`)
}

import type { Command } from '../../command.ts'
import { usage } from '../../failure.ts'
import { confirm } from '../../instance/ask.ts'
import { once } from '../../instance/once.ts'
import { listed } from '../../instance/pages.ts'
import { columns, details } from '../../show/columns.ts'
import { since, until } from '../../show/words.ts'

const USUAL = 30

/** `acme/shop` */
export function repositoryIn([word = '']: string[]): { owner: string; repo: string } {
  const [owner = '', repo = '', ...rest] = word.split('/')
  if (owner === '' || repo === '' || rest.length > 0)
    throw usage(`${word} is no repository.`, 'It looks like acme/shop; slipway git repos lists them.')
  return { owner, repo }
}

export const list: Command<'git repos'> = async (call) => {
  const { out, flags, words } = call
  const { api } = await call.instance()
  const part = words[0] === undefined ? {} : { q: words[0] }
  const data = await listed((page) => api.githost.list({ query: { ...part, ...page } }), flags.limit ?? USUAL)
  out.result({ data }, () =>
    columns(
      data.map((one) => [
        one.fullName,
        one.private ? 'private' : 'public',
        one.defaultBranch,
        `pushed to ${since(one.pushedAt)} ago`,
      ]),
    ),
  )
}

export const inspect: Command<'git inspect'> = async (call) => {
  const params = repositoryIn(call.words)
  const { api } = await call.instance()
  const found = await api.githost.show({ params })
  const { push } = found
  call.out.result(found, () =>
    details([
      ['repository', found.fullName],
      ['about', found.description],
      ['seen by', found.private ? 'those who may' : 'everybody'],
      ['branch', found.defaultBranch],
      ['pushed to', `${since(found.pushedAt)} ago`],
      ['deployed as', found.linkedProjects.map(({ name }) => name).join(', ')],
      ['learned of by', push.via],
      ['last heard of', push.lastDeliveryAt === null ? null : `${since(push.lastDeliveryAt)} ago`],
      ['address', found.htmlUrl],
    ]),
  )
}

export const branches: Command<'git branches'> = async (call) => {
  const params = repositoryIn(call.words)
  const { api } = await call.instance()
  const data = await listed((query) => api.githost.branches({ params, query }), call.flags.limit ?? USUAL)
  call.out.result({ data }, () =>
    columns(data.map((one) => [one.isDefault ? '●' : ' ', one.name, one.commitSha.slice(0, 7)])),
  )
}

export const create: Command<'git create'> = async (call) => {
  const { flags, words } = call
  const { api } = await call.instance()
  const owner = flags.owner === undefined ? {} : { owner: flags.owner }
  const body = { name: words[0] ?? '', private: !flags.public, ...owner }
  const { data } = await api.githost.create({ body, headers: once() })
  call.out.done(data, `${data.fullName} made: ${data.htmlUrl}`)
}

export const remove: Command<'git rm'> = async (call) => {
  const params = repositoryIn(call.words)
  const { api } = await call.instance()
  const name = `${params.owner}/${params.repo}`
  await confirm(call, `Delete ${name} at the git host, with all that is in it, for good?`)
  const result = await api.githost.remove({ params })
  call.out.done({ ...result, repository: name }, `${name} is deleted`)
}

/** On stdout is the token alone. */
export const token: Command<'git token'> = async (call) => {
  const params = repositoryIn(call.words)
  const { api } = await call.instance()
  const made = await api.githost.cloneToken({ params })
  call.out.result(made, () => [made.token])
  call.out.say(`For another ${until(made.expiresAt)}: ${made.command}`)
}

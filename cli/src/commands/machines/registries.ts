import type { Registry } from '@slipway/contract/registries'
import type { Call, Command } from '../../command.ts'
import { EXIT, Failure, usage } from '../../failure.ts'
import { askSecretly, canAsk, confirm } from '../../instance/ask.ts'
import type { Instance } from '../../instance/instance.ts'
import { listed } from '../../instance/pages.ts'
import { findProject, namedBy } from '../../instance/project.ts'
import { allOf } from '../../parse/pairs.ts'
import { columns } from '../../show/columns.ts'
import { since } from '../../show/words.ts'

export const list: Command<'registries ls'> = async (call) => {
  const { out } = call
  const { api } = await call.instance()
  const data = await listed((query) => api.registries.list({ query }))
  out.result({ data }, () =>
    columns(
      data.map((one) => [
        one.lastCheckError === null ? out.paint('green', '✓') : out.paint('red', '✗'),
        nameOf(one),
        one.username,
        one.projectId ?? 'all projects',
        one.lastCheckError ?? (one.lastCheckedAt === null ? 'never asked' : `taken ${since(one.lastCheckedAt)} ago`),
        one.id,
      ]),
    ),
  )
  if (data.length === 0)
    out.say('None. Public images need none; for private ones: slipway registries add HOST USERNAME')
}

const nameOf = ({ host, path }: Pick<Registry, 'host' | 'path'>) => (path === null ? host : `${host}/${path}`)

/** Not repeated by itself: the answer to a secret is kept nowhere. */
export const add: Command<'registries add'> = async (call) => {
  const [registry = '', username = ''] = call.words
  const { flags, out } = call
  const [host = '', ...rest] = registry.split('/')
  const password = await passwordFrom(call, registry)
  const instance = await call.instance()
  const projectId = flags.for === undefined ? null : (await findProject(instance, namedBy(flags.for))).id
  const path = rest.length === 0 ? null : rest.join('/')
  const made = await instance.api.registries.create({ body: { host, path, username, password, projectId } })
  out.done(made, `${nameOf(made)} takes ${made.username}; its images can be deployed and built on from now on`)
}

/** From standard input or typed blindly: arguments can be read by everybody on the machine, and stay in the shell's history. */
async function passwordFrom(call: Call<{ 'password-stdin': boolean }>, registry: string): Promise<string> {
  if (call.flags['password-stdin']) return (await allOf(call.stdin())).replace(/\r?\n$/, '')
  if (canAsk(call)) return askSecretly(call, `Password or access token for ${registry}`)
  throw usage(
    'Which password?',
    'Give it on standard input: slipway registries add HOST USERNAME --password-stdin < FILE',
  )
}

async function findRegistry({ api }: Instance, named: string): Promise<Registry> {
  if (named.startsWith('reg_')) return api.registries.show({ params: { id: named } })
  const found = (await listed((query) => api.registries.list({ query }))).filter((one) => nameOf(one) === named)
  const [first, second] = found
  if (first !== undefined && second === undefined) return first
  if (first === undefined)
    throw new Failure(
      EXIT.refused,
      'not_found',
      `There is no credential for ${named}.`,
      'slipway registries ls lists them.',
    )
  const hint = `Name one by its id: ${found.map(({ id }) => id).join(', ')}`
  throw new Failure(EXIT.refused, 'ambiguous', `There are ${found.length} credentials for ${named}.`, hint)
}

/** Another password, which the registry is asked about before it takes the place of the old one. */
export const set: Command<'registries set'> = async (call) => {
  const { flags, out, words } = call
  const [named = ''] = words
  const password = await passwordFrom(call, named)
  const instance = await call.instance()
  const { id } = await findRegistry(instance, named)
  const body = { password, ...(flags.username !== undefined && { username: flags.username }) }
  const changed = await instance.api.registries.update({ params: { id }, body })
  out.done(changed, `${nameOf(changed)} takes it; it is used from now on`)
}

/** Exit code 6 where it is not taken. */
export const check: Command<'registries check'> = async (call) => {
  const { out } = call
  const instance = await call.instance()
  const one = await findRegistry(instance, call.words[0] ?? '')
  const tried = await instance.api.registries.check({ params: { id: one.id } })
  if (tried.ok) out.done(tried, `${nameOf(one)} takes ${one.username}`)
  else out.result(tried, () => [`${out.paint('red', '✗')} ${tried.reason ?? 'it is not taken'}`])
  return tried.ok ? EXIT.ok : EXIT.actionRequired
}

export const remove: Command<'registries rm'> = async (call) => {
  const instance = await call.instance()
  const one = await findRegistry(instance, call.words[0] ?? '')
  await confirm(
    call,
    `Forget the credential for ${nameOf(one)}? What runs goes on; what is deployed next cannot fetch its images.`,
  )
  const result = await instance.api.registries.remove({ params: { id: one.id } })
  call.out.done({ ...result, id: one.id, host: one.host, path: one.path }, `${nameOf(one)} is forgotten`)
}

import type { Call, Command } from '../../command.ts'
import { usage } from '../../failure.ts'
import type { Instance } from '../../instance/instance.ts'
import { listed } from '../../instance/pages.ts'
import { projectOf } from '../../instance/project.ts'
import { allOf, pairOf } from '../../parse/pairs.ts'
import { columns } from '../../show/columns.ts'
import { since } from '../../show/words.ts'

const SCOPES = { all: 'both', build: 'build', runtime: 'runtime' } as const

export const list: Command<'env ls'> = async (call) => {
  const { out, flags } = call
  const instance = await call.instance()
  const { id } = await projectOf(call, instance)
  const data = flags.reveal
    ? await revealed(instance, id)
    : await listed((query) => instance.api.variables.list({ params: { id }, query }))
  out.result({ data }, () =>
    columns(
      data.map((one) => [
        one.name,
        one.service ?? '',
        SCOPES[one.scope],
        out.paint('dim', `changed ${since(one.updatedAt)} ago`),
        ...('value' in one ? [String(one.value)] : []),
      ]),
    ),
  )
  if (data.length === 0) out.say('None. Set one: slipway env set NAME=VALUE')
}

export const revealed = async ({ api }: Instance, id: string) =>
  (await api.variables.reveal({ params: { id } })).variables

export const set: Command<'env set'> = async (call) => {
  const pairs = call.words.map(pairOf)
  const fromStdin = pairs.filter(({ value }) => value === '-')
  if (fromStdin.length > 1) throw usage('Only one value can come from standard input.')
  const read = fromStdin.length === 1 ? (await allOf(call.stdin())).replace(/\r?\n$/, '') : ''
  await setVariables(
    call,
    pairs.map(({ name, value }) => ({ name, value: value === '-' ? read : value })),
  )
}

type Setting = Call<{ service: string | undefined; build: boolean; runtime: boolean }>

/** Sets them all at once or none; what runs has them after its next deployment. */
export async function setVariables(call: Setting, pairs: { name: string; value: string }[]): Promise<void> {
  const { flags, out } = call
  if (flags.build && flags.runtime)
    throw usage('--build and --runtime exclude each other; without them it is for both.')
  const scope = flags.build ? ('build' as const) : flags.runtime ? ('runtime' as const) : ('all' as const)
  const instance = await call.instance()
  const { id } = await projectOf(call, instance)
  const variables = pairs.map((pair) => ({ ...pair, scope, service: flags.service ?? null }))
  const result = await instance.api.variables.set({ params: { id }, body: { variables } })
  out.say(
    `${out.paint('green', '✓')} ${pairs.map(({ name }) => name).join(', ')} set. What runs has it after: slipway redeploy`,
  )
  out.event(result)
}

export const remove: Command<'env rm'> = async (call) => {
  const { flags, out, words } = call
  const instance = await call.instance()
  const { id } = await projectOf(call, instance)
  const query = flags.service === undefined ? {} : { service: flags.service }
  for (const name of words) await instance.api.variables.remove({ params: { id, name }, query })
  out.say(`${out.paint('green', '✓')} ${words.join(', ')} removed. What runs is without it after: slipway redeploy`)
  out.event({ success: true, removed: words })
}

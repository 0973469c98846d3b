import type { ServiceConfig } from '@slipway/contract/services'
import type { Command } from '../../command.ts'
import { usage } from '../../failure.ts'
import { confirm } from '../../instance/ask.ts'
import { jsonBody } from '../../instance/json-body.ts'
import { listed } from '../../instance/pages.ts'
import { projectOf } from '../../instance/project.ts'
import { columns } from '../../show/columns.ts'
import { counted } from '../../show/words.ts'

export const list: Command<'services ls'> = async (call) => {
  const { out } = call
  const instance = await call.instance()
  const { id } = await projectOf(call, instance)
  const data = await listed((query) => instance.api.services.list({ params: { id }, query }))
  out.result({ data }, () =>
    columns(
      data.map(({ name, config, environment }) => [
        name,
        madeOf(config),
        config.port === undefined ? '' : `port ${config.port}`,
        config.replicas === undefined ? '' : counted(config.replicas, 'replica'),
        environment.length === 0 ? '' : counted(environment.length, 'variable'),
      ]),
    ),
  )
  if (data.length === 0) out.say('None is described: what is deployed says of what it consists.')
}

function madeOf({ image, build, rootDirectory }: ServiceConfig): string {
  if (image !== undefined) return image
  return (typeof build === 'object' ? build.context : build) ?? rootDirectory ?? ''
}

export const set: Command<'services set'> = async (call) => {
  const [name = ''] = call.words
  const body = await jsonBody(call)
  if (body === undefined) throw usage('How is the service?', 'Describe it with --data JSON, or --data @FILE.')
  const instance = await call.instance()
  const { id } = await projectOf(call, instance)
  const service = await instance.api.services.put({ params: { id, name }, body: JSON.parse(body) as ServiceConfig })
  call.out.done(service, `${service.name} is described. What runs follows after: slipway redeploy`)
}

export const remove: Command<'services rm'> = async (call) => {
  const [name = ''] = call.words
  const instance = await call.instance()
  const project = await projectOf(call, instance)
  await confirm(call, `Take ${name} and its variables from ${project.name}? It stops with the next deployment.`)
  const result = await instance.api.services.remove({ params: { id: project.id, name } })
  call.out.done({ ...result, name }, `${name} is no service of ${project.name} any more`)
}

import type { MigrationService, MigrationStack } from '@slipway/contract/migration-shape'
import type { Command } from '../../command.ts'
import { once } from '../../instance/once.ts'
import { findServer } from '../../instance/server.ts'
import { columns } from '../../show/columns.ts'
import type { Output } from '../../show/output.ts'
import { bytes, counted } from '../../show/words.ts'

export const scan: Command<'migrate scan'> = async (call) => {
  const { out, flags } = call
  const instance = await call.instance()
  const { id, name } = await findServer(instance, call.words[0] ?? '')
  const found = await instance.api.migration.scan({ body: { serverId: id, sizes: flags.sizes } })
  out.result(found, () => stackLines(out, found.stack))
  out.say(`Nothing on ${name} has been changed.`)
}

function stackLines(out: Output, stack: MigrationStack): string[] {
  const stacks = stack.composeStacks.flatMap(({ name, maker, platform, services }) => [
    `${name}  ${out.paint('dim', platform ?? maker)}`,
    ...serviceLines(out, services),
  ])
  const volumes = stack.volumes.map((one) => [
    `  ${one.name}`,
    one.sizeBytes === null ? '' : bytes(one.sizeBytes),
    one.usedBy.join(', '),
  ])
  return [
    ...stacks,
    ...(stack.containers.length === 0 ? [] : ['of no stack', ...serviceLines(out, stack.containers)]),
    ...(volumes.length === 0 ? [] : ['volumes', ...columns(volumes)]),
    ...stack.warnings.map((text) => `${out.paint('yellow', '!')} ${text}`),
  ]
}

const serviceLines = (out: Output, services: MigrationService[]): string[] =>
  columns(
    services.map((one) => [
      `  ${one.adoptable ? out.paint('green', '✓') : out.paint('red', '✗')}`,
      one.key,
      one.image,
      one.status,
      [...one.reasons, ...one.warnings].map(({ message }) => message).join(' '),
    ]),
  )

export const adopt: Command<'migrate adopt'> = async (call) => {
  const { out, words } = call
  const [server = '', projectName = '', ...serviceNames] = words
  const instance = await call.instance()
  const { id } = await findServer(instance, server)
  const body = { serverId: id, projectName, serviceNames }
  const adopted = await instance.api.migration.adopt({ body, headers: once() })
  const { project, reusedVolumes, warnings } = adopted
  out.done(
    adopted,
    `${counted(project.services.length, 'service')} recorded as ${project.name}, with ${counted(reusedVolumes.length, 'volume')}; nothing has been changed there`,
  )
  if (!out.json)
    for (const { service, message } of warnings)
      out.warn(`${out.paint('yellow', '!')} ${service === null ? '' : `${service}: `}${message}`)
}

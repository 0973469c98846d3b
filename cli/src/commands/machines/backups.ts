import type { BackupDestination, DestinationPatch, NewDestination } from '@slipway/contract/backup-destinations'
import type { Command } from '../../command.ts'
import { EXIT, Failure } from '../../failure.ts'
import { confirm } from '../../instance/ask.ts'
import type { Instance } from '../../instance/instance.ts'
import { listed, pagesOf } from '../../instance/pages.ts'
import { findServer } from '../../instance/server.ts'
import { fieldsIn } from '../../parse/pairs.ts'
import { columns, details } from '../../show/columns.ts'
import { duration, since } from '../../show/words.ts'

export const list: Command<'backups ls'> = async (call) => {
  const { out } = call
  const { api } = await call.instance()
  const data = await listed((query) => api.backupDestinations.list({ query }))
  out.result({ data }, () =>
    columns(
      data.map((one) => [
        one.lastVerifyError !== null
          ? out.paint('red', '✗')
          : one.lastVerifiedAt === null
            ? ' '
            : out.paint('green', '✓'),
        one.name,
        one.kind,
        one.bucket ?? one.sshHost ?? one.serverId ?? one.endpoint ?? '',
        one.isDefault ? 'default' : '',
        testWords(one),
        one.id,
      ]),
    ),
  )
  if (data.length === 0) out.say('Backups go nowhere yet.')
}

const testWords = ({ lastVerifyError, lastVerifiedAt }: BackupDestination): string =>
  lastVerifyError ?? (lastVerifiedAt === null ? 'never tried' : `worked ${since(lastVerifiedAt)} ago`)

/** As the API calls them; `server` is one of ours, by name or id. */
const FIELDS = {
  name: 'text',
  pathPrefix: 'text',
  isDefault: 'boolean',
  bucket: 'text',
  region: 'text',
  endpoint: 'text',
  forcePathStyle: 'boolean',
  accessKeyId: 'text',
  secretAccessKey: 'text',
  sshHost: 'text',
  sshPort: 'number',
  sshUser: 'text',
  sftpPassword: 'text',
  sftpPrivateKey: 'text',
  sftpKeyPassphrase: 'text',
  hostKey: 'text',
  server: 'text',
} as const

async function bodyOf(call: Parameters<typeof fieldsIn>[0], instance: Instance, pairs: string[]) {
  const { server, ...said } = await fieldsIn(call, pairs, FIELDS)
  return { ...said, ...(typeof server === 'string' && { serverId: (await findServer(instance, server)).id }) }
}

async function findDestination({ api }: Instance, named: string): Promise<BackupDestination> {
  if (named.startsWith('dst_')) return api.backupDestinations.show({ params: { id: named } })
  for await (const one of pagesOf((query) => api.backupDestinations.list({ query }))) if (one.name === named) return one
  const hint = 'slipway backups ls lists them.'
  throw new Failure(EXIT.refused, 'not_found', `There is no destination called ${named}.`, hint)
}

/** Not repeated by itself: the answer to a secret is kept nowhere. */
export const add: Command<'backups add'> = async (call) => {
  const [kind, name, ...pairs] = call.words
  const instance = await call.instance()
  const body = { kind, name, ...(await bodyOf(call, instance, pairs)) } as NewDestination
  const made = await instance.api.backupDestinations.create({ body })
  call.out.done(made, `${made.name} added. Does it work: slipway backups test ${made.name}`)
}

export const inspect: Command<'backups inspect'> = async (call) => {
  const found = await findDestination(await call.instance(), call.words[0] ?? '')
  call.out.result(found, () => [
    ...details([
      ['name', found.name],
      ['id', found.id],
      ['kind', found.kind],
      ['endpoint', found.endpoint],
      ['bucket', found.bucket],
      ['region', found.region],
      ['host', found.sshHost === null ? null : `${found.sshUser}@${found.sshHost}:${found.sshPort}`],
      ['host key', found.hostKey],
      ['server', found.serverId],
      ['below', found.pathPrefix],
      ['default', found.isDefault],
      ['test', testWords(found)],
    ]),
    ...columns((found.lastVerifySteps ?? []).map(({ step, ok, ms }) => [`  ${ok ? '✓' : '✗'} ${step}`, duration(ms)])),
  ])
}

export const set: Command<'backups set'> = async (call) => {
  const [named = '', ...pairs] = call.words
  const instance = await call.instance()
  const body = (await bodyOf(call, instance, pairs)) as DestinationPatch
  const { id } = await findDestination(instance, named)
  const changed = await instance.api.backupDestinations.update({ params: { id }, body })
  call.out.done(changed, `${changed.name} is changed`)
}

/** Exit code 6 where it does not work. */
export const test: Command<'backups test'> = async (call) => {
  const { out } = call
  const instance = await call.instance()
  const { id, name } = await findDestination(instance, call.words[0] ?? '')
  const tried = await instance.api.backupDestinations.preflight({ params: { id } })
  if (tried.ok) out.done(tried, `${name} works: something was written, read back and deleted`)
  else out.result(tried, () => [`${out.paint('red', '✗')} ${name}: ${tried.reason ?? 'it does not work'}`])
  return tried.ok ? EXIT.ok : EXIT.actionRequired
}

export const remove: Command<'backups rm'> = async (call) => {
  const instance = await call.instance()
  const { id, name } = await findDestination(instance, call.words[0] ?? '')
  await confirm(call, `Forget ${name}? What lies there stays, and nothing is added to it.`)
  const result = await instance.api.backupDestinations.remove({ params: { id } })
  call.out.done({ ...result, id, name }, `${name} is forgotten`)
}

import { resolve } from 'node:path'
import type { Server, ServerPatch, ServerPolicyPatch, ServerReport } from '@slipway/contract/servers'
import type { Command } from '../../command.ts'
import { EXIT } from '../../failure.ts'
import { confirm } from '../../instance/ask.ts'
import { once } from '../../instance/once.ts'
import { listed } from '../../instance/pages.ts'
import { findServer } from '../../instance/server.ts'
import { fieldsIn, textOf } from '../../parse/pairs.ts'
import { columns, details } from '../../show/columns.ts'
import type { Output } from '../../show/output.ts'
import { bytes, since } from '../../show/words.ts'

export const list: Command<'servers ls'> = async (call) => {
  const { out } = call
  const { api } = await call.instance()
  const data = await listed((query) => api.servers.list({ query }))
  out.result({ data }, () => columns(data.map((one) => row(out, one))))
  if (data.length === 0) out.say('None. A deployment needs one: slipway servers add NAME HOST')
}

function row(out: Output, { id, name, kind, host, lastReport }: Server): string[] {
  const mark = lastReport === null ? ' ' : lastReport.ok ? out.paint('green', '✓') : out.paint('red', '✗')
  const checked = lastReport === null ? 'never looked at' : `looked at ${since(lastReport.checkedAt)} ago`
  return [mark, name, kind === 'local' ? 'this instance’s own' : (host ?? ''), reportWords(lastReport), checked, id]
}

/** Docker 26.1.5, 4.1 GB memory, 58 GB disk */
export function reportWords(report: ServerReport | null): string {
  if (report === null) return ''
  const { engineVersion, memoryAvailableBytes, diskFreeBytes } = report
  return [
    engineVersion && `Docker ${engineVersion}`,
    memoryAvailableBytes !== null && `${bytes(memoryAvailableBytes)} memory`,
    diskFreeBytes !== null && `${bytes(diskFreeBytes)} disk`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** Exit code 6 where something is to be done about it. */
export const check: Command<'servers check'> = async (call) => {
  const { out } = call
  const instance = await call.instance()
  const { id } = await findServer(instance, call.words[0] ?? '')
  const checked = await instance.api.servers.check({ params: { id } })
  const marks = {
    ok: out.paint('green', '✓'),
    warning: out.paint('yellow', '!'),
    failed: out.paint('red', '✗'),
    unknown: '?',
  }
  out.result(checked, () =>
    checked.report.checks.flatMap(({ name, state, found, fix }) => [
      `${marks[state]} ${name.padEnd(12)} ${found}`,
      ...(fix === null ? [] : [`  ${' '.repeat(12)} ${fix}`]),
    ]),
  )
  return checked.report.ok ? EXIT.ok : EXIT.actionRequired
}

export const add: Command<'servers add'> = async (call) => {
  const { cwd, flags, out, words } = call
  const [name = '', host] = words
  const keyFile = flags['key-file']
  const reached = {
    ...(flags.user !== undefined && { user: flags.user }),
    ...(flags.port !== undefined && { port: flags.port }),
    ...(flags.socket !== undefined && { socketPath: flags.socket }),
    ...(flags['host-key'] !== undefined && { hostKey: flags['host-key'] }),
    ...(keyFile !== undefined && { privateKey: textOf(resolve(cwd, keyFile)) }),
  }
  const { api } = await call.instance()
  const body = host === undefined ? { kind: 'local' as const, name } : { kind: 'ssh' as const, name, host, ...reached }
  const made = await api.servers.create({ body, headers: once() })
  out.done(made, `${made.name} added. Look at it: slipway servers check ${made.name}`)
  if (made.publicKey !== null && keyFile === undefined) {
    out.say(`  Put this line into ~/.ssh/authorized_keys of ${made.user} there first:`)
    out.line(made.publicKey)
  }
}

export const inspect: Command<'servers inspect'> = async (call) => {
  const { out } = call
  const found = await findServer(await call.instance(), call.words[0] ?? '')
  const { name, id, kind, host, port, user, socketPath, hostKey, publicKey, policy, lastReport } = found
  out.result(found, () =>
    details([
      ['name', name],
      ['id', id],
      ['reached', kind === 'local' ? 'as the engine of the instance' : `${user}@${host}:${port}`],
      ['socket', socketPath],
      ['host key', hostKey],
      ['public key', publicKey],
      ...Object.entries(policy),
      ['found', reportWords(lastReport)],
      ['looked at', lastReport === null ? 'never' : `${since(lastReport.checkedAt)} ago`],
    ]),
  )
}

const REACHED = {
  name: 'text',
  host: 'text',
  port: 'number',
  user: 'text',
  socketPath: 'text',
  privateKey: 'text',
  passphrase: 'text',
  hostKey: 'text',
} as const
const POLICY = {
  hostPorts: 'boolean',
  localImages: 'boolean',
  remoteAdd: 'boolean',
  maxMemoryMb: 'number',
  maxCpus: 'number',
  maxPids: 'number',
} as const

export const set: Command<'servers set'> = async (call) => {
  const [named = '', ...pairs] = call.words
  const said = Object.entries(await fieldsIn(call, pairs, { ...REACHED, ...POLICY }))
  const policy = Object.fromEntries(said.filter(([key]) => Object.hasOwn(POLICY, key))) as ServerPolicyPatch
  const reached = Object.fromEntries(said.filter(([key]) => Object.hasOwn(REACHED, key))) as ServerPatch
  const instance = await call.instance()
  const { id } = await findServer(instance, named)
  const body = { ...reached, ...(Object.keys(policy).length > 0 && { policy }) }
  const changed = await instance.api.servers.update({ params: { id }, body })
  call.out.done(changed, `${changed.name} is changed`)
}

export const remove: Command<'servers rm'> = async (call) => {
  const instance = await call.instance()
  const { id, name } = await findServer(instance, call.words[0] ?? '')
  await confirm(call, `Forget ${name}? What runs there goes on, and nobody looks after it.`)
  const result = await instance.api.servers.remove({ params: { id } })
  call.out.done({ ...result, id, name }, `${name} is forgotten`)
}

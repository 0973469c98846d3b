import type { GithostConnect } from '@slipway/contract/githost-shape'
import type { Call, Command } from '../../command.ts'
import { EXIT, Failure } from '../../failure.ts'
import { confirm } from '../../instance/ask.ts'
import type { Instance } from '../../instance/instance.ts'
import { pause } from '../../instance/pause.ts'
import { columns } from '../../show/columns.ts'

/** Exit code 6 where the connection has a problem that somebody has to mend. */
export const status: Command<'git status'> = async (call) => {
  const { out } = call
  const { api } = await call.instance()
  const found = await api.githost.status()
  const { state, host, accounts, problems } = found
  out.result(found, () => [
    state === 'disconnected'
      ? `Not connected to ${host}.`
      : `${out.paint('green', '✓')} Connected to ${host} by ${state}`,
    ...columns(accounts.map((one) => [`    ${one.login}`, one.type, one.source])),
    ...problems.flatMap(({ message, hint }) => [`${out.paint('yellow', '!')} ${message}`, `  ${hint}`]),
  ])
  return problems.length === 0 ? EXIT.ok : EXIT.actionRequired
}

const POLL_MS = 2000

type Source = 'app' | 'manifest' | 'oauth' | 'cli' | 'cloud'

/** Says what somebody has to do, then waits until it is done. Exit code 6 where it is left to them. */
export const connect: Command<'git connect'> = async (call) => {
  const { flags, out } = call
  const instance = await call.instance()
  const begun = await instance.api.githost.connect({
    body: {
      ...(flags.source !== undefined && { source: flags.source as Source }),
      ...(flags.account !== undefined && { account: flags.account }),
    },
  })
  if (begun.connected) return out.done(begun, begun.message ?? 'Connected')
  for (const line of whatToDo(begun)) out.warn(line)
  if (flags['no-wait'] || begun.flow === 'terminal') {
    out.event(begun)
    return EXIT.actionRequired
  }
  out.event({ event: 'begun', ...begun })
  return untilConnected(call, instance, begun.interval)
}

function whatToDo({ flow, url, userCode, verificationUri, command, message }: GithostConnect): string[] {
  const said = message === undefined ? [] : [message]
  if (flow === 'redirect') return [...said, `Open this in your browser:  ${url}`]
  if (flow === 'device_code') return [...said, `Open ${verificationUri} and enter  ${userCode}`]
  return [...said, ...(command === undefined ? [] : [`Run this where the instance runs:  ${command}`])]
}

async function untilConnected({ out, signal }: Call, { api }: Instance, seconds = POLL_MS / 1000): Promise<number> {
  for (;;) {
    await pause(Math.max(POLL_MS, seconds * 1000), signal)
    const attempt = await api.githost.poll({ signal })
    if (attempt.status === 'pending') continue
    if (attempt.status === 'connected') {
      out.done({ success: true, ...attempt }, `Connected${attempt.login === null ? '' : ` as ${attempt.login}`}`)
      return EXIT.ok
    }
    const why = attempt.message ?? `The git host was not connected: ${attempt.status}.`
    throw new Failure(EXIT.actionRequired, `connect_${attempt.status}`, why, 'Begin anew: slipway git connect')
  }
}

type Disconnectable = 'oauth' | 'cli' | 'all'

export const disconnect: Command<'git disconnect'> = async (call) => {
  const source = (call.flags.source ?? 'all') as Disconnectable
  const { api } = await call.instance()
  await confirm(call, 'Forget the credentials of the git host? Pushes are not deployed from then on.')
  const result = await api.githost.disconnect({ body: { source } })
  call.out.done(result, `Forgotten: ${result.disconnected.join(', ') || 'nothing was connected'}`)
}

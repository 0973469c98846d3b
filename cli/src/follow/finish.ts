import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Call } from '../command.ts'
import { EXIT } from '../failure.ts'
import type { Instance } from '../instance/instance.ts'
import { listed } from '../instance/pages.ts'
import { failureCard, waitingCard } from '../show/deployment.ts'
import { duration } from '../show/words.ts'
import { follow } from './follow.ts'
import { leave } from './leave.ts'
import { progress } from './progress.ts'

type Begun = { id: string; begun: number; timing?: Record<string, number> }
type Following = Call<{ 'no-wait': boolean; verbose: boolean }>

/** Follows what was begun to its end, says how it ended, and gives the exit code for it. */
export async function finish(call: Following, instance: Instance, { id, begun, timing = {} }: Begun): Promise<number> {
  const { out, flags } = call
  const first = await instance.api.deployments.show({ params: { id } })
  out.say(
    `${out.paint('cyan', '→')} #${first.number} ${out.paint('dim', `${id}${flags['no-wait'] ? '' : '  Ctrl-C leaves it running'}`)}`,
  )
  if (flags['no-wait']) {
    out.result({ success: true, deployment: first, timing }, () => [id])
    return EXIT.ok
  }
  const view = progress({ out, verbose: flags.verbose })
  const onEvent = (event: Parameters<typeof view.onEvent>[0]) => {
    out.event({ event: event.name, seq: Number(event.id), ...event.data })
    view.onEvent(event)
  }
  try {
    const ended = await follow(instance, { id, signal: call.signal, onEvent, onLost: view.onLost })
    view.close()
    const deployMs = Math.round(performance.now() - begun)
    return await tell(call, instance, ended, view.lines, { ...timing, deployMs })
  } catch (error) {
    view.close()
    if (call.signal.aborted) throw await leave(call, instance, first)
    throw error
  }
}

type Line = { seq: number; line: string }

async function tell(
  call: Following,
  instance: Instance,
  ended: Deployment,
  lines: Line[],
  timing: Record<string, number>,
): Promise<number> {
  const { out } = call
  const success = ended.status === 'ready'
  const result = { success, ...(!success && failed(ended)), deployment: ended, timing }
  if (success) {
    out.say(`${out.paint('green', '✓')} ${out.paint('bold', 'Live')} after ${duration(timing.deployMs)}`)
    out.result(result, () => ended.urls)
    return EXIT.ok
  }
  out.event(result)
  if (ended.waitingOn) {
    for (const line of waitingCard(out, ended)) out.warn(line)
    return EXIT.actionRequired
  }
  const at = ended.error?.logSeq ?? lines.at(-1)?.seq ?? 0
  const near = lines.filter(({ seq }) => seq <= at && seq > at - 6)
  const serving = await listed(
    (query) => instance.api.deployments.list({ query: { ...query, projectId: ended.projectId } }),
    50,
  )
    .then((all) => all.find(({ active }) => active) ?? null)
    .catch(() => null)
  if (!out.json) for (const line of failureCard(out, ended, { lines: near, serving })) out.warn(line)
  return EXIT.failed
}

const failed = ({ number, status, waitingOn, error }: Deployment) => ({
  error: waitingOn ? `#${number} waits for somebody.` : (error?.message ?? `#${number} is ${status}.`),
  code: waitingOn ? 'action_required' : (error?.code ?? status),
  ...(error?.hint && { hint: error.hint }),
})

import { at, fault, type Place, quoted } from '../faults.ts'
import { nanosecondsOf } from '../forms/amounts.ts'
import type { NormalHealthcheck, NormalService } from '../project.ts'
import type { Amounts, CheckTimes, ComposeHealthcheck, ComposeService, Restart } from './service.ts'

export const millisecondsOf = (duration: string | undefined): number | undefined =>
  duration === undefined ? undefined : Number((nanosecondsOf(duration) ?? 0n) / 1_000_000n)

/** Compose restarts nothing unless told to; a deployment is expected to stay up unless told otherwise. */
export function restartOf({ restart, deploy }: NormalService, place: Place): Restart {
  const policy = deploy?.restart_policy
  if (policy) {
    const when = CONDITIONS.get(policy.condition ?? 'any')
    if (!when)
      throw unknown(at(place, 'deploy', 'restart_policy', 'condition'), policy.condition ?? '', [...CONDITIONS.keys()])
    return {
      when,
      ...said('delayMs', millisecondsOf(policy.delay)),
      ...said('maxAttempts', policy.max_attempts),
      ...said('windowMs', millisecondsOf(policy.window)),
    }
  }
  const [, word = restart ?? 'always', attempts] = /^(on-failure):(\d{1,6})$/.exec(restart ?? '') ?? []
  const when = RESTARTS.get(word)
  if (!when) throw unknown(at(place, 'restart'), word, [...RESTARTS.keys()])
  return { when, ...said('maxAttempts', attempts === undefined ? undefined : Number(attempts)) }
}

const CONDITIONS = new Map<string, Restart['when']>([
  ['any', 'always'],
  ['on-failure', 'on-failure'],
  ['none', 'never'],
])

const RESTARTS = new Map<string, Restart['when']>([
  ['always', 'always'],
  ['unless-stopped', 'always'],
  ['on-failure', 'on-failure'],
  ['no', 'never'],
])

const unknown = (place: Place, word: string, words: string[]) =>
  fault(place, `${quoted(word)} is not one of ${words.join(', ')}`, `Use one of ${words.join(', ')}.`)

const said = <Key extends string, T>(key: Key, value: T | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { [K in Key]?: T }

export function healthcheckOf(check: NormalHealthcheck | undefined): ComposeHealthcheck {
  const [kind, ...rest] = check?.test ?? []
  if (check?.disable || kind === 'NONE') return { kind: 'none' }
  const times: Partial<CheckTimes> = {
    ...said('intervalMs', millisecondsOf(check?.interval)),
    ...said('timeoutMs', millisecondsOf(check?.timeout)),
    ...said('retries', check?.retries),
    ...said('startPeriodMs', millisecondsOf(check?.start_period)),
    ...said('startIntervalMs', millisecondsOf(check?.start_interval)),
  }
  if (kind === undefined || rest.length === 0) return { kind: 'image', ...times }
  const argv = kind === 'CMD-SHELL' ? ['/bin/sh', '-c', rest.join(' ')] : rest
  return { kind: 'command', argv, ...times }
}

export function limitsOf({
  deploy,
  mem_limit: memory,
  cpus,
  pids_limit: pids,
}: NormalService): ComposeService['limits'] {
  const limits = deploy?.resources.limits
  const most = limits?.pids ?? pids
  return {
    ...amounts(limits?.memory ?? memory, limits?.cpus ?? cpus),
    ...(most !== undefined && most > 0 && { pids: most }),
  }
}

/** Zero and less mean that there is no limit. */
const amounts = (memory: string | undefined, cpus: number | undefined): Amounts => ({
  ...(memory !== undefined && Number(memory) > 0 && { memoryBytes: Number(memory) }),
  ...(cpus !== undefined && cpus > 0 && { cpus }),
})

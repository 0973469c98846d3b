import type Docker from 'dockerode'
import type { NetworkAnswer, TaskAnswer } from '../../engine/answers.ts'
import { callEngine, unlessMissing } from '../../engine/ask.ts'
import { tasksOf } from '../find.ts'
import { LABEL } from '../labels.ts'
import { STUCK } from '../watch/diagnose.ts'
import { isUp } from '../watch/judge.ts'
import { runOnMachine } from './on-machine.ts'

/** One may be the moment in which the engine makes the link; it tries again every second. */
const LEAST_REJECTED = 2

/**
 * An engine that ends while it takes an overlay network down leaves the network's VXLAN link in the machine's own
 * namespace. It never finds it there again, and rejects all tasks on the network for ever. A link in use bears another name
 * and is in the network's namespace, so the one of this name is deleted; the engine's next try works. Gives the names of the
 * networks that were freed.
 */
export async function freeNetworks(
  docker: Docker,
  us: { instance: string; image: string },
  signal: AbortSignal,
): Promise<string[]> {
  const tasks = await tasksOf(docker, { [LABEL.instance]: us.instance }, signal)
  const ids = new Set(stuckTasks(tasks).flatMap(({ Spec }) => (Spec.Networks ?? []).map(({ Target }) => Target)))
  const found = await Promise.all(
    [...ids].map((id) => unlessMissing(callEngine<NetworkAnswer>(docker, { path: `/networks/${id}` }, signal))),
  )
  const own = found.filter((network) => network?.Labels?.[LABEL.instance] === us.instance)
  const links = own.flatMap((network) =>
    network ? linksOf(network).map((link) => ({ name: network.Name, link })) : [],
  )
  if (links.length === 0) return []
  const printed = await runOnMachine(docker, us, [['ip', '-o', 'link', 'show']], signal)
  const left = links.filter(({ link }) => isLeft(printed, link))
  if (left.length > 0)
    await runOnMachine(
      docker,
      us,
      left.map(({ link }) => ['ip', 'link', 'delete', link]),
      signal,
    )
  return [...new Set(left.map(({ name }) => name))]
}

/** Rejected for it again and again, with nothing that runs in its place. */
function stuckTasks(tasks: TaskAnswer[]): TaskAnswer[] {
  const placeOf = ({ ServiceID, Slot }: TaskAnswer) => `${ServiceID} ${Slot}`
  const up = new Set(tasks.filter(isUp).map(placeOf))
  const rejected = tasks.filter((task) => STUCK.test(task.Status.Err ?? '') && !up.has(placeOf(task)))
  const times = Map.groupBy(rejected, placeOf)
  return [...times.values()].flatMap((of) => (of.length < LEAST_REJECTED ? [] : of.slice(0, 1)))
}

/** As the engine names them. */
function linksOf({ Id, Options }: NetworkAnswer): string[] {
  const ids = Options?.['com.docker.network.driver.overlay.vxlanid_list'] ?? ''
  const numbers = ids
    .split(',')
    .map(Number)
    .filter((number) => Number.isInteger(number) && number > 0)
  return numbers.map((number) => `vx-${number.toString(16).padStart(6, '0')}-${Id.slice(0, 5)}`)
}

/** There, and down: `ip` prints "7: vx-001004-c1a0r: <BROADCAST,MULTICAST> mtu 1450 … state DOWN …". */
const isLeft = (printed: string, link: string): boolean =>
  [...printed.matchAll(/^\d+: ([^:@\s]+)[^<\n]*<([^>\n]*)>/gm)].some(
    ([, name, flags = '']) => name === link && !flags.split(',').includes('UP'),
  )

import type Docker from 'dockerode'
import { isFailure } from '../../errors.ts'
import type { NetworkAnswer } from '../engine/answers.ts'
import { callEngine, pause, statusOf } from '../engine/ask.ts'
import { dropNetwork } from './drop-network.ts'
import { projectFiles, removeFile } from './files.ts'
import { tasksOf } from './find.ts'
import type { Guard } from './guard.ts'
import { having, LABEL } from './labels.ts'
import { takeAway } from './rollout/take-away.ts'
import { servicesOf } from './running/observe.ts'
import { containersOf } from './running/tasks.ts'

export type Withdrawn = { services: string[]; networks: string[] }

type Wanted = {
  instance: string
  project: string
  /** Does not wait for requests that are being answered: for what was never released. */
  atOnce: boolean
  guard?: Guard | undefined
}

/**
 * Takes everything of a project away from the engine and returns when it is gone: services, their containers, the files that
 * the engine keeps for it, and its networks, which are held by the last container. Images stay: they are cheap
 * to keep and dear to make. Volumes stay: what is in them cannot be made again.
 */
export async function withdrawProject(docker: Docker, wanted: Wanted, signal: AbortSignal): Promise<Withdrawn> {
  const { instance, project, atOnce, guard } = wanted
  const labels = { [LABEL.instance]: instance, [LABEL.project]: project }
  const services = await takeServices(docker, labels, { guard, signal })
  if (atOnce) await killLeaving(docker, labels, { guard, signal })
  // A task stays in the list until its container has ended.
  while ((await tasksOf(docker, labels, signal)).length > 0) await pause(200, signal)
  const networks = await callEngine<NetworkAnswer[]>(
    docker,
    { path: '/networks', query: { filters: having(labels) } },
    signal,
  )
  const whileOurs = async (remove: () => Promise<unknown>) => {
    await guard?.()
    return remove()
  }
  for (const file of await projectFiles(docker, labels, signal)) {
    await whenFree(() => whileOurs(() => removeFile(docker, file, signal)), signal)
  }
  // Last: where they are gone, all is.
  for (const network of networks) await whenFree(() => whileOurs(() => dropNetwork(docker, network, signal)), signal)
  return { services, networks: networks.map(({ Name }) => Name) }
}

/** Each as it was seen, and only while we may: what changes meanwhile is looked at again. */
async function takeServices(
  docker: Docker,
  labels: Record<string, string>,
  { guard, signal }: { guard: Guard | undefined; signal: AbortSignal },
): Promise<string[]> {
  const gone = new Set<string>()
  for (;;) {
    const services = await servicesOf(docker, labels, signal)
    // Also where nothing is left to be removed: networks and files are, next.
    await guard?.()
    const ends = await Promise.all(services.map((service) => takeAway(docker, service, { guard, signal })))
    for (const [n, end] of ends.entries()) if (end === 'gone') gone.add(services[n]?.Spec.Name ?? '')
    if (ends.every((end) => end === 'gone')) return [...gone]
  }
}

/** Only containers whose service is gone: what a newer owner has made meanwhile has one. */
async function killLeaving(
  docker: Docker,
  labels: Record<string, string>,
  { guard, signal }: { guard: Guard | undefined; signal: AbortSignal },
): Promise<void> {
  const containers = await containersOf(docker, labels, signal)
  const there = new Set((await servicesOf(docker, labels, signal)).map(({ ID }) => ID))
  await guard?.()
  for (const { Id, Labels } of containers) {
    if (there.has(Labels[SWARM_SERVICE] ?? '')) continue
    await callEngine(docker, { method: 'POST', path: `/containers/${Id}/kill` }, signal).catch((error) => {
      // It ended by itself.
      if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error
    })
  }
}

/** What the engine itself writes on containers of a service: its id. */
const SWARM_SERVICE = 'com.docker.swarm.service.id'

/** The engine gives addresses back a moment after a container's end. */
async function whenFree(remove: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await remove()
      return
    } catch (error) {
      if (!isFailure(error, 'runtime', 'in_use')) throw error
      await pause(200, signal)
    }
  }
}

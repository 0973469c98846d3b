import type Docker from 'dockerode'
import type { ContainerAnswer } from '../engine/answers.ts'
import { callEngine, statusOf } from '../engine/ask.ts'
import type { Guard } from './guard.ts'
import { having, LABEL } from './labels.ts'

type Wanted = {
  instance: string
  project: string
  deployment: string | undefined
  except: string[]
  guard?: Guard | undefined
}

/**
 * Removes containers that have ended. Swarm keeps the last five of each place as a record, and with them their images;
 * of a deployment that came to nothing there is no reason to. Says how many have not ended yet.
 */
export async function removeEnded(docker: Docker, wanted: Wanted, signal: AbortSignal): Promise<{ alive: number }> {
  const { instance, project, deployment, except, guard } = wanted
  const labels = { [LABEL.instance]: instance, [LABEL.project]: project }
  const filters = having(deployment === undefined ? labels : { ...labels, [LABEL.deployment]: deployment })
  const found = await callEngine<ContainerAnswer[]>(
    docker,
    { path: '/containers/json', query: { all: true, filters } },
    signal,
  )
  // The way into a project is of no deployment, and goes on with all of them.
  const ours = found.filter(({ Labels }) => {
    const of = Labels[LABEL.deployment]
    return of !== undefined && !except.includes(of)
  })
  const [ended, alive] = [true, false].map((over) =>
    ours.filter(({ State }) => (State === 'exited' || State === 'dead') === over),
  ) as [ContainerAnswer[], ContainerAnswer[]]
  if (ended.length > 0) await guard?.()
  for (const { Id } of ended) {
    await callEngine(docker, { method: 'DELETE', path: `/containers/${Id}`, query: { v: true } }, signal).catch(
      (error) => {
        // The engine is at it itself.
        if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error
      },
    )
  }
  return { alive: alive.length }
}

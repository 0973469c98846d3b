import { setTimeout as sleep } from 'node:timers/promises'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { EngineTarget } from '../../drivers/runtime/engine.ts'
import { submit, type Waker } from '../../jobs/enqueue.ts'
import type { Pipeline } from '../../jobs/steps.ts'
import { engineOf } from '../servers/engine-of.ts'
import * as servers from '../servers/store.ts'
import type { DeployParts } from './parts.ts'
import { repositoryOf } from './release/images.ts'
import { serversOf } from './settle-store.ts'
import { removeRuns } from './store.ts'

/** The engine gives volumes back a moment after a container is gone. */
const MOST_ATTEMPTS = 20

type Project = { id: string; orgId: string }
type ForgetInput = { servers: string[]; volumes?: 'keep' | 'delete' }

/**
 * In the transaction that deletes a project, and before: what it has on its servers goes afterwards. Volumes stay unless
 * someone says otherwise: nothing can bring back what is in them.
 */
export async function forgetProject(
  tx: Tx,
  transport: Waker,
  { id, orgId }: Project,
  volumes: 'keep' | 'delete',
): Promise<void> {
  const input: ForgetInput = { servers: await serversOf(tx, orgId, id), volumes }
  await removeRuns(tx, orgId, id)
  await submit(tx, transport, { id: newId('run'), lane: id, kind: 'forget', orgId, input })
}

/** What cannot be reached now is found by the collection of garbage when it is back. */
export const forgetPipeline = (parts: DeployParts): Pipeline => ({
  async run(run) {
    const { orgId, lane: projectId } = run
    const { servers: all, volumes = 'keep' } = run.input as ForgetInput
    for (const id of all) {
      await run.step(id, async (signal) => {
        const server = await servers.find(parts.db, orgId, id)
        const engine = server && engineOf(parts, server)
        if (!engine || (await parts.runtime.owner.read(engine, { signal })).org !== orgId) return
        await parts.edge.route(engine, projectId, [], signal).catch((error) => {
          if ((error as { code?: string }).code !== 'edge_missing') throw error
        })
        await parts.runtime.withdraw(engine, projectId, { signal })
        if (volumes === 'delete') await dropVolumes(parts, engine, projectId, signal)
        for (const image of await parts.runtime.images.list(engine, repositoryOf(projectId), { signal })) {
          await parts.runtime.images.remove(engine, image, { signal }).catch((error) => {
            if ((error as { code?: string }).code !== 'in_use') throw error
          })
        }
      })
    }
    await run.step('folders', () => parts.folders.remove(projectId))
  },
  onEnd: async () => {},
})

/** Containers that have ended hold them, too. */
async function dropVolumes(parts: DeployParts, engine: EngineTarget, projectId: string, signal: AbortSignal) {
  for (const { name } of await parts.runtime.volumes.list(engine, projectId, { signal })) {
    for (let attempt = 1; ; attempt++) {
      await parts.runtime.removeEnded(engine, projectId, { signal })
      const left = await parts.runtime.volumes.remove(engine, name, { signal }).catch((error) => error)
      if (!(left instanceof Error)) break
      if ((left as { code?: string }).code !== 'in_use' || attempt >= MOST_ATTEMPTS) throw left
      await sleep(500, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}

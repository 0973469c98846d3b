import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { submit, type Waker } from '../../jobs/enqueue.ts'
import type { Pipeline } from '../../jobs/steps.ts'
import { engineOf } from '../servers/engine-of.ts'
import * as servers from '../servers/store.ts'
import { repositoryOf } from './images.ts'
import type { DeployParts } from './parts.ts'
import { serversOf } from './settle-store.ts'
import { removeRuns } from './store.ts'

type Project = { id: string; orgId: string }
type ForgetInput = { servers: string[] }

/** In the transaction that deletes a project, and before: what it has on its servers goes afterwards. */
export async function forgetProject(tx: Tx, transport: Waker, { id, orgId }: Project): Promise<void> {
  const input: ForgetInput = { servers: await serversOf(tx, orgId, id) }
  await removeRuns(tx, orgId, id)
  await submit(tx, transport, { id: newId('run'), lane: id, kind: 'forget', orgId, input })
}

/** What cannot be reached now is found by the collection of garbage when it is back. */
export const forgetPipeline = (parts: DeployParts): Pipeline => ({
  async run(run) {
    const { orgId, lane: projectId } = run
    for (const id of (run.input as ForgetInput).servers) {
      await run.step(id, async (signal) => {
        const server = await servers.find(parts.db, orgId, id)
        const engine = server && engineOf(parts, server)
        if (!engine || (await parts.runtime.owner.read(engine, { signal })).org !== orgId) return
        await parts.edge.route(engine, projectId, [], signal).catch((error) => {
          if ((error as { code?: string }).code !== 'edge_missing') throw error
        })
        await parts.runtime.withdraw(engine, projectId, { signal })
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

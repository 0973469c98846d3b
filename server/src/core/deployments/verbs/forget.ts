import { setTimeout as sleep } from 'node:timers/promises'
import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'
import type { EngineTarget } from '../../../drivers/engine/engine.ts'
import { submit, type Waker } from '../../../jobs/enqueue.ts'
import type { Pipeline } from '../../../jobs/steps.ts'
import { openEngineTarget } from '../../servers/open-engine-target.ts'
import * as servers from '../../servers/store.ts'
import type { DeployParts } from '../parts.ts'
import { repositoryOf } from '../release/images.ts'
import { removeRuns } from '../rows/store.ts'
import { serversWithData } from './volumes.ts'

/** The engine gives volumes back a moment after a container is gone. */
const MOST_ATTEMPTS = 20

type Project = { id: string; orgId: string }
/** `maybe`: servers that may have its data, where that shall go. */
type ForgetInput = { servers: string[]; maybe?: string[]; volumes?: 'keep' | 'delete' }

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
  const servers = await serversWithData(tx, { orgId, id })
  const input: ForgetInput = {
    servers: servers.filter(({ sure }) => sure).map((one) => one.id),
    maybe: servers.filter(({ sure }) => !sure && volumes === 'delete').map((one) => one.id),
    volumes,
  }
  await removeRuns(tx, orgId, id)
  await submit(tx, transport, { id: newId('run'), lane: id, kind: 'forget', orgId, input })
}

/** What cannot be reached now is found by the collection of garbage when it is back. */
export const forgetPipeline = (parts: DeployParts): Pipeline => ({
  async run(run) {
    const { servers: all, maybe = [], volumes = 'keep' } = run.input as ForgetInput
    const where = { orgId: run.orgId, projectId: run.lane, volumes, guard: () => run.assertOwned() }
    for (const id of all) await run.step(id, (signal) => clear(parts, where, id, signal))
    for (const id of maybe) {
      await run.step(id, (signal) =>
        clear(parts, where, id, signal).catch((error) => {
          signal.throwIfAborted()
          parts.log.info({ err: error, server: id, project: run.lane }, 'a server could not be asked for volumes')
        }),
      )
    }
    await run.step('folders', () => parts.folders.remove(run.lane))
  },
  onEnd: async () => {},
})

type Where = { orgId: string; projectId: string; volumes: 'keep' | 'delete'; guard(): Promise<unknown> }

async function clear(parts: DeployParts, where: Where, id: string, signal: AbortSignal) {
  const { orgId, projectId, volumes, guard } = where
  const server = await servers.find(parts.db, orgId, id)
  const engine = server && openEngineTarget(parts, server)
  if (!engine || (await parts.runtime.owner.read(engine, { signal })).org !== orgId) return
  await parts.edge
    .route(engine, projectId, () => guard().then(() => []), signal)
    .catch((error) => {
      if ((error as { code?: string }).code !== 'edge_missing') throw error
    })
  await parts.runtime.withdraw(engine, projectId, { signal, guard })
  if (volumes === 'delete') await dropVolumes(parts, engine, where, signal)
  for (const image of await parts.runtime.images.list(engine, repositoryOf(projectId), { signal })) {
    await guard()
    await parts.runtime.images.remove(engine, image, { signal }).catch((error) => {
      if ((error as { code?: string }).code !== 'in_use') throw error
    })
  }
}

/** Containers that have ended hold them, too. */
async function dropVolumes(parts: DeployParts, engine: EngineTarget, { projectId, guard }: Where, signal: AbortSignal) {
  for (const { name } of await parts.runtime.volumes.list(engine, projectId, { signal })) {
    for (let attempt = 1; ; attempt++) {
      await parts.runtime.removeEnded(engine, projectId, { signal, guard })
      const left = await parts.runtime.volumes
        .remove(engine, projectId, name, { signal, guard })
        .catch((error) => error)
      if (!(left instanceof Error)) break
      if ((left as { code?: string }).code !== 'in_use' || attempt >= MOST_ATTEMPTS) throw left
      await sleep(500, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}

import type { Tx } from '../../../../db/database.ts'
import { newId } from '../../../../db/ids.ts'
import { isFailure } from '../../../../errors.ts'
import { submit, type Waker } from '../../../../jobs/enqueue.ts'
import type { Pipeline, Run } from '../../../../jobs/steps.ts'
import { openEngineTarget } from '../../../servers/open-engine-target.ts'
import * as servers from '../../../servers/store.ts'
import { clearServer } from '../../converge/clear-server.ts'
import { forget as forgotten } from '../../converge/planning/wanted.ts'
import type { DeployParts } from '../../parts.ts'
import { repositoryOf } from '../../release/images.ts'
import { removeRuns } from '../../rows/store.ts'
import { serversWithData } from './volumes.ts'

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
    const where = { run, volumes }
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

type Where = { run: Run; volumes: 'keep' | 'delete' }

async function clear(parts: DeployParts, { run, volumes }: Where, id: string, signal: AbortSignal) {
  const { orgId, lane: projectId } = run
  const server = await servers.find(parts.db, orgId, id)
  const engine = server && openEngineTarget(parts, server)
  if (!engine || (await parts.runtime.owner.read(engine, { signal })).org !== orgId) return
  await clearServer(parts, { engine, serverId: id, projectId }, forgotten(volumes), run, signal)
  for (const image of await parts.runtime.images.list(engine, repositoryOf(projectId), { signal })) {
    await run.assertOwned()
    await parts.runtime.images.remove(engine, image, { signal }).catch((error) => {
      if (!isFailure(error, 'runtime', 'in_use')) throw error
    })
  }
}

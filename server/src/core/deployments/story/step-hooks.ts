import type { Tx } from '../../../db/database.ts'
import type { Run } from '../../../jobs/steps.ts'
import type { Found } from '../deploy-context.ts'
import { append } from '../events/events-store.ts'
import type { BuiltImage, Frozen } from '../parts.ts'
import { noteReport } from '../rows/report-store.ts'
import { addImage, patchService, serviceOf } from '../rows/services-store.ts'
import * as store from '../rows/store.ts'

/** What the database says of a deployment changes in the transaction that ends the step which made it true. */
export function stepHooks({ id }: Pick<Run, 'id'>) {
  const status = async (tx: Tx, to: 'building' | 'deploying', changes: Parameters<typeof store.update>[2]) => {
    await store.update(tx, id, { ...changes, status: to })
    await append(tx, id, null, [{ type: 'status', at: new Date(), data: { status: to } }])
  }
  return {
    onSource: {
      onStart: (tx: Tx) => status(tx, 'building', { startedAt: new Date() }),
      onEnd: async (tx: Tx, found: Found) => {
        const services = JSON.stringify(found.services.map((name) => serviceOf(name, null, 'pending')))
        await store.update(tx, id, { source: JSON.stringify(found.source), services })
        // From here on it has a commit.
        await noteReport(tx, id)
      },
    },
    onBuilt: (name: string) => ({
      onEnd: async (tx: Tx, image: BuiltImage) => {
        const { image: name_, digest } = serviceOf(name, image, 'built')
        await patchService(tx, id, name, { image: name_, digest, status: 'built' })
        await addImage(tx, id, image.name)
        await store.update(tx, id, { builtAt: new Date() })
      },
    }),
    onFrozen: {
      onStart: (tx: Tx) => store.update(tx, id, { status: 'deploying' }),
      onEnd: async (tx: Tx, { sealed, images, services, engineId }: Frozen) => {
        const released = { release: sealed, images, services: JSON.stringify(services) }
        await status(tx, 'deploying', { ...released, ...(engineId !== undefined && { engineId }) })
      },
    },
  }
}

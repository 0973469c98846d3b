import { labPart } from '../../../lab/ask.ts'
import type { TestDatabase } from '../../../test-kit/database.ts'
import { openSite } from '../../../test-kit/site.ts'
import { waitOf } from './waits.ts'

/**
 * Another instance on the same machine, with nothing to do: how long its deployments take to begin says what the machine
 * itself makes them wait at that moment. Their server is a closed port of the lab, so they end right after they have begun.
 */
export async function openReference() {
  const site = await openSite({ name: 'fairref', slot: 1 })
  await site.start({ role: 'worker' })
  await site.start({ role: 'api' })
  const { address } = labPart('engine')
  await site.ask('POST', '/api/servers', { kind: 'ssh', name: 'closed', host: address, port: 9, user: 'nobody' })
  const projectId = await site.project('reference')
  const wait = async (): Promise<number> => {
    const body = { projectId, image: 'busybox:1' }
    const { deployment_id: id } = await site.ask('POST', '/api/deployments/build/access', body)
    const ms = await waitOf(site.database as TestDatabase, id)
    await site.ended(id)
    return ms
  }
  return { wait, close: site.close }
}

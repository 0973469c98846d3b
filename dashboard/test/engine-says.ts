import { sealRelease } from '../../server/src/core/deployments/rows/release.ts'
import type { SeenService } from '../../server/src/core/deployments/verbs/project/serving-looks.ts'
import type { World } from '../../test-kit/world.ts'

/** What an engine, and the domain name system, would say; a test changes it as it goes. */
export type Said = {
  services: SeenService[]
  /** In place of `services`, for the projects that are named. */
  ofProject: Record<string, SeenService[]>
  /** Why it cannot be asked. */
  reason: string | null
  volumes: { name: string; key: string; createdAt: string | null }[]
  addresses: Record<string, string[]>
}

/** The engine and the domain name system of a world are what the test says: no machine is needed to look at pages. */
export function engineSays({ platform }: World, orgId: string): Said {
  const said: Said = { services: [], ofProject: {}, reason: null, volumes: [], addresses: {} }
  const seenAt = new Date().toISOString()
  const usage = () =>
    said.services.map(({ service, deployment }, at) => ({
      service,
      deployment,
      taskId: `task-${service}`,
      containerId: `${at}a1b2c3d4e5f6789`,
      cpuPercent: 12.4 + at,
      memoryBytes: Math.max(64, 490 - 300 * at) * 2 ** 20,
      memoryLimitBytes: 512 * 2 ** 20,
      networkRxBytes: 7_300_000,
      networkTxBytes: 41_000_000,
      at: new Date().toISOString(),
    }))
  Object.assign(platform, {
    servingLooks: {
      look: async (key: string) => {
        const services = said.ofProject[key.split(' ')[0] ?? ''] ?? said.services
        return { seen: { at: seenAt, services }, reason: said.reason }
      },
    },
    runtime: Object.assign(Object.create(platform.runtime), {
      usage: async () => usage(),
      owner: { read: async () => ({ org: orgId }) },
      volumes: { list: async () => said.volumes },
    }),
    dns: {
      lookup: async (host: string) => {
        const a = /^[\d.]+$/.test(host) ? [host] : (said.addresses[host] ?? [])
        return { a, aaaa: [], cname: [], txt: [], problem: a.length === 0 ? 'nxdomain' : null }
      },
    },
  })
  return said
}

const healthy = (name: string) => ({
  name,
  status: 'healthy',
  image: null,
  digest: null,
  previousDigest: null,
  replicas: 1,
  error: null,
})

/** A deployment became a release that has these services of it. */
export async function released({ platform }: World, projectId: string, id: string, services: string[]): Promise<void> {
  const specs = services.map((service) => ({ service, project: projectId, deployment: id, networks: [] }))
  const release = sealRelease(platform, id, { services: specs as never })
  await platform.db
    .updateTable('deployment')
    .set({ release, services: JSON.stringify(services.map(healthy)) } as never)
    .where('id', '=', id)
    .execute()
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Domain } from '@slipway/contract/domains'
import { startCa } from '../../../lab/ca/start.ts'
import { type Front, frontOf } from '../../../test-kit/acme.ts'
import { openSite, type Site } from '../../../test-kit/site.ts'
import type { Door } from './client.ts'

/** An instance on the lab's engine whose certificates come from a real CA, through a front that lets it fail. */
export type TlsWorld = Awaited<ReturnType<typeof openTlsWorld>>

type Options = { name: string; validitySeconds?: number; env?: Record<string, string> }

export async function openTlsWorld({ name, validitySeconds, env = {} }: Options) {
  const folder = mkdtempSync(join(tmpdir(), 'sw-tls-'))
  const site: Site = await openSite({ name })
  const ca = await startCa({ httpPort: site.httpPort, ...(validitySeconds !== undefined && { validitySeconds }) })
  const front: Front = await frontOf(ca)
  const file = (called: string, text: string) => {
    writeFileSync(join(folder, called), text)
    return join(folder, called)
  }
  const issuing = await ca.issuingRoots()
  const settings = {
    SLIPWAY_ACME_DIRECTORY: front.directoryUrl,
    SLIPWAY_ACME_CA_FILE: file('ca.pem', ca.roots),
    SLIPWAY_TLS_CA_FILE: file('issuing.pem', issuing),
    SLIPWAY_DNS_SERVERS: ca.dns.address,
    SLIPWAY_PUBLIC_ADDRESSES: site.engine.address,
    ...env,
  }
  const domains = async (project: string): Promise<Domain[]> =>
    (await site.ask('GET', `/api/projects/${project}/domains?limit=200`)).data
  return {
    site,
    ca,
    front,
    here: site.engine.address,
    door: { address: site.engine.address, port: site.httpPort + 10_000, ca: issuing } satisfies Door,
    start: (more: { role?: 'api' | 'worker' | 'all' } = {}) => site.start({ ...more, env: settings }),
    domains,
    domain: async (project: string, host: string) => (await domains(project)).find((one) => one.host === host),
    /** Orders that the CA was asked for. */
    orders: () => front.asked.filter((line) => line.startsWith('POST /order-plz')).length,
    async close() {
      await site.close()
      await front.stop()
      await ca.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

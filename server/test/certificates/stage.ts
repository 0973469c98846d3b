import { until } from '../../../test-kit/until.ts'
import type { Api, Org, World } from '../../../test-kit/world.ts'
import { certificatePipeline } from '../../src/core/domains/certificates/order.ts'
import type { AuthorityParts, CertificateParts } from '../../src/core/domains/certificates/parts.ts'
import { newId } from '../../src/db/ids.ts'
import type { EdgeCertificate } from '../../src/drivers/edge/edge.ts'
import { openListener } from '../../src/jobs/listener.ts'
import { openTransport } from '../../src/jobs/transport.ts'
import { startWorker } from '../../src/jobs/worker.ts'

type Engine = { kind: string }

const log = { info() {}, warn() {}, error() {} }

/** Runs certificates on a real database, with the given CA and an edge that only writes down what it is given. */
export async function startCertificates(world: World, acme: AuthorityParts) {
  const { pool } = world.platform
  const listener = openListener({ databaseUrl: world.database.url, log })
  const transport = openTransport({ databaseUrl: world.database.url, listener, log })
  const installed = new Map<string, string[]>()
  const edge = {
    /** What happens before the edge takes a certificate. */
    before: async (_host: string, _at: { id: string; engine: Engine }): Promise<void> => {},
    certificates: {
      put: async (engine: Engine, all: EdgeCertificate[]) => {
        for (const { host, id, pem } of all) {
          await edge.before(host, { id, engine })
          installed.set(host, [...(installed.get(host) ?? []), typeof pem === 'string' ? pem : await pem()])
        }
      },
    },
    challenges: { put: async (_: Engine): Promise<void> => {}, remove: async () => {} },
  }
  const parts = { ...world.platform, transport, edge, acme } as unknown as CertificateParts
  const reroute = { run: async () => {}, onEnd: async () => {} }
  const pipelines = { certificate: certificatePipeline(parts) as never, reroute }
  const options = {
    db: parts.db,
    transport,
    listener,
    log,
    slots: { all: 4, perOrg: 4, reserved: [] },
    onChange: async () => {},
    pipelines,
  }
  const worker = await startWorker(options)

  /** A project with a name; `live`: with a release that the name leads to. */
  const named = async ({ id: orgId, owner }: Org, host: string, { live = true } = {}): Promise<string> => {
    const { body } = await owner.api('POST', '/api/projects', { name: host.replace('*', 'any') })
    const added = await owner.api('POST', `/api/projects/${body.id}/domains`, { host })
    if (added.status !== 201) throw new Error(added.text)
    if (!live) return body.id
    const server = (await pool.query('select id from server where org_id = $1 order by id', [orgId])).rows[0].id
    const values = [newId('dep'), orgId, body.id, server, JSON.stringify([{ host, service: 'web', port: 1 }])]
    await pool.query(
      `insert into deployment (id, org_id, project_id, server_id, number, status, trigger, source, request, created_by, routed, active, routes)
       values ($1, $2, $3, $4, 1, 'ready', 'api', '{}', '{}', '{}', true, true, $5)`,
      values,
    )
    return body.id
  }

  return {
    parts,
    edge,
    installed,
    named,
    /** Looks, as the schedule does, until the project's name is as wanted. */
    async until(api: Api, project: string, state: string, look: (with_: CertificateParts) => Promise<void>) {
      let seen = ''
      const isSo = async () => {
        await pool.query(
          "update certificate set look_at = now() where run_id is null and look_at < now() + interval '5 s'",
        )
        await look(parts)
        const domain = (await api('GET', `/api/projects/${project}/domains`)).body.data[0]
        seen = JSON.stringify(domain)
        return domain.certificate.state === state && domain
      }
      return until(`it is ${state}`, 30_000, isSo, { everyMs: 50 }).catch((error: Error) => {
        throw new Error(`${error.message}: it is ${seen}`)
      })
    },
    async stop() {
      await worker.drain()
      await transport.close()
      await listener.close()
    },
  }
}

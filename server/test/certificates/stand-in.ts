import { afterAll, beforeAll, beforeEach } from 'vitest'
import { serveNames } from '../../../test-kit/serve-names.ts'
import { startWorld } from '../../../test-kit/world.ts'
import type { AuthorityParts } from '../../src/core/domains/certificates/parts.ts'
import { pollDomains } from '../../src/core/domains/certificates/poll-domains.ts'
import type { IssueRequest, RenewalRequest, RenewalWindow } from '../../src/drivers/acme/acme.ts'
import { startCertificates } from './stage.ts'

export const HERE = '192.0.2.10'
export const ELSEWHERE = '192.0.2.99'
const ACME = { directoryUrl: 'https://ca.test/dir', caFile: null, contact: null, eab: null }
const DAY_MS = 86_400_000

/** A CA that writes down what it is asked, and fails when a case needs it. */
function standIn() {
  let serial = 0
  const ca = {
    orders: [] as IssueRequest[],
    /** The key of each account that it was asked for. */
    accounts: [] as (string | undefined)[],
    issuing: async (_: IssueRequest): Promise<void> => {},
    window: async (_: RenewalRequest): Promise<RenewalWindow | null> => null,
    hosts: () => ca.orders.flatMap(({ hosts }) => hosts),
  }
  const parts: AuthorityParts = {
    enabled: true,
    target: async () => ({ directoryUrl: ACME.directoryUrl }),
    contact: [],
    newKey: async () => `key ${ca.accounts.length}`,
    dns: null,
    client: {
      async account(_, { keyPem = '' }) {
        ca.accounts.push(keyPem)
        return { keyPem, url: 'https://ca.test/1' }
      },
      renewalWindow: (_, request) => ca.window(request),
      async issue(_, request) {
        ca.orders.push(request)
        await ca.issuing(request)
        const life = { notBefore: new Date(), notAfter: new Date(Date.now() + 90 * DAY_MS) }
        const { hosts } = request
        return { chainPem: 'chain', keyPem: 'private', serial: String(++serial), issuer: 'Test CA', hosts, ...life }
      },
    },
  }
  return { ca, parts }
}

/** Certificates on a real database and real DNS, with a CA and an edge that fail at the moment a case needs. */
export async function startStandIn() {
  const names = await serveNames({})
  const world = await startWorld({ dnsServers: [names.server], publicAddresses: [HERE], acme: ACME })
  const org = await world.org()
  const { pool } = world.platform
  const { ca, parts } = standIn()
  const stage = await startCertificates(world, parts)
  const calm = { issuing: ca.issuing, window: ca.window }
  const edge = { before: stage.edge.before, challenges: { ...stage.edge.challenges } }
  beforeAll(() => org.owner.api('POST', '/api/servers', { kind: 'local', name: 'here' }))
  afterAll(async () => {
    await stage.stop()
    names.close()
  })
  beforeEach(() => {
    Object.assign(ca, { orders: [], accounts: [], ...calm })
    stage.installed.clear()
    Object.assign(stage.edge, { before: edge.before, challenges: { ...edge.challenges } })
  })
  const look = () => pollDomains(stage.parts, new AbortController().signal)
  const until = (project: string, state: string) => stage.until(org.owner.api, project, state, look)
  const named = (host: string, address = HERE) => {
    names.zone[host] = { A: [address] }
    return stage.named(org, host)
  }
  return {
    ...{ names, world, org, ca, stage, look, until, named },
    async valid(host: string) {
      const project = await named(host)
      await until(project, 'valid')
      return project
    },
    /** Its row; `seconds`: until the next look. */
    row: async (project: string) =>
      (
        await pool.query(
          `select *, extract(epoch from look_at - clock_timestamp())::float8 as seconds from certificate
           where project_id = $1 order by id limit 1`,
          [project],
        )
      ).rows[0],
    /** As if it were so, and the next look were due. */
    set: (project: string, changes = '') =>
      pool.query(`update certificate set look_at = now() ${changes && `, ${changes}`} where project_id = $1`, [
        project,
      ]),
    /** Orders of an organization, as if they had been placed then. */
    ordered: (orgId: string, count: number, ago: string) =>
      pool.query(
        `insert into acme_order (org_id, host, renewal, at)
         select $1, 'any.example.com', false, now() - $3::interval from generate_series(1, $2)`,
        [orgId, count, ago],
      ),
    forgetOrders: () => pool.query('delete from acme_order'),
  }
}

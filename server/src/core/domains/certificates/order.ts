import type { DomainDns } from '@slipway/contract/domains'
import type { Tx } from '../../../db/database.ts'
import { newId } from '../../../db/ids.ts'
import type { AcmeFailure, Challenge, Issued } from '../../../drivers/acme/acme.ts'
import { DriverFailure, isFailure, Refusal } from '../../../errors.ts'
import { submit } from '../../../jobs/enqueue.ts'
import type { End, Pipeline, Run, RunFacts } from '../../../jobs/steps.ts'
import { record } from '../../audit/record.ts'
import { openEngineTarget } from '../../servers/open-engine-target.ts'
import * as servers from '../../servers/store.ts'
import { whereItLeads } from '../names/check.ts'
import { withAuthority } from './authority.ts'
import { install, place } from './install.ts'
import type { CertificateParts } from './parts.ts'
import { renewalMoment, retryMs } from './plan.ts'
import * as store from './store.ts'

/** Without `order`, what the CA gave before is laid out at the edges. */
export type OrderInput = { certificate: string; order: boolean }

/** Name servers of a zone may take a while to agree. */
const ISSUE_MS = { 'http-01': 100_000, 'dns-01': 240_000 }
const INSTALL_MS = 60_000

/**
 * One certificate from the CA to the edges. The name is looked up once more before the CA is asked: a proof that fails
 * counts there. What the CA gave is kept before an edge hears of it, so nothing that it issued is lost on the way.
 */
export const certificatePipeline = (parts: CertificateParts): Pipeline<OrderInput> => ({
  async run(run) {
    const { certificate: id } = run.input
    const row = await store.find(parts.db, run.orgId, id)
    // The name was released meanwhile.
    if (!row) return
    if (run.input.order) await askAuthority(parts, run, row)
    await run.step('install', (signal) =>
      install(parts, run.orgId, row.projectId, AbortSignal.any([signal, AbortSignal.timeout(INSTALL_MS)])),
    )
    await run.write((tx) => noteInstalled(tx, parts, run))
  },
  onEnd: (tx, run, end) => settle(tx, run, end),
  // Words of the CA, of the edge or of the engine: each of their failures is made for people to read.
  explain: (error) => {
    if (!(error instanceof DriverFailure)) {
      return {
        code: 'internal',
        message: 'Something unexpected stopped it.',
        hint: 'The server’s log has the details.',
      }
    }
    return { code: error.code, message: error.message, hint: error.hint }
  },
})

async function askAuthority(parts: CertificateParts, run: Run<OrderInput>, row: store.Due): Promise<void> {
  const dns = await run.step('dns', (signal) => whereItLeads(parts, row, row.host, signal))
  await run.write((tx) => store.update(tx, run.orgId, row.id, { dns: JSON.stringify(seen(dns)), dnsOk: dns.ok }))
  if (!dns.ok) throw new Refusal('dns_wrong', dns.message)
  await run.step('order', (signal) => order(parts, run, row, signal))
}

/** From here on plain HTTP may be sent to https: in the project's turn, like everything about its routes. */
async function noteInstalled(tx: Tx, parts: CertificateParts, { orgId, input }: Run<OrderInput>): Promise<void> {
  const row = await store.find(tx, orgId, input.certificate)
  if (!row || row.installed === row.serial) return
  await store.update(tx, orgId, row.id, { installed: row.serial })
  // The platform's own name is led here by whoever mends edges.
  if (row.installed !== null || row.projectId === null) return
  const reroute = { id: newId('run'), lane: row.projectId, kind: 'reroute', supersede: ['reroute'] }
  await submit(tx, parts.transport, { ...reroute, orgId, input: {}, urgency: 'short' })
}

export const seen = (dns: Omit<DomainDns, 'checkedAt'>): DomainDns => ({ ...dns, checkedAt: new Date().toISOString() })

async function order(parts: CertificateParts, run: Run<OrderInput>, row: store.Due, signal: AbortSignal) {
  const challenge = row.host.startsWith('*.') ? recordsFor(parts, row, signal) : await answersFor(parts, row, signal)
  try {
    const issued = await withAuthority(parts, signal, async ({ target, account }) => {
      // Counted before it is placed: one that nobody saw the end of counts at the CA as well.
      await run.write((tx) => store.noteOrder(tx, { orgId: row.orgId, host: row.host, renewal: row.serial !== null }))
      const replaces = row.chain === null ? {} : { replaces: row.chain }
      const wanted = {
        account,
        hosts: [row.host],
        challenge,
        ...replaces,
        signal,
        deadlineMs: ISSUE_MS[challenge.kind],
      }
      return parts.acme.client.issue(target, wanted)
    })
    await run.write((tx) => keep(tx, parts, row, issued))
  } catch (error) {
    const retryAfter = isFailure<AcmeFailure>(error, 'acme') ? error.facts.retryAfter : undefined
    if (retryAfter) await run.write((tx) => store.update(tx, row.orgId, row.id, { limitedUntil: retryAfter }))
    throw error
  }
}

const keep = (tx: Tx, { keys }: CertificateParts, row: store.Due, issued: Issued) =>
  store.update(tx, row.orgId, row.id, {
    serial: issued.serial,
    issuer: issued.issuer,
    chain: issued.chainPem,
    pemSealed: keys.seal(`${issued.chainPem}\n${issued.keyPem}`, place(row.id)),
    notBefore: issued.notBefore,
    notAfter: issued.notAfter,
    issuedAt: new Date(),
    limitedUntil: null,
    // The CA's own opinion is asked for by the next look.
    renewAt: renewalMoment({ ...issued, host: row.host }),
  })

/** A wildcard cannot be proved by one of its names. */
function recordsFor({ acme }: CertificateParts, { host }: store.Due, signal: AbortSignal): Challenge {
  const { dns } = acme
  if (dns === null) {
    throw new Refusal(
      'not_now',
      `The CA gives ${host} only to those who may change its zone, and this instance may not.`,
      {
        hint: 'Its operator sets SLIPWAY_DNS_UPDATE_URL, or SLIPWAY_DNS_UPDATE_SERVER and SLIPWAY_DNS_UPDATE_KEY.',
      },
    )
  }
  return {
    kind: 'dns-01',
    put: (name, value) => dns.put(name, value, { signal }),
    remove: (name, value) => dns.remove(name, value, { signal: AbortSignal.timeout(REMOVE_MS) }),
  }
}

const REMOVE_MS = 10_000

/** HTTP-01 by files at every edge that the name may lead to. */
async function answersFor(parts: CertificateParts, row: store.Due, signal: AbortSignal): Promise<Challenge> {
  const ids = await store.serversOf(parts.db, row.orgId, row.projectId)
  const engines = await Promise.all(
    ids.map(async (id) => openEngineTarget(parts, await servers.load(parts.db, row.orgId, id))),
  )
  const everywhere = async (work: (engine: ReturnType<typeof openEngineTarget>) => Promise<void>) => {
    const done = await Promise.allSettled(engines.map(work))
    const failures = done.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    // Where there is no edge, no visitor of the name can arrive.
    const real = failures.filter((error) => !isFailure(error, 'edge', 'edge_missing'))
    if (real.length > 0 || failures.length === engines.length) throw real[0] ?? failures[0] ?? noEdge()
  }
  const { challenges } = parts.edge
  return {
    kind: 'http-01',
    put: (token, answer) => everywhere((engine) => challenges.put(engine, token, answer, signal)),
    remove: (token) => everywhere((engine) => challenges.remove(engine, token)),
  }
}

const noEdge = () => new Refusal('no_server', 'The project runs on no server whose edge could answer the CA.')

async function settle(tx: Tx, run: RunFacts<OrderInput>, { outcome, reason }: End): Promise<void> {
  const { certificate: id } = run.input
  const row = await store.find(tx, run.orgId, id)
  if (!row) return
  const system = { kind: 'system' as const, name: 'certificates', orgId: run.orgId }
  if (outcome === 'succeeded') {
    // The next look plans from what is there now.
    const done = { runId: null, problem: null, attempts: 0, nextTryAt: null, lookAt: row.now }
    await store.update(tx, run.orgId, id, done)
    const { host, serial, notAfter } = row
    const action = run.input.order ? 'certificate.issue' : 'certificate.install'
    await record(tx, system, action, row.projectId ?? row.id, { host, serial, validTo: notAfter?.toISOString() })
    return
  }
  const problem = {
    code: reason?.code ?? 'internal',
    message: reason?.message ?? 'It was stopped.',
    hint: reason?.hint ?? null,
  }
  const attempts = row.attempts + 1
  const wait = row.now.getTime() + retryMs(problem.code, attempts, Math.random())
  const nextTryAt = new Date(Math.max(wait, row.limitedUntil?.getTime() ?? 0))
  const shown = JSON.stringify(problem)
  // Where the name leads is looked at as before: once it leads here, the next try is at once.
  await store.update(tx, run.orgId, id, { runId: null, problem: shown, attempts, nextTryAt, lookAt: row.now })
  const detail = { host: row.host, reason: problem.message, nextTryAt: nextTryAt.toISOString() }
  await record(tx, system, 'certificate.fail', row.projectId ?? row.id, detail)
}

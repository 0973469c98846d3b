import type { Container } from 'dockerode'
import { upload } from '../archive.ts'
import { EDGE_ROOT } from '../config.ts'
import { type CertificatesWanted, type EdgeCertificate, edgeFailure } from '../edge.ts'
import { execute } from '../inside.ts'
import { hostOf } from '../route-file.ts'
import { type EdgeScope, isGone, runningEdge } from '../running.ts'
import {
  byFolder,
  CERTS,
  type CertificatesSeen,
  certificateName,
  checkPem,
  PEM,
  readCertificates,
  servedIn,
} from './certificate-file.ts'
import { sweepCertificates } from './sweep.ts'

const MOST_ROUNDS = 5
/** A chain with its key is some kilobytes: a few megabytes are held at a time. */
const FILES_AT_ONCE = 500
/** More hosts than these are found sooner by looking at all. */
const MOST_NAMED = 20

/** Adds certificates; each counts from the next handshake on. */
export async function putCertificates(scope: EdgeScope, certificates: EdgeCertificate[]): Promise<void> {
  const wanted = byFolder(certificates)
  let last: unknown
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const { container } = await runningEdge(scope)
    try {
      const seen = await look(container, scope.signal, [...wanted.keys()])
      await writeCertificates(container, scope.signal, missingOf(seen, wanted))
      return
    } catch (error) {
      if (!isGone(error)) throw error
      last = error
    }
  }
  throw contested(last)
}

/** Makes the certificates exactly these. What they replace goes only when the new ones have been seen to lie there. */
export async function reconcileCertificates(scope: EdgeScope, given: CertificatesWanted) {
  const done = { written: 0, removed: 0 }
  let last: unknown
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const { container } = await runningEdge(scope)
    try {
      const seen = await look(container, scope.signal)
      const wanted = byFolder(typeof given === 'function' ? await given() : given)
      const missing = missingOf(seen, wanted)
      if (missing.length === 0) {
        done.removed = await sweepCertificates(container, seen, { wanted, signal: scope.signal })
        return done
      }
      await writeCertificates(container, scope.signal, missing)
      done.written += missing.length
    } catch (error) {
      if (!isGone(error)) throw error
      last = error
    }
  }
  throw contested(last)
}

export async function certificatesState(scope: EdgeScope): Promise<{ host: string; id: string }[]> {
  const { container } = await runningEdge(scope)
  const seen = await look(container, scope.signal)
  return [...seen.pointers.keys()].flatMap((folder) => {
    const served = servedIn(seen, folder)
    return served ? [{ host: hostOf(folder), id: served.entry }] : []
  })
}

const contested = (last: unknown) =>
  edgeFailure('certificates_contested', 'The certificates did not become what they should be.', last)

export type Missing = { folder: string; name: string; certificate: EdgeCertificate }

export function missingOf(seen: CertificatesSeen, wanted: Map<string, EdgeCertificate>): Missing[] {
  return [...wanted].flatMap(([folder, certificate]) => {
    if (servedIn(seen, folder)?.entry === certificate.id) return []
    return [{ folder, certificate, name: certificateName(certificate.id, seen.pointers.get(folder)?.[0]) }]
  })
}

/** First what is pointed to, then the pointers. */
export async function writeCertificates(container: Container, signal: AbortSignal, missing: Missing[]): Promise<void> {
  for (let at = 0; at < missing.length; at += FILES_AT_ONCE) {
    const some = missing.slice(at, at + FILES_AT_ONCE)
    const pems = []
    for (const { folder, name, certificate } of some) {
      const pem = typeof certificate.pem === 'string' ? certificate.pem : await certificate.pem()
      pems.push({ path: `${PEM}/${folder}/${name}.pem`, body: checkPem(certificate.host, pem) })
    }
    await upload(container, pems, signal)
    const pointers = some.map(({ folder, name }) => ({ path: `${CERTS}/${folder}/${name}`, body: '' }))
    await upload(container, pointers, signal)
  }
}

/** Names only: a look must not carry keys over the network. */
async function look(container: Container, signal: AbortSignal, folders: string[] = []): Promise<CertificatesSeen> {
  const named =
    folders.length > MOST_NAMED ? [] : folders.flatMap((folder) => ['-o', '-path', `*/${folder}/*`]).slice(1)
  const only = named.length > 0 ? ['(', ...named, ')'] : []
  const others = ['-path', `${EDGE_ROOT}/routes`, '-prune', '-o']
  const { code, printed } = await execute(
    container,
    ['find', EDGE_ROOT, ...others, '-type', 'f', ...only, '-print'],
    signal,
  )
  // The container ended meanwhile, or a file did: half a list is none.
  if (code !== 0) throw Object.assign(new Error('The files of the edge could not be listed.'), { statusCode: 409 })
  const paths = printed.split('\n').filter(Boolean)
  return readCertificates(paths.map((path) => path.slice(EDGE_ROOT.length + 1)))
}

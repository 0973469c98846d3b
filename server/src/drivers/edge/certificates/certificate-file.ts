import { createPrivateKey, X509Certificate } from 'node:crypto'
import { type EdgeCertificate, edgeFailure } from '../edge.ts'
import { folderOf, nameFor, parseFile, type RouteFile } from '../route-file.ts'

// A certificate is two files of one name: pem/<folder>/<name>.pem, and the empty certs/<folder>/<name>, which makes it count.
// Names are those of routes: the newer sorts first, and none is ever used twice, so no reader sees half a file.

export const PEM = 'pem'
export const CERTS = 'certs'

function certificateFolder(host: string): string {
  const folder = folderOf(host)
  if (folder === undefined) throw invalid(`${quoted(host)} is not a host name`)
  return folder
}

const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/

/** A name that counts more than the one that counts now. */
export function certificateName(id: string, now: RouteFile | undefined): string {
  if (!ID.test(id)) throw invalid(`${quoted(id)} is not a certificate's id`)
  return nameFor(id, Math.max(Date.now(), (now?.stamp ?? 0) + 1))
}

/** Each folder once. */
export function byFolder(certificates: EdgeCertificate[]): Map<string, EdgeCertificate> {
  const wanted = new Map<string, EdgeCertificate>()
  for (const certificate of certificates) {
    const folder = certificateFolder(certificate.host)
    const other = wanted.get(folder)
    if (other && other.id !== certificate.id) {
      throw edgeFailure('certificate_invalid', `${certificate.host} cannot have two certificates.`)
    }
    wanted.set(folder, certificate)
  }
  return wanted
}

/** What lies in the volume; `slot` is the folder, `entry` the id. */
export type CertificatesSeen = {
  pointers: Map<string, RouteFile[]>
  pems: Map<string, RouteFile[]>
  challenges: number
}

/** `paths` are relative to the volume. Each folder's files come newest first, which is how Caddy looks. */
export function readCertificates(paths: string[]): CertificatesSeen {
  const of = (folder: string, ending: string) => {
    const mine = paths.filter((path) => path.startsWith(`${folder}/`) && path.endsWith(ending))
    const files = mine.map((path) => parseFile(path.slice(folder.length + 1, path.length - ending.length)))
    const sorted = files.filter((file) => file !== undefined).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return Map.groupBy(sorted, ({ slot }) => slot)
  }
  const challenges = paths.filter((path) => path.startsWith('challenge/')).length
  return { pointers: of(CERTS, ''), pems: of(PEM, '.pem'), challenges }
}

/** What TLS clients of this folder get: the newest pointer, if what it points to is there. */
export function servedIn({ pointers, pems }: CertificatesSeen, folder: string): RouteFile | undefined {
  const [newest] = pointers.get(folder) ?? []
  return pems.get(folder)?.some(({ name }) => name === newest?.name) ? newest : undefined
}

/** A file that Caddy could not use would take the place of one that it can. */
export function checkPem(host: string, pem: string): string {
  try {
    const leaf = new X509Certificate(pem)
    if (!leaf.checkPrivateKey(createPrivateKey(pem))) throw new Error('its key is that of another certificate')
    if (leaf.checkHost(host.replace(/^\*\./, 'any.')) === undefined) throw new Error('it is for other names')
    return pem
  } catch (error) {
    throw invalid(`What was given as the certificate of ${host} cannot be used: ${(error as Error).message}`)
  }
}

const invalid = (what: string) => edgeFailure('certificate_invalid', `${what}.`)
const quoted = (text: string) => JSON.stringify(text.slice(0, 200))

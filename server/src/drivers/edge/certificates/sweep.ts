import type { Container } from 'dockerode'
import { EDGE_ROOT } from '../config.ts'
import { execute, removeFiles } from '../inside.ts'
import { CERTS, type CertificatesSeen, PEM } from './certificate-file.ts'

/** A handshake that has found the old pointer must still find the old file. */
const SERVED_ON_MS = 10_000
/** No CA asks that late. */
const CHALLENGE_MINUTES = 60

type Keep = { wanted: ReadonlyMap<string, unknown>; signal: AbortSignal }

/**
 * Deletes what counts no more, by names that were seen: whatever came meanwhile stays. A file newer than the pointer that
 * counts is someone's who is about to write its pointer. Returns of how many hosts nothing is left.
 */
export async function sweepCertificates(container: Container, seen: CertificatesSeen, { wanted, signal }: Keep) {
  const { pointers, pems, challenges } = seen
  const gone = [...new Set([...pointers.keys(), ...pems.keys()])].filter((folder) => !wanted.has(folder))
  const old = (files: CertificatesSeen['pems']) =>
    [...files].flatMap(([folder, all]) => {
      const [counts] = pointers.get(folder) ?? []
      const settled = counts !== undefined && Math.abs(Date.now() - counts.stamp) > SERVED_ON_MS
      return all.filter(({ stamp, name }) => {
        if (!wanted.has(folder)) return true
        return settled && stamp <= counts.stamp && name !== counts.name
      })
    })
  // Pointers first: a pointer to nothing would refuse handshakes.
  const paths = [
    ...old(pointers).map(({ slot, name }) => `${EDGE_ROOT}/${CERTS}/${slot}/${name}`),
    ...old(pems).map(({ slot, name }) => `${EDGE_ROOT}/${PEM}/${slot}/${name}.pem`),
  ]
  await removeFiles(container, paths, signal)
  await removeFolders(container, gone, signal)
  if (challenges > 0) {
    // Not every busybox can delete what it finds.
    const late = ['find', `${EDGE_ROOT}/challenge`, '-type', 'f', '-mmin', `+${CHALLENGE_MINUTES}`]
    const { printed } = await execute(container, late, signal)
    await removeFiles(container, printed.split('\n').filter(Boolean), signal)
  }
  return gone.length
}

const FOLDERS_AT_ONCE = 250

/** Those that are empty; one in which someone writes again stays. */
async function removeFolders(container: Container, gone: string[], signal: AbortSignal): Promise<void> {
  for (let at = 0; at < gone.length; at += FOLDERS_AT_ONCE) {
    const some = gone.slice(at, at + FOLDERS_AT_ONCE)
    const folders = some.flatMap((folder) => [`${EDGE_ROOT}/${CERTS}/${folder}`, `${EDGE_ROOT}/${PEM}/${folder}`])
    await execute(container, ['rmdir', '--', ...folders], signal)
  }
}

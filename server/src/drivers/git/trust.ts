import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { getCACertificates } from 'node:tls'

export type Trust = {
  /** Certificates of authorities that this machine does not know: those of a host inside a company. */
  extra: string
  /** Where the bundle for git is written. */
  bundle: string
}

/** git takes one bundle, and naming only our own would forget all the others: so the machine's roots come along. */
export async function writeBundle({ extra, bundle }: Trust): Promise<string> {
  const system = getCACertificates('system')
  const known = system.length > 0 ? system : getCACertificates('bundled')
  const own = await readFile(extra, 'utf8')
  if (!own.includes('-----BEGIN CERTIFICATE-----')) throw new Error(`${extra} has no certificate in PEM form`)
  await mkdir(dirname(bundle), { recursive: true })
  // Several processes may do this at once, and git may be reading it.
  const part = `${bundle}.${randomBytes(4).toString('hex')}`
  await writeFile(part, [...known, own].map((pem) => `${pem.trim()}\n`).join(''))
  await rename(part, bundle)
  return bundle
}

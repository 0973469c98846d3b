import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** Writes the list of checksums and, with a key, its signature: what `install.sh` believes before it unpacks anything. */
export async function writeSums(dir: string, files: string[], keyFile: string | undefined): Promise<void> {
  const lines = await Promise.all(files.map(async (file) => `${await sha256(file)}  ${basename(file)}\n`))
  const list = lines.toSorted((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1)).join('')
  writeFileSync(join(dir, 'SHA256SUMS'), list)
  if (keyFile === undefined) return
  const key = createPrivateKey(readFileSync(keyFile))
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`${keyFile} is no ed25519 key: openssl genpkey -algorithm ed25519`)
  writeFileSync(join(dir, 'SHA256SUMS.sig'), sign(null, Buffer.from(list), key))
  writeFileSync(join(dir, 'release.pub'), createPublicKey(key).export({ type: 'spki', format: 'pem' }))
}

/** The installer believes this release's key and no other. */
export function writeInstaller(checkout: string, out: string, from: string): void {
  const text = readFileSync(join(checkout, 'install/install.sh'), 'utf8')
  const keys = readFileSync(join(out, 'release.pub'), 'utf8').trim()
  writeFileSync(join(out, 'install.sh'), text.replace('@KEYS@', keys).replace('@FROM@', from), { mode: 0o755 })
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

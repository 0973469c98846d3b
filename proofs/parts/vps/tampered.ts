import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bootVps } from '../../../lab/vps/boot.ts'
import { bring, installing } from './bring.ts'
import type { InstallWorld } from './deployed.ts'
import { differences, footprint } from './footprint.ts'

/** What is done to a release on its way. */
const TAMPERING: Record<string, (folder: string, archive: string) => void> = {
  'a byte behind the archive': (folder, archive) => appendFileSync(join(folder, archive), 'x'),
  'a byte in the archive': (folder, archive) => flip(join(folder, archive)),
  'another checksum in the list': (folder) => flip(join(folder, 'SHA256SUMS')),
  'another signature': (folder) => flip(join(folder, 'SHA256SUMS.sig')),
  'no signature': (folder) => writeFileSync(join(folder, 'SHA256SUMS.sig'), ''),
}

export async function tampered({ authority, published, faults }: InstallWorld): Promise<string> {
  const vps = await bootVps(4, 'trixie', 1024)
  let refused = 0
  try {
    bring(vps, published, authority)
    const release = join(vps.root, 'srv/release')
    const machine = () => footprint(vps.root, ['etc', 'opt', 'usr/local', 'var/lib'], [/^\/var\/lib\/systemd\//])
    const before = machine()
    for (const [what, tamper] of Object.entries(TAMPERING)) {
      rmSync(release, { recursive: true, force: true })
      mkdirSync(release)
      cpSync(published, release, { recursive: true })
      tamper(release, readdirSync(release).find((name) => name.endsWith('.tar.xz')) ?? '')
      const { code, err } = await vps.ended(installing(vps, authority))
      const changed = differences(before, machine())
      if (code === 1 && /Nothing was changed/.test(err) && changed.length === 0) refused += 1
      else faults.push(`${what}: ended with ${code}, ${err.trim()}, ${changed.slice(0, 5).join(', ')}`)
    }
    return `${refused} of ${Object.keys(TAMPERING).length} releases that were tampered with were refused, and nothing changed`
  } finally {
    await vps.remove()
  }
}

function flip(file: string): void {
  const bytes = readFileSync(file)
  const at = bytes.length >> 1
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(file, bytes)
}

/** `ssh-ed25519 SHA256:…`: how a host key is told and pinned. */
const PINNED = /^[a-z0-9@.-]+ SHA256:[A-Za-z0-9+/]{43}$/
/** What `ssh-keygen -l` prints: `256 SHA256:… root@fra-1 (ED25519)`. */
const PRINTED = /^(\d+) (SHA256:[A-Za-z0-9+/]{43}) .*\((ED25519|ECDSA|RSA)\)$/

/** A host key as somebody has copied it from the console of the server; null: it is none. */
export function readHostKey(text: string): string | null {
  const line = text.trim()
  if (PINNED.test(line)) return line
  const [, bits, sum, kind] = PRINTED.exec(line) ?? []
  if (kind === 'ED25519') return `ssh-ed25519 ${sum}`
  if (kind === 'RSA') return `ssh-rsa ${sum}`
  return kind === 'ECDSA' ? `ecdsa-sha2-nistp${bits} ${sum}` : null
}

const CHANGED = /showed the host key (\S+ SHA256:\S+), but (\S+ SHA256:\S+) is the confirmed one/

/** Both keys, where a check found another than the one that is pinned. */
export function changedKey(found: string): { shown: string; pinned: string } | null {
  const [, shown, pinned] = CHANGED.exec(found) ?? []
  return shown && pinned ? { shown, pinned } : null
}

/** Run on the server itself, by a way that is no SSH of unknown key: its console, or whoever set it up. */
export const SHOW_KEY = 'ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub'

type Reached = { host: string | null; port: number | null; user: string | null; publicKey: string | null }

/** Puts our public key on the server, from any machine that can sign in there. */
export function installCommand({ host, port, user, publicKey }: Reached): string {
  const line = (publicKey ?? '').trim().replaceAll("'", "'\\''")
  const way = port === null || port === 22 ? '' : `-p ${port} `
  return `echo '${line}' | ssh ${way}${user}@${host} 'umask 077; mkdir -p ~/.ssh; cat >> ~/.ssh/authorized_keys'`
}

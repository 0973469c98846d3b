import { accessSync, constants } from 'node:fs'
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GitCredential } from './git.ts'
import { invalid } from './source.ts'

const PREFIX = 'slipway-git-key-'
const LEFT_OVER_MS = 3_600_000

/**
 * A private folder with all that ssh may use for one call: the key, the server's pinned keys and a configuration that
 * leaves out the machine's own. `work` gets the variables that make git use it; afterwards nothing is left.
 */
export async function withSshFolder<T>(
  { privateKey, hostKeys }: GitCredential & { kind: 'key' },
  { path, address }: { path: string; address: string | null },
  work: (environment: Record<string, string>) => Promise<T>,
): Promise<T> {
  const known = hostKeys.map(knownHost)
  if (known.length === 0) throw invalid('A deploy key needs the host key of its server.')
  await sweep()
  const folder = await mkdtemp(join(tmpdir(), PREFIX))
  try {
    await chmod(folder, 0o700)
    const put = (name: string, text: string, mode = 0o600) => writeFile(join(folder, name), text, { mode })
    await put('key', `${privateKey.trim()}\n`)
    await put('known_hosts', known.join(''))
    await put('config', sshConfig(folder, address))
    await put('ssh', sshProgram(programIn(path, 'ssh'), join(folder, 'config')), 0o700)
    return await work({ GIT_SSH: join(folder, 'ssh'), GIT_SSH_VARIANT: 'ssh' })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** One name for the server, so that nothing of its address has to be written in this file's own syntax. */
const ALIAS = 'slipway-git'

function knownHost(line: string): string {
  const [, type, blob] = /^((?:ssh|ecdsa|sk)-[a-z0-9@.-]+) +([A-Za-z0-9+/]+={0,2})(?: .*)?$/.exec(line.trim()) ?? []
  if (!type || !blob) throw invalid('A host key is a line such as "ssh-ed25519 AAAA…".')
  return `${ALIAS} ${type} ${blob}\n`
}

function sshConfig(folder: string, address: string | null): string {
  const settings = {
    // Only there: the name is not looked up again.
    ...(address !== null && { HostName: address }),
    ProxyCommand: 'none',
    ProxyJump: 'none',
    HostKeyAlias: ALIAS,
    StrictHostKeyChecking: 'yes',
    UserKnownHostsFile: `"${join(folder, 'known_hosts')}"`,
    GlobalKnownHostsFile: '/dev/null',
    UpdateHostKeys: 'no',
    CheckHostIP: 'no',
    IdentityFile: `"${join(folder, 'key')}"`,
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    PreferredAuthentications: 'publickey',
    BatchMode: 'yes',
    ControlMaster: 'no',
    ControlPath: 'none',
    ForwardAgent: 'no',
    ConnectTimeout: 15,
    ServerAliveInterval: 10,
    ServerAliveCountMax: 3,
    LogLevel: 'ERROR',
  }
  return Object.entries(settings)
    .map(([name, value]) => `${name} ${value}\n`)
    .join('')
}

/** git starts one program by name, without a shell; this one only adds where ssh's configuration is. */
function sshProgram(ssh: string, config: string): string {
  const argv = JSON.stringify([ssh, '-F', config])
  return `#!${process.execPath}\nprocess.execve(${JSON.stringify(ssh)}, [...${argv}, ...process.argv.slice(2)])\n`
}

function programIn(path: string, name: string): string {
  for (const folder of path.split(':').filter((part) => part.startsWith('/'))) {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return join(folder, name)
    } catch {
      // The next folder may have it.
    }
  }
  throw new Error(`the program ${name} is not installed`)
}

/** What a process that was killed left behind: keys do not stay on the disk for long. */
async function sweep(): Promise<void> {
  for (const name of (await readdir(tmpdir())).filter((entry) => entry.startsWith(PREFIX))) {
    const path = join(tmpdir(), name)
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    if (age > LEFT_OVER_MS) await rm(path, { recursive: true, force: true })
  }
}

import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../test-kit/until.ts'
import { daemonCalled } from '../group.ts'
import { bindText, type Machine, runInside, startInside, startMachine } from '../machine.ts'
import { lastLines, run } from '../run.ts'
import { readLab, record, type SftpPart } from '../state.ts'
import { tool, toolEnv } from '../tools.ts'
import { greets } from './hosts.ts'

const MACHINE = 3
const PASSWORD = 'lab-Password_1'
const PASSPHRASE = 'lab passphrase'
const users = { keeper: 65_101, reader: 65_102, full: 65_103 }
type User = keyof typeof users

/**
 * An OpenSSH server for file transfer on a machine of its own, with three kinds of host key. `keeper` may do everything in
 * its home, `reader` only read, and the home of `full` holds two megabytes.
 */
export async function upSftp(): Promise<string> {
  const running = readLab().sftp
  if (running && sftpRuns()) return describe(running)
  const machine = await startMachine('sftp', MACHINE)
  const hostKeys = await Promise.all(['ed25519', 'ecdsa', 'rsa'].map((type) => makeKey(machine, `host_${type}`, type)))
  const keyFile = await makeKey(machine, 'key', 'ed25519')
  const lockedKeyFile = await makeKey(machine, 'locked_key', 'ed25519', PASSPHRASE)
  const allowed = [keyFile, lockedKeyFile].map((file) => readFileSync(`${file}.pub`, 'utf8')).join('')
  writeFileSync(join(machine.dir, 'authorized_keys'), allowed, { mode: 0o644 })
  await accounts(machine)
  await homes(machine)
  await startSshd(machine, hostKeys)
  const part: SftpPart = {
    address: machine.address,
    port: 22,
    user: 'keeper',
    readOnlyUser: 'reader',
    fullUser: 'full',
    password: PASSWORD,
    keyFile,
    lockedKeyFile,
    passphrase: PASSPHRASE,
    hostKeyFiles: hostKeys.map((file) => `${file}.pub`),
    home: homeOf(machine, 'keeper'),
    log: logOf(machine),
  }
  record({ sftp: part })
  return describe(part)
}

export function sftpRuns(): boolean {
  return daemonCalled('sftp', 'sshd') !== undefined
}

const describe = ({ user, address }: SftpPart) => `sftp ${user}@${address}`
const homeOf = ({ dir }: Machine, user: User) => join(dir, 'home', user)
const logOf = ({ dir }: Machine) => join(dir, 'sshd.log')

async function makeKey({ dir }: Machine, name: string, type: string, passphrase = ''): Promise<string> {
  const file = join(dir, name)
  const bits = type === 'rsa' ? ['-b', '2048'] : []
  const argv = ['-q', '-t', type, ...bits, '-N', passphrase, '-C', `slipway-lab-${name}`, '-f', file]
  await run([tool('ssh-keygen'), ...argv], { env: toolEnv() })
  return file
}

async function accounts(machine: Machine): Promise<void> {
  const hash = (await run([tool('openssl'), 'passwd', '-6', PASSWORD])).trim()
  const own = Object.entries(users).map(([user, id]) => {
    const home = homeOf(machine, user as User)
    return { passwd: `${user}:x:${id}:${id}::${home}:/bin/sh\n`, shadow: `${user}:${hash}:19000:0:99999:7:::\n` }
  })
  const others = readFileSync('/etc/passwd', 'utf8').replace(/\n*$/, '\n')
  const sshd = /^sshd:/m.test(others) ? '' : 'sshd:x:64999:65534::/run/sshd:/usr/sbin/nologin\n'
  await bindText(machine, '/etc/passwd', others + sshd + own.map(({ passwd }) => passwd).join(''))
  await bindText(machine, '/etc/shadow', own.map(({ shadow }) => shadow).join(''))
}

async function homes(machine: Machine): Promise<void> {
  for (const [user, id] of Object.entries(users)) {
    const home = homeOf(machine, user as User)
    mkdirSync(home, { recursive: true })
    if (user === 'full') {
      const size = `size=2m,uid=${id},gid=${id},mode=0755`
      await runInside('sftp', 'mount', '--no-mtab', '-t', 'tmpfs', '-o', size, 'tmpfs', home)
    } else if (user === 'keeper') chownSync(home, id, id)
    else {
      writeFileSync(join(home, 'there.txt'), 'read only\n')
      chmodSync(home, 0o755) // root's, as nothing here belongs to the user
    }
  }
}

async function startSshd(machine: Machine, hostKeys: string[]): Promise<void> {
  const { dir, address, name } = machine
  const settings = [
    ['ListenAddress', `${address}:22`],
    ...hostKeys.map((file) => ['HostKey', file]),
    ['PidFile', 'none'],
    ['AuthorizedKeysFile', join(dir, 'authorized_keys')],
    ['PasswordAuthentication', 'yes'],
    ['KbdInteractiveAuthentication', 'no'],
    ['StrictModes', 'no'], // the checkout's folders may be writable by a group
    ['MaxStartups', '100:30:200'],
    ['Subsystem', 'sftp internal-sftp'],
  ]
  writeFileSync(join(dir, 'sshd_config'), settings.map(([key, value]) => `${key} ${value}\n`).join(''))
  await runInside(name, 'mkdir', '-p', '/run/sshd')
  const log = logOf(machine)
  startInside(name, [tool('sshd'), '-D', '-e', '-f', join(dir, 'sshd_config')], { log })
  await until('sftp: waiting for sshd to answer', 15_000, () => greets(address)).catch((error: Error) => {
    throw new Error(`${error.message}\n${lastLines(readFileSync(log, 'utf8'), 12)}\n  Its log is ${log}.`)
  })
}

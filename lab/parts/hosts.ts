import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { until } from '../../test-kit/until.ts'
import { dockerRuns, restartDocker } from '../docker.ts'
import { daemonCalled } from '../group.ts'
import { bindText, type Machine, runInside, startInside, startMachine } from '../machine.ts'
import { partDir, stateDir } from '../paths.ts'
import { lastLines, run } from '../run.ts'
import { type HostPart, readLab, record } from '../state.ts'
import { tool, toolEnv } from '../tools.ts'
import { bringImages, furnishEngine } from './engine.ts'

export type HostName = 'host1' | 'host2'
export const hostNames: HostName[] = ['host1', 'host2']

/** Two more servers that are reached only over SSH, each with an engine and a Swarm of its own. */
export async function upHosts(): Promise<string> {
  const hosts = await Promise.all(hostNames.map(upHost))
  return hosts.map((host) => `ssh ${host.user}@${host.address}`).join(', ')
}

export async function restartHost(name: HostName): Promise<string> {
  const part = readLab()[name]
  if (!part) throw new Error(`${name} was not started: run bin/lab up hosts`)
  await restartDocker(name, partDir(name))
  return part.dockerHost
}

export function hostRuns(name: HostName): boolean {
  return dockerRuns(name) && daemonCalled(name, 'sshd') !== undefined
}

async function upHost(name: HostName): Promise<HostPart> {
  const running = readLab()[name]
  if (running && hostRuns(name)) {
    await bringImages(running.socket)
    return running
  }
  const machine = await startMachine(name, hostNames.indexOf(name) + 1)
  const [keyFile, engine] = await Promise.all([startSshd(machine), furnishEngine(machine)])
  const part: HostPart = {
    ...engine,
    port: 22,
    user: 'root',
    keyFile,
    hostKeyFile: join(machine.dir, 'ssh', 'host_key.pub'),
    remoteSocket: '/var/run/docker.sock',
  }
  record({ [name]: part })
  return part
}

/** Starts the machine's sshd and answers with the private key that opens it. */
async function startSshd(machine: Machine): Promise<string> {
  const { name, address } = machine
  const dir = join(machine.dir, 'ssh')
  const log = join(machine.dir, 'sshd.log')
  const key = join(stateDir, 'ssh', `${name}_key`)
  for (const folder of [dir, join(stateDir, 'ssh')]) mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const file of [join(dir, 'host_key'), key]) if (!existsSync(file)) await makeKey(file, name)
  copyFileSync(`${key}.pub`, join(dir, 'authorized_keys'))
  chmodSync(join(dir, 'authorized_keys'), 0o600)
  await accounts(machine)
  writeFileSync(join(dir, 'sshd_config'), sshdConfig(dir, address))
  await runInside(name, 'mkdir', '-p', '/run/sshd')
  startInside(name, [tool('sshd'), '-D', '-e', '-f', join(dir, 'sshd_config')], { log })
  await until(`${name}: waiting for sshd to answer`, 15_000, () => greets(address)).catch((error: Error) => {
    throw new Error(`${error.message}\n${lastLines(readFileSync(log, 'utf8'), 12)}\n  Its log is ${log}.`)
  })
  return key
}

function sshdConfig(dir: string, address: string): string {
  const settings = {
    ListenAddress: `${address}:22`,
    HostKey: join(dir, 'host_key'),
    PidFile: 'none',
    AuthorizedKeysFile: join(dir, 'authorized_keys'),
    PasswordAuthentication: 'no',
    KbdInteractiveAuthentication: 'no',
    PermitRootLogin: 'prohibit-password',
    StrictModes: 'no', // the checkout's folders may be writable by a group
    AllowStreamLocalForwarding: 'yes',
    AllowTcpForwarding: 'yes',
    ClientAliveInterval: 5,
    MaxStartups: '100:30:200',
    Subsystem: 'sftp internal-sftp',
    SetEnv: `PATH=${toolEnv().PATH}`,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`)
  return lines.join('')
}

/** sshd insists on a user of its own, and that root is not locked: give the machine accounts, not the host. */
async function accounts(machine: Machine): Promise<void> {
  const users = readFileSync('/etc/passwd', 'utf8')
  const needed = /^sshd:/m.test(users) ? '' : 'sshd:x:64999:65534::/run/sshd:/usr/sbin/nologin\n'
  await bindText(machine, '/etc/passwd', users.replace(/\n*$/, '\n') + needed)
  await bindText(machine, '/etc/shadow', 'root:*:19000:0:99999:7:::\n')
}

async function makeKey(file: string, name: string): Promise<void> {
  await run([tool('ssh-keygen'), '-q', '-t', 'ed25519', '-N', '', '-C', `slipway-lab-${name}`, '-f', file], {
    env: toolEnv(),
  })
}

/** Whether an SSH server answers there. */
export function greets(host: string): Promise<true | undefined> {
  return new Promise((settle) => {
    const socket = connect({ host, port: 22 })
    const answer = (result?: true) => {
      socket.destroy()
      settle(result)
    }
    socket.setTimeout(1000, () => answer())
    socket.once('error', () => answer())
    socket.once('data', (data) => answer(data.toString().startsWith('SSH-') ? true : undefined))
  })
}

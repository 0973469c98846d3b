import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../test-kit/until.ts'
import { type Child, freePorts, startChild } from '../ca/child.ts'
import { makeCertificate } from '../githost/certificate.ts'
import { packageRoot } from '../package-sets.ts'
import { needPackages } from '../parts/packages.ts'
import { lastLines, run } from '../run.ts'
import { toolEnv } from '../tools.ts'
import { type ArrivedMail, addressOf, mailsIn } from './arrived.ts'
import { eximSettings, type Served } from './settings.ts'

export interface TestMailServer {
  /** `smtp://user:password@127.0.0.1:port`: TLS begins by STARTTLS. */
  url: string
  /** `smtps://…`: TLS from the first byte. */
  tlsUrl: string
  password: string
  /** Whom to trust when talking to it. */
  caFile: string
  /** What has arrived for an address, oldest first. */
  mails(to: string): Promise<ArrivedMail[]>
  /** Every address that anything has arrived for. */
  addresses(): string[]
  log(): string
  stop(): Promise<void>
}

/** The user that Debian's program insists on; it exists in the server's own view of this machine and nowhere else. */
const USER = { name: 'Debian-exim', id: 65_104 }
const ATTEMPTS = 3

/**
 * A mail server (Exim) of the caller's own, on loopback, that keeps what it takes. It ends with the process that asked for it.
 * `nobody@…` is refused, `later@…` is put off, any other address has a mailbox.
 */
export async function startMailServer(): Promise<TestMailServer> {
  await needPackages('mail')
  for (let attempt = 1; ; attempt += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-mail-'))
    const forget = () => rmSync(folder, { recursive: true, force: true })
    process.once('exit', forget)
    const leave = () => {
      process.removeListener('exit', forget)
      forget()
    }
    try {
      return await startIn(folder, leave)
    } catch (error) {
      leave()
      // A port that was free a moment ago may be taken by now.
      if (attempt === ATTEMPTS || !/already in use/.test(String(error))) throw error
    }
  }
}

async function startIn(folder: string, leave: () => void): Promise<TestMailServer> {
  const [port = 0, tlsPort = 0] = await freePorts(2)
  const served: Served = { folder, port, tlsPort, user: 'slipway', password: randomBytes(12).toString('hex') }
  const { caFile } = await makeCertificate(folder, ['localhost'])
  furnish(served)
  const children = await startExim(folder)
  const log = () => `${children.map((child) => child.printed()).join('')}${logOf(folder)}`
  const stop = async () => {
    await Promise.all(children.map((child) => child.stop()))
    leave()
  }
  try {
    for (const one of [port, tlsPort])
      await until('the mail server: waiting for it to answer', 20_000, () => answers(one, children, log))
  } catch (error) {
    await Promise.all(children.map((child) => child.stop()))
    throw error
  }
  const mailbox = join(folder, 'mail')
  const login = `${served.user}:${served.password}@127.0.0.1`
  return {
    url: `smtp://${login}:${port}`,
    tlsUrl: `smtps://${login}:${tlsPort}`,
    password: served.password,
    caFile,
    mails: async (to) => mailsIn(mailbox).filter((mail) => addressOf(mail) === to),
    addresses: () => [...new Set(mailsIn(mailbox).map(addressOf))],
    log,
    stop,
  }
}

/** Its program without the setuid bit, what that needs, and folders of its own: the cache may be closed to its user. */
function furnish(served: Served): void {
  const { folder } = served
  const root = packageRoot('mail')
  const program = join(root, 'usr/sbin/exim4')
  // It comes setuid root, and is not left in the cache as that either.
  chmodSync(program, 0o755)
  copyFileSync(program, join(folder, 'exim4'))
  for (const dir of globSync('usr/lib/*-linux-gnu', { cwd: root }))
    cpSync(join(root, dir), join(folder, 'lib'), { recursive: true, verbatimSymlinks: true })
  for (const dir of ['spool', 'log', 'mail']) mkdirSync(join(folder, dir))
  writeFileSync(join(folder, 'settings'), eximSettings(served), { mode: 0o644 })
  for (const file of ['.', 'spool', 'log', 'mail', 'leaf.key']) chownSync(join(folder, file), USER.id, USER.id)
  const lines = (file: string) => readFileSync(file, 'utf8').replace(/\n*$/, '\n')
  writeFileSync(join(folder, 'passwd'), `${lines('/etc/passwd')}${USER.name}:x:${USER.id}:${USER.id}::/:/bin/false\n`)
  writeFileSync(join(folder, 'group'), `${lines('/etc/group')}${USER.name}:x:${USER.id}:\n`)
}

/** In mounts of its own, which a first process holds open: there the user exists. */
async function startExim(folder: string): Promise<Child[]> {
  const holder = startChild(['unshare', '--mount', '--propagation=private', '--', 'sleep', 'infinity'], {})
  const entering = ['nsenter', `--target=${holder.process.pid}`, '--mount', '--'] as const
  try {
    await until('the mail server: waiting for mounts of its own', 10_000, () => sleeps(holder))
    for (const name of ['passwd', 'group'])
      await run([...entering, 'mount', '--no-mtab', '--bind', join(folder, name), `/etc/${name}`])
  } catch (error) {
    await holder.stop()
    throw error
  }
  // Whoever becomes another user is forgotten as a child that goes with its parent: so it is said once more, here.
  const who = [`--reuid=${USER.id}`, `--regid=${USER.id}`, '--clear-groups', '--pdeathsig=KILL']
  const exim = [join(folder, 'exim4'), '-bdf', '-C', join(folder, 'settings')]
  const env = toolEnv({ LD_LIBRARY_PATH: join(folder, 'lib') })
  return [startChild([...entering, 'setpriv', ...who, '--', ...exim], env), holder]
}

const sleeps = ({ process: { pid } }: Child) =>
  readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'sleep' ? true : undefined

async function answers(port: number, [exim]: Child[], log: () => string): Promise<true | undefined> {
  if (exim && exim.process.exitCode !== null) throw new Error(`the mail server did not start:\n${lastLines(log(), 8)}`)
  return new Promise((settle) => {
    const socket = connect(port, '127.0.0.1', () => settle(true)).on('error', () => settle(undefined))
    socket.once('connect', () => socket.destroy())
  })
}

const logOf = (folder: string) =>
  ['main', 'panic', 'reject']
    .map((name) => join(folder, 'log', name))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('')

import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../test-kit/until.ts'
import { daemonCalled, endGroup, startIn } from '../group.ts'
import { needNetwork } from '../network.ts'
import { packageRoot } from '../package-sets.ts'
import { partDir } from '../paths.ts'
import { lastLines, run } from '../run.ts'
import { readLab, record, type S3Part } from '../state.ts'
import { tool, toolEnv } from '../tools.ts'
import { needPackages } from './packages.ts'

const dir = partDir('s3')
const conf = join(dir, 'ceph.conf')
const keyring = join(dir, 'keyring')
const root = packageRoot('s3')
const libraries = join(root, 'usr/lib/x86_64-linux-gnu')
const GIB = 1024 ** 3

/** Who may use it: each bucket of `small` may hold one megabyte; the buckets are made by whoever wants some. */
const users = { main: 'lab-main', other: 'lab-other', small: 'lab-small' }
const QUOTA = 1024 * 1024

/** A real RADOS Gateway at the lab's gateway: one monitor, one object store in memory, S3 with and without TLS. */
export async function upS3(): Promise<string> {
  await needPackages('engine', 's3')
  const running = readLab().s3
  if (running && s3Runs()) return running.endpoint
  await endGroup('s3')
  rmSync(dir, { recursive: true, force: true })
  const { gateway } = await needNetwork()
  for (const folder of ['mon', 'osd', 'run', 'rgw']) mkdirSync(join(dir, folder), { recursive: true })
  const roots = await certificate(gateway)
  await startStore(gateway)
  const endpoint = `http://${gateway}:7480`
  daemon('radosgw', '-n', 'client.rgw', '--rgw-zone=default')
  await waitFor('radosgw: waiting for it to answer', 60_000, 'radosgw', () => answers(endpoint))
  // The first one makes the pools that the others write to.
  await admin('user', 'create', ...keysOf('main'))
  await Promise.all([admin('user', 'create', ...keysOf('other')), makeSmall()])
  const part: S3Part = {
    endpoint,
    tlsEndpoint: `https://${gateway}:7443`,
    roots,
    region: 'default',
    main: login('main'),
    other: login('other'),
    small: { ...login('small'), quotaBytes: QUOTA },
    log: join(dir, 'radosgw.log'),
  }
  record({ s3: part })
  return endpoint
}

export function s3Runs(): boolean {
  return ['ceph-mon', 'ceph-osd', 'radosgw'].every((name) => daemonCalled('s3', name) !== undefined)
}

async function startStore(address: string): Promise<void> {
  const fsid = randomUUID()
  const monitors = `[v2:${address}:3300,v1:${address}:6789]`
  writeFileSync(conf, settings(fsid, monitors, address))
  const map = join(dir, 'monmap')
  await makeKeys()
  await ceph('monmaptool', '--create', '--clobber', '--addv', 'a', monitors, '--fsid', fsid, map)
  await ceph('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring, '-c', conf)
  daemon('ceph-mon', '-i', 'a')
  const store = randomUUID()
  await waitFor('ceph-mon: waiting for it to answer', 30_000, 'ceph-mon', () =>
    ask('osd', 'new', store, '0').then(
      () => true as const,
      () => undefined,
    ),
  )
  await ceph('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', store, '-c', conf)
  daemon('ceph-osd', '-i', '0')
  await waitFor('ceph-osd: waiting until it is up', 30_000, 'ceph-osd', async () =>
    (await ask('osd', 'stat')).includes('1 up') ? true : undefined,
  )
}

async function makeKeys(): Promise<void> {
  const all = ['--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *']
  await ceph('ceph-authtool', '--create-keyring', keyring, '--gen-key', '-n', 'mon.', ...all)
  for (const name of ['client.admin', 'client.rgw', 'osd.0'])
    await ceph('ceph-authtool', keyring, '--gen-key', '-n', name, ...all)
}

function settings(fsid: string, monitors: string, address: string): string {
  const tls = `ssl_endpoint=${address}:7443 ssl_certificate=${join(dir, 'tls.pem')} ssl_private_key=${join(dir, 'tls.key')}`
  const global = {
    fsid,
    'mon host': monitors,
    'public addr': address,
    'cluster addr': address,
    keyring,
    'run dir': join(dir, 'run'),
    'admin socket': `${join(dir, 'run')}/$name.asok`,
    'pid file': `${join(dir, 'run')}/$name.pid`,
    'log file': `${dir}/$name.ceph.log`,
    'plugin dir': join(libraries, 'ceph'),
    'erasure code dir': join(libraries, 'ceph/erasure-code'),
    'osd class dir': join(libraries, 'rados-classes'),
    'osd pool default size': 1,
    'osd pool default min size': 1,
    'osd pool default pg num': 4,
    'osd pool default pgp num': 4,
    'osd pool default pg autoscale mode': 'off',
    'mon allow pool size one': true,
    'mon max pg per osd': 1000,
    'osd crush chooseleaf type': 0,
    'osd objectstore': 'memstore',
    // Room for two archives of four gigabytes; taken only as far as something is stored.
    'memstore device bytes': 14 * GIB,
    'mon data avail crit': 1,
    'mon data avail warn': 2,
  }
  const gateway = {
    'rgw data': join(dir, 'rgw'),
    keyring, // it would look into its own folder
    'rgw frontends': `beast endpoint=${address}:7480 ${tls}`,
    'rgw thread pool size': 64,
    'rgw enable usage log': false,
    'rgw enable lc threads': false,
    // What was deleted or never finished gives its memory back within seconds, not hours.
    'rgw gc obj min wait': 1,
    'rgw gc processor period': 2,
    'rgw gc processor max time': 2,
    'rgw bucket quota ttl': 1,
  }
  const lines = (values: object) => Object.entries(values).map(([key, value]) => `${key} = ${value}\n`)
  const sections = { global, 'mon.a': { 'mon data': join(dir, 'mon') }, 'osd.0': { 'osd data': join(dir, 'osd') } }
  return Object.entries({ ...sections, 'client.rgw': gateway })
    .map(([name, values]) => `[${name}]\n${lines(values).join('')}`)
    .join('\n')
}

function keysOf(user: keyof typeof users): string[] {
  const { accessKeyId, secretAccessKey } = login(user)
  const keys = [`--access-key=${accessKeyId}`, `--secret-key=${secretAccessKey}`]
  return [`--uid=${users[user]}`, `--display-name=${users[user]}`, ...keys]
}

function login(user: keyof typeof users) {
  return { accessKeyId: `LABKEY${user.toUpperCase()}`, secretAccessKey: `lab-secret-${user}-0123456789` }
}

async function makeSmall(): Promise<void> {
  await admin('user', 'create', ...keysOf('small'))
  // Of each bucket: what a user has in all is counted only every few minutes.
  const scope = ['--quota-scope=bucket', `--uid=${users.small}`]
  await admin('quota', 'set', ...scope, `--max-size=${QUOTA}`)
  await admin('quota', 'enable', ...scope)
}

async function certificate(address: string): Promise<string> {
  const [cert, key] = [join(dir, 'tls.pem'), join(dir, 'tls.key')]
  const name = ['-subj', '/CN=lab S3', '-addext', `subjectAltName=DNS:localhost,IP:${address}`, '-days', '2']
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  await run([tool('openssl'), ...made, ...name, '-keyout', key, '-out', cert])
  return readFileSync(cert, 'utf8')
}

/** The programs look for their parts at fixed places, unless they are told where they lie. */
function environment(): NodeJS.ProcessEnv {
  const env = toolEnv({ PYTHONPATH: join(root, 'usr/lib/python3/dist-packages') })
  const own = [join(libraries, 'ceph'), libraries, join(root, 'lib/x86_64-linux-gnu')]
  return { ...env, LD_LIBRARY_PATH: [...own, env.LD_LIBRARY_PATH].filter(Boolean).join(':'), CEPH_CONF: conf }
}

function program(name: string): string {
  const fetched = join(root, 'usr/bin', name)
  return existsSync(fetched) ? fetched : tool(name)
}

function daemon(name: string, ...args: string[]): void {
  startIn('s3', [program(name), '-f', '-c', conf, ...args], { log: join(dir, `${name}.log`), env: environment() })
}

const ceph = (name: string, ...args: string[]) => run([program(name), ...args], { env: environment() })
const ask = (...args: string[]) =>
  run([program('python3'), program('ceph'), '-c', conf, '--connect-timeout', '5', ...args], { env: environment() })
const admin = (...args: string[]) => ceph('radosgw-admin', '-c', conf, '-n', 'client.rgw', ...args)

async function waitFor(what: string, ms: number, name: string, check: () => Promise<true | undefined>) {
  await until(what, ms, check).catch((error: Error) => {
    const log = join(dir, `${name}.log`)
    throw new Error(`${error.message}\n${lastLines(readFileSync(log, 'utf8'), 12)}\n  Its log is ${log}.`)
  })
}

const answers = (endpoint: string) =>
  fetch(endpoint, { signal: AbortSignal.timeout(2000) }).then(
    () => true as const,
    () => undefined,
  )

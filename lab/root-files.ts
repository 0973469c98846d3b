import { chmodSync, chownSync, copyFileSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { run } from './run.ts'
import { tool } from './tools.ts'

/** Where the machine keeps the authorities it trusts; images keep them at the same place. */
export const caRoots = '/etc/ssl/certs/ca-certificates.crt'

const passwd = [
  'root:x:0:0:root:/root:/bin/sh',
  'node:x:1000:1000::/home/node:/bin/sh',
  'nobody:x:65534:65534::/:/bin/false',
]
const group = ['root:x:0:', 'node:x:1000:', 'nogroup:x:65534:']

/** A small system: busybox for every command, name lookup, time zones aside, and the machine's authorities. */
export async function baseFiles(root: string): Promise<void> {
  const dirs = [
    'bin',
    'dev',
    'etc/ssl/certs',
    'home/node',
    'lib64',
    'proc',
    'root',
    'run',
    'sys',
    'tmp',
    'usr/bin',
    'usr/local/bin',
    'usr/sbin',
    'var/tmp',
  ]
  for (const dir of dirs) mkdirSync(join(root, dir), { recursive: true })
  for (const dir of ['tmp', 'var/tmp']) chmodSync(join(root, dir), 0o1777)
  copyFileSync(tool('busybox'), join(root, 'bin/busybox'))
  const applets = (await run([tool('busybox'), '--list'])).trim().split('\n')
  for (const applet of applets.filter((name) => name !== 'busybox')) symlinkSync('busybox', join(root, 'bin', applet))
  symlinkSync('../../bin/env', join(root, 'usr/bin/env'))
  put(root, 'etc/passwd', passwd)
  put(root, 'etc/group', group)
  put(root, 'etc/nsswitch.conf', ['passwd: files', 'group: files', 'hosts: files dns'])
  put(root, 'etc/os-release', ['ID=slipway-lab', 'PRETTY_NAME="Slipway lab base image"'])
  chownSync(join(root, 'home/node'), 1000, 1000)
  copyFileSync(caRoots, join(root, caRoots))
  await copyLibraries(root, '/bin/ls')
}

export async function nodeFiles(root: string, node: string, npm: string): Promise<void> {
  const bin = join(root, 'usr/local/bin')
  const modules = join(root, 'usr/local/lib/node_modules')
  for (const dir of [bin, modules]) mkdirSync(dir, { recursive: true })
  copyFileSync(node, join(bin, 'node'))
  symlinkSync('node', join(bin, 'nodejs'))
  cpSync(npm, join(modules, 'npm'), { recursive: true, verbatimSymlinks: true })
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(bin, name))
  await copyLibraries(root, node, ['librt.so.1', 'libutil.so.1'])
}

/** Laid out like the official image, so that Dockerfiles written for it work. */
export async function caddyFiles(root: string, caddy: string): Promise<void> {
  for (const dir of ['config/caddy', 'data/caddy', 'srv', 'usr/bin', 'etc/caddy', 'usr/share/caddy'])
    mkdirSync(join(root, dir), { recursive: true })
  copyFileSync(caddy, join(root, 'usr/bin/caddy'))
  chmodSync(join(root, 'usr/bin/caddy'), 0o755)
  put(root, 'etc/caddy/Caddyfile', [':80 {', '\troot * /usr/share/caddy', '\tfile_server', '}'])
  put(root, 'usr/share/caddy/index.html', ['Caddy works.'])
  await copyLibraries(root, caddy)
}

/** `others` come with glibc as well; native modules from npm still ask for them by their old names. */
async function copyLibraries(root: string, program: string, others: string[] = []): Promise<void> {
  const linked = (await run(['ldd', program]).catch(() => '')).match(/\/[^ ]+/g) ?? [] // a static program has none
  const libraries = linked.filter((file) => file.startsWith('/lib'))
  const folder = dirname(libraries.find((file) => basename(file).startsWith('libc.so')) ?? '/lib')
  // Loaded by name at run time, for looking up hosts.
  const lookup = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2', ...others].map((file) => join(folder, file))
  for (const library of [...libraries, ...lookup].filter((file) => existsSync(file))) {
    mkdirSync(join(root, dirname(library)), { recursive: true })
    copyFileSync(library, join(root, library))
  }
}

function put(root: string, file: string, lines: string[]): void {
  writeFileSync(join(root, file), `${lines.join('\n')}\n`)
}

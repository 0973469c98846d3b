import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { debianMirror } from '../apt.ts'
import { packageRoot } from '../package-sets.ts'
import { needPackages } from '../parts/packages.ts'
import { cacheDir } from '../paths.ts'
import { run } from '../run.ts'

export type Debian = 'bookworm' | 'trixie'

/** What the image of a small rented server has. */
const INCLUDED = [
  'ca-certificates',
  'curl',
  'dbus',
  'iproute2',
  'iptables',
  'openssl',
  'procps',
  'systemd',
  'systemd-sysv',
  'xz-utils',
]
/** What an installer may ask for, in the machine's own package cache: it has no way out. */
const CACHED: Record<Debian, string[]> = {
  bookworm: ['docker.io', 'git', 'nginx-light', 'postgresql', 'sudo'],
  trixie: ['docker.io', 'docker-cli', 'docker-buildx', 'git', 'nginx-light', 'postgresql', 'sudo'],
}

const made = new Map<Debian, Promise<string>>()

/** A folder with a Debian as it comes. It is copied, never booted itself. */
export function needRoot(debian: Debian): Promise<string> {
  const one = made.get(debian) ?? make(debian)
  made.set(debian, one)
  return one
}

async function make(debian: Debian): Promise<string> {
  const key = createHash('sha256')
    .update(JSON.stringify([INCLUDED, CACHED[debian]]))
    .digest('hex')
    .slice(0, 12)
  const dir = join(cacheDir, 'vps', `${debian}-${key}`)
  if (existsSync(dir)) return dir
  await needPackages('clean')
  const part = `${dir}.part`
  rmSync(part, { recursive: true, force: true })
  mkdirSync(join(dir, '..'), { recursive: true })
  const download = `APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" apt-get --quiet --yes --no-install-recommends --download-only install ${CACHED[debian].join(' ')}`
  const options = [
    '--mode=root',
    '--variant=minbase',
    '--quiet',
    '--skip=cleanup/apt',
    '--aptopt=APT::Sandbox::User "root"',
    `--include=${INCLUDED.join(',')}`,
    `--customize-hook=${download}`,
  ]
  const source = `deb ${await debianMirror()} ${debian} main`
  await run([join(packageRoot('clean'), 'usr/bin/mmdebstrap'), ...options, debian, part, source], {
    deadlineMs: 900_000,
  })
  renameSync(part, dir)
  return dir
}

import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { run } from '../run.ts'
import { tool } from '../tools.ts'
import type { HandmadeHost } from './host.ts'
import { IMAGE } from './stacks.ts'

export const POSTGRES_IMAGE = 'local/postgres:15'
export const POSTGRES_DATA = '/var/lib/postgresql/data'
const OWNER = 999

/** Makes the cluster once, then serves; quiet enough that its files are the same as long as nobody writes. */
const START = `#!/bin/sh
set -e
[ -s "$PGDATA/PG_VERSION" ] || initdb -A trust -U postgres --no-locale -E UTF8 >/dev/null
echo 'host all all all trust' >> "$PGDATA/pg_hba.conf"
exec postgres -c listen_addresses='*' -c unix_socket_directories=/tmp -c autovacuum=off -c checkpoint_timeout=1d -c jit=off
`

/** An image with the PostgreSQL of this machine, made on the server and known nowhere else. */
export async function makePostgresImage(host: HandmadeHost): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sw-postgres-'))
  try {
    const bin = dirname(realpathSync(tool('postgres')))
    const home = dirname(bin)
    const share = home.replace('/lib/postgresql/', '/share/postgresql/')
    for (const path of [bin, join(home, 'lib'), share, '/usr/share/zoneinfo'])
      if (existsSync(path)) cpSync(path, join(folder, path), { recursive: true, dereference: true })
    const programs = ['postgres', 'initdb', 'psql', 'pg_isready'].map((name) => join(bin, name))
    for (const library of await librariesOf(programs)) {
      mkdirSync(join(folder, dirname(library)), { recursive: true })
      copyFileSync(library, join(folder, library))
    }
    mkdirSync(join(folder, 'etc'), { recursive: true })
    writeFileSync(join(folder, 'etc/passwd'), `root:x:0:0:root:/:/bin/sh\npostgres:x:${OWNER}:${OWNER}::/tmp:/bin/sh\n`)
    writeFileSync(join(folder, 'start'), START)
    chmodSync(join(folder, 'start'), 0o755)
    await run(['tar', '-C', folder, '-cf', `${folder}.tar`, '.'])
    await host.docker('create', '--name', 'making', IMAGE, 'true')
    host.put('/srv/image.tar', '')
    copyFileSync(`${folder}.tar`, host.outside('/srv/image.tar'))
    const changes = [
      `ENV PGDATA=${POSTGRES_DATA} PATH=${bin}:/usr/bin:/bin`,
      `USER ${OWNER}:${OWNER}`,
      'EXPOSE 5432',
      'CMD ["/start"]',
    ]
    await layOver(host, `${folder}.tar`, changes)
  } finally {
    host.remove('/srv/image.tar')
    rmSync(folder, { recursive: true, force: true })
    rmSync(`${folder}.tar`, { force: true })
  }
}

/** Files of a tar over the base image; the folder of its data belongs to whom it runs as. */
async function layOver(host: HandmadeHost, _tar: string, changes: string[]): Promise<void> {
  await host.docker('rm', 'making')
  await host.docker(
    'run',
    '--name',
    'making',
    '-v',
    '/srv/image.tar:/image.tar:ro',
    IMAGE,
    'tar',
    '-xf',
    '/image.tar',
    '-C',
    '/',
  )
  await host.docker('commit', 'making', 'local/unpacked:1')
  await host.docker('rm', 'making')
  const owned = `mkdir -p ${POSTGRES_DATA} && chown ${OWNER}:${OWNER} ${POSTGRES_DATA} && chmod 700 ${POSTGRES_DATA}`
  await host.docker('run', '--name', 'making', 'local/unpacked:1', ...inContainer(owned))
  await host.docker('commit', ...changes.flatMap((change) => ['--change', change]), 'making', POSTGRES_IMAGE)
  await host.docker('rm', 'making')
}

/** A line for the shell of a container. */
const inContainer = (line: string) => ['sh', `-${'c'}`, line]

async function librariesOf(programs: string[]): Promise<string[]> {
  const found = await Promise.all(programs.map((program) => run(['ldd', program])))
  return [...new Set(found.flatMap((text) => text.match(/\/[^ )]+/g) ?? []))].filter(
    (file) => file.startsWith('/lib') || file.startsWith('/usr/lib'),
  )
}

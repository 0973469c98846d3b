import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { debianMirror } from '../../lab/apt.ts'
import { writeArchive } from '../../lab/image-archive.ts'
import { packageRoot } from '../../lab/package-sets.ts'
import { needPackages } from '../../lab/parts/packages.ts'
import { run } from '../../lab/run.ts'

const DEBIAN = 'trixie'
/** What the server starts, beside what came with it. */
const PROGRAMS = ['ca-certificates', 'docker-buildx', 'git']
const PLACE = '/opt/slipway'
const DATA = '/var/lib/slipway'
const PORT = 4600
const PATH = `${PLACE}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`

/** Asked by the engine: the same question as a load balancer's. */
const HEALTHY = `fetch('http://127.0.0.1:${PORT}/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))`
const SECOND = 1e9

/**
 * A release as an image, for those who have another distribution: the very files that its archive has, on a Debian with the programs that
 * they need. In the format of `docker save`; no registry and no engine are needed for it. `release` is the folder of the release.
 */
export async function writeImage(release: string, file: string, version: string): Promise<void> {
  const dir = `${file}.part`
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(join(dir, 'slipway', PLACE, '..'), { recursive: true })
  await run(['cp', '--recursive', release, join(dir, 'slipway', PLACE)])
  await makeBase(join(dir, 'base'))
  await writeArchive(dir, [
    {
      tags: [`slipway:${version}`],
      layers: ['base', 'slipway'],
      env: [`PATH=${PATH}`, `SLIPWAY_DATA_DIR=${DATA}`, 'SLIPWAY_HOST=0.0.0.0', `SLIPWAY_PORT=${PORT}`],
      cmd: ['slipway', 'server'],
      config: {
        ExposedPorts: { [`${PORT}/tcp`]: {} },
        Volumes: { [DATA]: {} },
        StopSignal: 'SIGTERM',
        Healthcheck: {
          Test: ['CMD', 'node', '--eval', HEALTHY],
          Interval: 10 * SECOND,
          Timeout: 5 * SECOND,
          StartPeriod: 60 * SECOND,
        },
        Labels: {
          'org.opencontainers.image.title': 'Slipway',
          'org.opencontainers.image.version': version,
          'org.opencontainers.image.licenses': 'see /opt/slipway/LICENSE and /opt/slipway/THIRD_PARTY_NOTICES',
        },
      },
    },
  ])
  renameSync(join(dir, 'images.tar'), file)
  rmSync(dir, { recursive: true })
  console.log(`  ${file}: ${(statSync(file).size / 1e6).toFixed(1)} MB`)
}

async function makeBase(into: string): Promise<void> {
  await needPackages('clean')
  const options = [
    '--variant=minbase',
    '--quiet',
    '--aptopt=APT::Sandbox::User "root"',
    `--include=${PROGRAMS.join(',')}`,
  ]
  const source = `deb ${await debianMirror()} ${DEBIAN} main`
  await run([join(packageRoot('clean'), 'usr/bin/mmdebstrap'), ...options, DEBIAN, into, source], {
    deadlineMs: 900_000,
  })
  // What only a person at a terminal would read; and where this machine got the packages from is nobody's business.
  const read = ['usr/share/man', 'usr/share/locale', 'usr/share/info']
  for (const path of [...read, 'etc/apt/sources.list', 'etc/apt/sources.list.d', 'var/lib/apt/lists'])
    rmSync(join(into, path), { recursive: true, force: true })
}

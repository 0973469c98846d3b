import { ended, run, tried } from '../argv.ts'
import { writeWhole } from '../files.ts'
import { PATHS } from '../paths.ts'
import { waited } from '../waited.ts'

const ENV = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_SUSPEND: '1' }
/** Another program may be installing at the first boot of a machine: it is waited for. */
const APT = [
  'apt-get',
  '--quiet',
  '--yes',
  '-o',
  'DPkg::Lock::Timeout=300',
  '-o',
  'Dpkg::Options::=--force-confold',
] as const
const DEADLINE_MS = 30 * 60_000

export async function installPackages(names: string[], noMainCluster: boolean): Promise<void> {
  if (noMainCluster)
    writeWhole(
      PATHS.noMainCluster,
      '# Slipway has a cluster of its own and wants no other one.\ncreate_main_cluster = false\n',
      0o644,
    )
  // What was cut off in the middle is finished first: nothing can be installed before.
  if ((await tried(['dpkg', '--audit']))?.trim() !== '')
    await run(['dpkg', '--configure', '-a'], { env: ENV, deadlineMs: DEADLINE_MS })
  const argv = [...APT, 'install', '--no-install-recommends', ...names] as const
  const first = await ended(argv, { env: ENV, deadlineMs: DEADLINE_MS })
  if (first.code !== 0) {
    // The lists of a fresh machine may be empty, or older than the mirror.
    await run([...APT, 'update'], { env: ENV, deadlineMs: DEADLINE_MS })
    await run(argv, { env: ENV, deadlineMs: DEADLINE_MS })
  }
  if (names.includes('docker.io'))
    await waited('Docker answers', 60_000, async () => (await tried(['docker', 'version'])) !== null)
}

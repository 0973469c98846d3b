import { bootVps, type Vps } from '../lab/vps/boot.ts'
import { page } from './parts/tls/client.ts'
import { startAuthority } from './parts/vps/authority.ts'
import { bring, install, installing } from './parts/vps/bring.ts'
import { deployed } from './parts/vps/deployed.ts'
import { differences, footprint } from './parts/vps/footprint.ts'
import { platformOn } from './parts/vps/platform.ts'
import { publishedOf, removeReleases } from './parts/vps/release.ts'

export const claim =
  'Removed, the platform leaves what it deployed at work, and installed again it goes on where it was; removed with everything, it leaves the machine as it was before.'
export const kind = 'story'
export const quick = false

const HOST = 'hello.example.test'
const FOLDERS = ['etc', 'opt', 'usr/local', 'var/lib', 'var/log', 'var/tmp', 'srv', 'root']
/** What a machine writes about itself while it runs, whoever is on it. */
const ALIVE = [
  /^\/var\/lib\/(docker|containerd|systemd|private|dpkg|apt)(\/|$)/,
  /^\/var\/tmp\/systemd-private-/,
  /^\/var\/log\/(journal|btmp|wtmp|lastlog|faillog|postgresql)(\/|$)/,
  /^\/etc\/(\.pwd\.lock|passwd-|shadow-|group-|gshadow-|subuid-?|subgid-?|mtab|docker\/key\.json)$/,
  /^\/etc\/(passwd|shadow|group|gshadow)$/,
]

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const published = await publishedOf('0.1.0')
  const authority = await startAuthority()
  const faults: string[] = []
  const vps = await bootVps(8, 'trixie', 2048)
  try {
    bring(vps, published, authority)
    // What others brought stays: it is there before, so that the rest can be compared.
    await withPackages(vps)
    const before = await machine(vps)
    const { token } = await install(vps, authority)
    const deployment = await deployed(vps, authority, token)
    const door = { address: vps.address, port: 443, ca: authority.issuing }
    const good = async (when: string) => {
      const answer = await page(door, HOST).catch((error: Error) => ({ status: 0, text: error.message }))
      if (answer.text !== 'version 1') faults.push(`${when}: the project answers ${answer.status} ${answer.text}`)
    }
    await vps.run(['slipway', 'setup', 'uninstall', '--yes'])
    await good('after the platform was removed')
    if ((await vps.ended(['test', '-e', '/opt/slipway'])).code === 0) faults.push('/opt/slipway is still there')
    await vps.run(installing(vps, authority))
    await good('after it was installed again')
    const { status } = await platformOn(vps, token).show(deployment)
    if (status !== 'ready') faults.push(`after it was installed again, the deployment is ${status}`)
    const wrong = await vps.ended(['slipway', 'setup', 'uninstall', '--everything', '--confirm', 'another-machine'])
    if (wrong.code === 0) faults.push('everything was removed by the name of another machine')
    await vps.run(['slipway', 'setup', 'uninstall', '--everything', '--confirm', 'vps8'])
    const left = differences(before.files, (await machine(vps)).files)
    const things = (await machine(vps)).things.filter((one) => !before.things.includes(one))
    if (left.length > 0) faults.push(`left behind: ${left.slice(0, 20).join(', ')}`)
    if (things.length > 0) faults.push(`left behind on the engine: ${things.join(', ')}`)
    for (const fault of faults) console.log(`  FAULT ${fault}`)
    const figure = `the project answered with the platform removed; installed again, its deployment was ready; with everything removed ${left.length} of ${before.files.size} files differ and ${things.length} things are left on the engine; ${faults.length} faults`
    return { ok: faults.length === 0, figure }
  } finally {
    await vps.remove()
    await authority.stop()
    removeReleases()
  }
}

async function withPackages(vps: Vps): Promise<void> {
  await vps.run(['mkdir', '-p', '/etc/postgresql-common/createcluster.d'])
  await vps.run(['tee', '/etc/postgresql-common/createcluster.d/mine.conf'], { input: 'create_main_cluster = false\n' })
  const packages = ['docker.io', 'docker-cli', 'git', 'postgresql']
  await vps.run(['apt-get', 'install', '--yes', '--no-install-recommends', ...packages], { deadlineMs: 900_000 })
  await vps.run(['docker', 'swarm', 'init', '--advertise-addr', '127.0.0.1'])
  await vps.run(['docker', 'load', '--quiet', '--input', '/srv/offline/images.tar'])
}

/** Files that somebody could meet, and what there is on the engine. */
async function machine(vps: Vps): Promise<{ files: Map<string, string>; things: string[] }> {
  const lists = [
    ['ps', '--all', '--format', 'container {{.Names}}'],
    ['service', 'ls', '--format', 'service {{.Name}}'],
    ['network', 'ls', '--format', 'network {{.Name}}'],
    ['volume', 'ls', '--format', 'volume {{.Name}}'],
    ['config', 'ls', '--format', 'config {{.Name}}'],
    ['secret', 'ls', '--format', 'secret {{.Name}}'],
    ['image', 'ls', '--all', '--format', 'image {{.Repository}}:{{.Tag}}'],
  ]
  const things: string[] = []
  for (const argv of lists) things.push(...(await vps.run(['docker', ...argv])).split('\n').filter(Boolean))
  return { files: footprint(vps.root, FOLDERS, ALIVE), things }
}

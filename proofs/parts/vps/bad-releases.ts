import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Vps } from '../../../lab/vps/boot.ts'
import { otherBuild } from '../../../server/test/boot/other-build.ts'
import { bundle } from '../../../tools/release/bundle.ts'
import type { UpgradeWorld } from './deployed.ts'
import { carry } from './release.ts'

const FOLDER = '/srv/bad'

/** Upgrades that cannot work: the version before is the one that runs, and never stopped. */
export async function badReleases({ vps, platform, faults }: UpgradeWorld): Promise<string> {
  const before = (await platform.ask('GET', '/api/instance')).version
  const refused: string[] = []
  const attempt = async (what: string, version: string, spoil: (folder: string) => Promise<() => Promise<unknown>>) => {
    await carry(vps, FOLDER, version)
    const mend = await spoil(join(vps.root, FOLDER))
    const { code, err } = await vps.ended([`${FOLDER}/bin/slipway`, 'setup', 'upgrade'], { deadlineMs: 600_000 })
    await mend()
    const now = (await platform.ask('GET', '/api/instance')).version
    const { out } = await vps.ended(['systemctl', 'is-active', `slipway@${before}`])
    const running = (await vps.ended(['systemctl', 'is-active', `slipway@${version}`])).out.trim()
    const right = code === 1 && now === before && out.trim() === 'active' && running !== 'active'
    console.log(`  ${right ? 'right' : 'WRONG'}  ${what}: ended with ${code}, ${now} serves`)
    if (right) refused.push(what)
    else faults.push(`${what}: ended with ${code}, ${now} serves, ${version} is ${running}: ${err}`)
    await vps.ended(['rm', '-rf', `/opt/slipway/versions/${version}`])
  }
  const server = (folder: string) => join(folder, 'server')
  const nothing = async () => {}
  await attempt('one that does not start', '0.8.1', async (folder) => {
    rmSync(join(server(folder), 'main.mjs'))
    writeFileSync(join(server(folder), 'main.mjs'), "throw new Error('this release is broken')\n")
    return nothing
  })
  await attempt('one whose migration fails', '0.8.2', async (folder) => {
    const build = otherBuild('0997_fails', 'create table half (id int); select 1/0', '')
    rmSync(server(folder), { recursive: true })
    await bundle(join(build.path, 'server/src/main.ts'), { into: server(folder) })
    build.remove()
    return nothing
  })
  await attempt('no room for the backup', '0.8.3', () => nearlyFull(vps, '/var/lib/slipway-backups', 0))
  await attempt('no room for the files', '0.8.4', () => nearlyFull(vps, '/opt/slipway/versions', 30))
  return `${refused.length} of 4 upgrades that cannot work (${refused.join(', ')}) left the version before at work`
}

/** A disk of its own for a folder, with what is in it and that much room. Answers with what takes it away again. */
async function nearlyFull(vps: Vps, folder: string, roomMb: number): Promise<() => Promise<unknown>> {
  const [used = '0'] = (await vps.run(['du', '--summarize', '--block-size=M', folder])).split('M')
  const size = `size=${Number(used) + roomMb + 1}m`
  await vps.run(['mkdir', '-p', '/mnt/full'])
  await vps.run(['mount', '-t', 'tmpfs', '-o', `mode=755,${size}`, 'tmpfs', '/mnt/full'])
  await vps.run(['cp', '--archive', `${folder}/.`, '/mnt/full'])
  if (roomMb === 0) await vps.ended(['dd', 'if=/dev/zero', 'of=/mnt/full/rest', 'bs=4k'])
  await vps.run(['mount', '--bind', '/mnt/full', folder])
  return async () => {
    await vps.run(['umount', folder])
    await vps.run(['umount', '/mnt/full'])
  }
}

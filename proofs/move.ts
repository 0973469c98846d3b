import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bootVps, type Vps } from '../lab/vps/boot.ts'
import { app, GOOD } from '../test-kit/sample-app.ts'
import { s3Ground } from '../test-kit/storage-places.ts'
import { until } from '../test-kit/until.ts'
import { visit } from '../test-kit/visit.ts'
import { type Authority, startAuthority } from './parts/vps/authority.ts'
import { bring, install } from './parts/vps/bring.ts'
import { type Platform, platformOn } from './parts/vps/platform.ts'
import { publishedOf, removeReleases } from './parts/vps/release.ts'

export const claim =
  'One sealed file brings the platform to another machine: the same token works, history is there, and the projects come back; a wrong passphrase changes nothing, and a damaged file is found before it is needed. Backups of every night go to a bucket, and the platform tells how they and the drills ended.'
export const kind = 'story'
export const quick = false

const BACKUP = '/srv/moved.slipway'
const PASSPHRASE = '/srv/passphrase'
const PROJECTS = ['one', 'two']

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const published = await publishedOf('0.1.0')
  const authority = await startAuthority()
  const faults: string[] = []
  const [old, fresh] = [await bootVps(6, 'trixie', 2048), await bootVps(7, 'trixie', 2048)]
  try {
    for (const vps of [old, fresh]) bring(vps, published, authority)
    const { token, deployments } = await inUse(old, authority)
    const backup = await timed(() => old.run(['slipway', 'setup', 'backup', BACKUP]))
    await drilled(old, faults)
    await told(old, token, faults)
    await install(fresh, authority)
    cpSync(join(old.root, BACKUP), join(fresh.root, BACKUP))
    cpSync(join(old.root, 'etc/slipway/backup-passphrase'), join(fresh.root, PASSPHRASE))
    await wrongPassphrase(fresh, faults)
    const restored = await timed(() =>
      fresh.run(['slipway', 'setup', 'restore', BACKUP, '--passphrase-file', PASSPHRASE, '--yes']),
    )
    const timers = await fresh.ended(['systemctl', 'is-active', 'slipway-backup.timer', 'slipway-drill.timer'])
    if (timers.code !== 0) faults.push(`after the restore the timers are ${timers.out}`)
    const there = platformOn(fresh, token)
    for (const id of deployments) if ((await there.show(id)).id !== id) faults.push(`${id} is not known any more`)
    for (const id of deployments) await toldAsUnknown(there, id, faults)
    const back = await timed(() => broughtBack(fresh, token, faults))
    for (const fault of faults) console.log(`  FAULT ${fault}`)
    const figure = `backup ${backup} s, read back; restored on another machine in ${restored} s with the same token and ${deployments.length} of ${deployments.length} deployments; ${PROJECTS.length} projects brought back by one command answer there ${back} s later; ${faults.length} faults`
    return { ok: faults.length === 0, figure }
  } finally {
    await old.remove()
    await fresh.remove()
    await authority.stop()
    removeReleases()
  }
}

async function timed(act: () => Promise<unknown>): Promise<string> {
  const began = performance.now()
  await act()
  return ((performance.now() - began) / 1000).toFixed(1)
}

async function inUse(vps: Vps, authority: Authority): Promise<{ token: string; deployments: string[] }> {
  const { token } = await install(vps, authority)
  const platform = platformOn(vps, token)
  const deployments: string[] = []
  for (const name of PROJECTS) {
    const id = await platform.deploy(await platform.project(name), app(GOOD))
    if ((await platform.ended(id)).status !== 'ready') throw new Error(`${name} did not come up`)
    deployments.push(id)
  }
  return { token, deployments }
}

/** The rehearsal opens what is whole, and finds what is not. */
async function drilled(vps: Vps, faults: string[]): Promise<void> {
  const good = await vps.ended(['slipway', 'setup', 'drill', BACKUP, '--json'])
  if (good.code !== 0 || !(JSON.parse(good.out).rows > 0)) faults.push(`the drill ended with ${good.code}: ${good.err}`)
  const bytes = readFileSync(join(vps.root, BACKUP))
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
  writeFileSync(join(vps.root, '/srv/damaged.slipway'), bytes)
  const bad = await vps.ended(['slipway', 'setup', 'drill', '/srv/damaged.slipway'])
  if (bad.code === 0 || !/damaged/.test(bad.err))
    faults.push(`the drill of a damaged backup ended with ${bad.code}: ${bad.err}`)
}

/** As the timers start them: to a bucket, and a drill of what is newest. A bucket that is gone is told, and not the last success. */
async function told(vps: Vps, token: string, faults: string[]): Promise<void> {
  const platform = platformOn(vps, token)
  const bucket = await s3Ground()
  const { prefix: pathPrefix, ...place } = bucket.place
  const { id } = await platform.ask('POST', '/api/backup-destinations', { name: 'offsite', pathPrefix, ...place })
  try {
    await vps.run(['slipway', 'setup', 'backup', '--destination', id, '--nightly'])
    for (const unit of ['slipway-backup.service', 'slipway-drill.service']) await vps.run(['systemctl', 'start', unit])
    const { backup, drill } = await platform.ask('GET', '/api/instance/backups')
    if (!backup?.ok || !drill?.ok) faults.push(`told of backups: ${JSON.stringify({ backup, drill })}`)
    // Both of today: the newer one stays.
    const there = await bucket.left()
    if (there.length !== 1) faults.push(`in the bucket are ${there.join(', ') || 'no backups'}`)
  } finally {
    await bucket.remove()
  }
  const lost = await vps.ended(['systemctl', 'start', 'slipway-backup.service'])
  const { backup } = await platform.ask('GET', '/api/instance/backups')
  if (lost.code === 0 || backup?.ok !== false || !backup.lastSuccessAt)
    faults.push(`without its bucket a backup ended with ${lost.code}, told as ${JSON.stringify(backup)}`)
}

async function wrongPassphrase(vps: Vps, faults: string[]): Promise<void> {
  writeFileSync(join(vps.root, '/srv/wrong'), 'not this one\n')
  const settings = () => readFileSync(join(vps.root, 'etc/slipway/slipway.env'), 'utf8')
  const before = settings()
  const { code, err } = await vps.ended([
    'slipway',
    'setup',
    'restore',
    BACKUP,
    '--passphrase-file',
    '/srv/wrong',
    '--yes',
  ])
  const answers = (await vps.ended(['curl', '-sf', 'http://127.0.0.1:4600/readyz'])).code === 0
  if (code === 0 || !/passphrase/.test(err) || settings() !== before || !answers)
    faults.push(`a wrong passphrase ended with ${code}: ${err}`)
}

/** This engine has never run it, and nobody may say that it does. */
async function toldAsUnknown(platform: Platform, id: string, faults: string[]): Promise<void> {
  await until(`${id} is told as unknown`, 120_000, async () => {
    const { status, unknown, services } = await platform.show(id)
    return status === 'ready' && unknown && services.every((one) => one.status === 'unknown')
  }).catch((error: Error) => faults.push(error.message))
}

/** Their images were left behind; what they were built from came along. */
async function broughtBack(vps: Vps, token: string, faults: string[]): Promise<void> {
  writeFileSync(join(vps.root, '/srv/token'), token)
  const { code, err } = await vps.ended(['slipway', 'setup', 'bring-back', '--token-file', '/srv/token'], {
    deadlineMs: 600_000,
  })
  if (code !== 0) faults.push(`bringing the projects back ended with ${code}: ${err}`)
  for (const name of PROJECTS)
    await until(`${name} answers`, 60_000, async () => {
      const { status, text } = await visit({ address: vps.address, port: 80 }, `${name}.apps.test`)
      return status === 200 && text === 'version 1'
    }).catch((error: Error) => faults.push(error.message))
}

import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bootVps, type Vps } from '../../../lab/vps/boot.ts'
import { app, GOOD } from '../../../test-kit/sample-app.ts'
import { until } from '../../../test-kit/until.ts'
import { visit } from '../../../test-kit/visit.ts'
import { writeImage } from '../../../tools/release/image.ts'
import type { InstallWorld } from './deployed.ts'
import { platformAt } from './platform.ts'
import { offlineFolder, releaseOf } from './release.ts'

const VERSION = '0.1.0'
const PORT = 4600
const IMAGE = '/srv/image.tar'
const OFFLINE = '/srv/offline'
const SETTINGS = '/srv/slipway.env'
const HOST = 'contained.apps.test'
const DATABASE = `postgres://root@${encodeURIComponent('/var/run/postgresql')}/slipway`

/** The release as an image, beside an engine and a database that somebody keeps: another container goes on where the first one was. */
export async function asContainer({ faults }: Pick<InstallWorld, 'faults'>): Promise<string> {
  const vps = await bootVps(3, 'trixie', 2048)
  try {
    const packages = ['docker.io', 'docker-cli', 'postgresql']
    await vps.run(['apt-get', 'install', '--yes', '--no-install-recommends', ...packages], { deadlineMs: 300_000 })
    await vps.run(['runuser', '-u', 'postgres', '--', 'createuser', 'root'])
    await vps.run(['runuser', '-u', 'postgres', '--', 'createdb', '--owner=root', 'slipway'])
    await vps.run(['docker', 'swarm', 'init', `--advertise-addr=${vps.address}`])
    await writeImage(await releaseOf(VERSION), join(vps.root, IMAGE), VERSION)
    offlineFolder(join(vps.root, OFFLINE))
    for (const file of [IMAGE, `${OFFLINE}/images.tar`]) await vps.run(['docker', 'load', '--input', file])
    const settings = {
      SLIPWAY_DATABASE_URL: DATABASE,
      SLIPWAY_SECRET_KEY: randomBytes(32).toString('hex'),
      SLIPWAY_BASE_DOMAIN: 'apps.test',
      SLIPWAY_ACME_DIRECTORY: 'off',
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
    writeFileSync(join(vps.root, SETTINGS), lines.join(''), { mode: 0o600 })
    const began = performance.now()
    await start(vps)
    const seconds = (performance.now() - began) / 1000
    const bootstrap = ['slipway', 'server', 'admin', 'bootstrap', '--json', '--email', 'you@example.com']
    const { token } = JSON.parse(await vps.run(['docker', 'exec', 'slipway', ...bootstrap]))
    const platform = platformAt({ host: vps.address, port: PORT }, token)
    await platform.ask('POST', '/api/servers', { kind: 'local', name: 'here' })
    const project = await platform.project('contained')
    const first = await platform.ended(await platform.deploy(project, app(GOOD)))
    if (first.status !== 'ready') faults.push(`as a container: ${first.status} ${JSON.stringify(first.error)}`)
    await vps.run(['docker', 'rm', '--force', 'slipway'])
    const meanwhile = await answerOf(vps)
    if (meanwhile !== 'version 1') faults.push(`without the container the project answers ${meanwhile}`)
    await start(vps)
    const { status, active } = await platform.show(first.id)
    if (status !== 'ready' || !active)
      faults.push(`for another container it is ${status}, ${active ? '' : 'not '}active`)
    const second = await platform.ended(await platform.deploy(project, app(GOOD, 2)))
    const after = await answerOf(vps)
    if (second.status !== 'ready' || after !== 'version 2') faults.push(`another container: ${second.status}, ${after}`)
    return `as an image ready after ${seconds.toFixed(1)} s, a folder deployed, its answer without the container and by another one`
  } finally {
    await vps.remove()
  }
}

const answerOf = async (vps: Vps) => (await visit({ address: vps.address, port: 80 }, HOST)).text

/** As the guide says it, with a database at hand. */
async function start(vps: Vps): Promise<void> {
  const volumes = [
    '/var/run/docker.sock:/var/run/docker.sock',
    '/var/run/postgresql:/var/run/postgresql',
    'slipway:/var/lib/slipway',
  ]
  await vps.run([
    'docker',
    ...['run', '--detach', '--name=slipway', '--network=host'],
    ...volumes.map((volume) => `--volume=${volume}`),
    `--env-file=${SETTINGS}`,
    `slipway:${VERSION}`,
  ])
  const format = '{{.State.Status}} {{.State.Health.Status}}'
  await until('the container is healthy', 120_000, async () => {
    const state = (await vps.run(['docker', 'inspect', `--format=${format}`, 'slipway'])).trim()
    if (state.startsWith('exited')) throw new Error((await vps.ended(['docker', 'logs', 'slipway'])).err)
    return state === 'running healthy' || undefined
  })
}

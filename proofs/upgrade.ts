import { rmSync } from 'node:fs'
import { bootVps, type Vps } from '../lab/vps/boot.ts'
import { app, GOOD } from '../test-kit/sample-app.ts'
import { size } from './ledger/sizes.ts'
import { startAuthority } from './parts/vps/authority.ts'
import { badReleases } from './parts/vps/bad-releases.ts'
import { bring, install } from './parts/vps/bring.ts'
import { cutUpgrades } from './parts/vps/cut-off.ts'
import type { UpgradeWorld } from './parts/vps/deployed.ts'
import { platformOn } from './parts/vps/platform.ts'
import { carry, publishedOf, removeReleases } from './parts/vps/release.ts'
import { type Counted, failuresOf, requesting } from './parts/vps/requests.ts'

export const claim =
  'Versions replace each other, forth and back, under load and with deployments in the middle: no request to the platform or to a project is refused; a version that does not come up changes nothing.'
export const kind = 'story'
export const quick = false

const UPGRADES = size('SLIPWAY_UPGRADES', 20)
const WAYS_BACK = size('SLIPWAY_WAYS_BACK', 5)
const LEAST_REQUESTS = size('SLIPWAY_UPGRADE_REQUESTS', 20_000)
const PER_SECOND = { platform: 90, project: 30 }

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const published = await publishedOf('0.1.0')
  const authority = await startAuthority()
  const vps = await bootVps(5, 'trixie', 2048)
  const faults: string[] = []
  try {
    bring(vps, published, authority)
    const { token } = await install(vps, authority)
    const platform = platformOn(vps, token)
    const project = await platform.project('steady')
    const world = { vps, platform, project, faults }
    const { status } = await platform.ended(await platform.deploy(project, app(GOOD)))
    if (status !== 'ready') throw new Error(`the first deployment is ${status}`)
    const headers = { host: 'slipway', authorization: `Bearer ${token}` }
    const paths = ['/healthz', '/readyz', '/api/instance', '/api/me', '/api/projects']
    const toPlatform = requesting(
      { socketPath: vps.path('/run/slipway/http.sock'), headers, paths },
      PER_SECOND.platform,
    )
    const visitors = { host: vps.address, port: 80, headers: { host: 'steady.apps.test' }, paths: ['/'] }
    const toProject = requesting(visitors, PER_SECOND.project)
    const crossed = await replaced(world)
    const bad = await badReleases(world)
    const cut = await cutUpgrades(world)
    const [asked, visited] = [await toPlatform.stop(), await toProject.stop()]
    judge(asked, visited, faults)
    for (const fault of faults) console.log(`  FAULT ${fault}`)
    const figure = `${UPGRADES} upgrades and ${WAYS_BACK} ways back, ${crossed} of ${UPGRADES + WAYS_BACK} deployments that crossed one ended ready; ${bad}; ${cut}; ${told('the platform', asked)}, ${told('the project', visited)}; ${faults.length} faults`
    return { ok: faults.length === 0, figure }
  } finally {
    await vps.remove()
    await authority.stop()
    removeReleases()
  }
}

const told = (whom: string, counted: Counted) =>
  `${failuresOf(counted)} of ${counted.sent} requests to ${whom} failed (slowest ${counted.slowestMs} ms)`

function judge(asked: Counted, visited: Counted, faults: string[]): void {
  if (asked.sent < LEAST_REQUESTS) faults.push(`only ${asked.sent} requests to the platform`)
  for (const [whom, counted] of Object.entries({ platform: asked, project: visited }))
    if (failuresOf(counted) > 0) faults.push(`${whom}: ${JSON.stringify(counted.failed)}`)
}

/** Each with a deployment that begins before and ends after it. */
async function replaced(world: UpgradeWorld): Promise<number> {
  let right = 0
  const plan = Array.from({ length: UPGRADES + WAYS_BACK }, (_, n) => {
    const back = (n + 1) % Math.floor((UPGRADES + WAYS_BACK) / WAYS_BACK) === 0
    return { n, back }
  })
  for (const { n, back } of plan) right += Number(await crossing(world, n, back))
  return right
}

async function crossing({ vps, platform, project, faults }: UpgradeWorld, n: number, back: boolean): Promise<boolean> {
  const deployment = await platform.deploy(project, app(GOOD, n + 2))
  const began = performance.now()
  const folder = `/srv/next-${n}`
  if (!back) await carry(vps, folder, `0.2.${n}`)
  const argv = back
    ? ['slipway', 'setup', 'downgrade', await before(vps)]
    : [`${folder}/bin/slipway`, 'setup', 'upgrade']
  const { code, err } = await vps.ended(argv as [string, ...string[]], { deadlineMs: 600_000 })
  rmSync(vps.root + folder, { recursive: true, force: true })
  const { status, error } = await platform.ended(deployment)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  const { version } = await platform.ask('GET', '/api/instance')
  console.log(
    `  ${back ? 'back to' : 'on to'} ${version}: ${code}, ${seconds} s, the deployment across it is ${status}`,
  )
  if (code !== 0) faults.push(`${argv.join(' ')} ended with ${code}: ${err}`)
  if (status !== 'ready') faults.push(`a deployment across ${version} is ${status}: ${JSON.stringify(error)}`)
  return code === 0 && status === 'ready'
}

/** The version that is still here and does not run. */
async function before(vps: Vps): Promise<string> {
  const current = (await vps.run(['readlink', '/opt/slipway/current'])).trim().split('/').at(-1)
  const all = (await vps.run(['ls', '/opt/slipway/versions'])).trim().split('\n')
  return all.find((version) => version !== current) ?? ''
}

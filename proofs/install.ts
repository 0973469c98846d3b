import { bootVps, type Vps } from '../lab/vps/boot.ts'
import type { Debian } from '../lab/vps/root.ts'
import { chosen, size } from './ledger/sizes.ts'
import { asContainer } from './parts/vps/as-container.ts'
import { startAuthority } from './parts/vps/authority.ts'
import { besideNginx } from './parts/vps/beside-nginx.ts'
import { bring, install, installing } from './parts/vps/bring.ts'
import { cutOff } from './parts/vps/cut-off.ts'
import { deployed, type InstallWorld } from './parts/vps/deployed.ts'
import { memoryOf } from './parts/vps/memory.ts'
import { ownName, reachedByName } from './parts/vps/own-address.ts'
import { platformOn } from './parts/vps/platform.ts'
import { publishedOf, removeReleases } from './parts/vps/release.ts'
import { tampered } from './parts/vps/tampered.ts'

export const claim =
  'From a clean Debian to the first HTTPS answer of a deployed folder by one command, beside what is there already, after any interruption; nothing that was not signed is believed. The same files as an image serve as well.'
export const kind = 'story'
export const quick = false

const BAR = { processorSeconds: 60, platformMb: 450, serverMb: 150 }
const CUTS = size('SLIPWAY_INSTALL_CUTS', 10)
const MEGABYTES = 1024
const IDLE_MS = 60_000

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const only = chosen('SLIPWAY_INSTALL_PART')
  const has = (part: string) => only === undefined || only === part
  const published = await publishedOf('0.1.0')
  const authority = await startAuthority()
  const faults: string[] = []
  const figures: string[] = []
  const world = { authority, published, faults }
  try {
    for (const debian of ['trixie', 'bookworm'] as const) if (has(debian)) figures.push(await clean(world, debian))
    if (has('nginx')) figures.push(await besideNginx(world))
    if (has('cut')) figures.push(await cutOff(world, CUTS))
    if (has('container')) figures.push(await asContainer(world))
    if (has('tampered')) figures.push(await tampered(world))
    for (const fault of faults) console.log(`  FAULT ${fault}`)
    return { ok: faults.length === 0, figure: `${figures.join('; ')}; ${faults.length} faults` }
  } finally {
    await authority.stop()
    removeReleases()
  }
}

/** Nothing there but the packages in its cache, and one gigabyte of memory. */
async function clean({ authority, published, faults }: InstallWorld, debian: Debian): Promise<string> {
  const vps = await bootVps(1, debian, MEGABYTES)
  try {
    bring(vps, published, authority)
    const watch = stages(vps)
    const { token } = await install(vps, authority, await ownName(vps, authority))
    watch.stage('install')
    const deployment = await deployed(vps, authority, token)
    watch.stage('folder to first HTTPS answer')
    const used = watch.processorSeconds()
    if (used > BAR.processorSeconds) faults.push(`${debian}: ${used.toFixed(1)} s of processor time`)
    const own = await reachedByName(vps, authority)
    const serving = memoryOf(vps)
    // What a project needs is the project's: what is left is the platform, its edge and the engine.
    await platformOn(vps, token).ask('DELETE', `/api/deployments/${deployment}?force=true`)
    await new Promise((next) => setTimeout(next, IDLE_MS))
    const { platformMb, serverMb } = memoryOf(vps)
    if (platformMb > BAR.platformMb) faults.push(`${debian}: ${platformMb} MB for the whole platform`)
    if (serverMb > BAR.serverMb) faults.push(`${debian}: ${serverMb} MB for the server`)
    const again = await vps.ended(installing(vps, authority))
    if (again.code !== 0) faults.push(`${debian}: the same again ended with ${again.code}: ${again.err}`)
    return `${debian} with ${MEGABYTES} MB: ${watch.told()}, ${used.toFixed(1)} s of processor in all (bar ${BAR.processorSeconds}); the platform at its own name with a certificate ${own.toFixed(1)} s later; ${serving.platformMb} MB with the project, a minute after its end ${platformMb} with edge and engine (bar ${BAR.platformMb}), of which the server ${serverMb} (bar ${BAR.serverMb})`
  } finally {
    await vps.remove()
  }
}

function stages(vps: Vps) {
  const begun = vps.processorSeconds()
  let [at, cpu] = [performance.now(), begun]
  const done: string[] = []
  return {
    stage(name: string) {
      const [now, used] = [performance.now(), vps.processorSeconds()]
      done.push(`${name} ${((now - at) / 1000).toFixed(1)} s (${(used - cpu).toFixed(1)} s of processor)`)
      console.log(`  ${done.at(-1)}`)
      ;[at, cpu] = [now, used]
    },
    processorSeconds: () => cpu - begun,
    told: () => done.join(', '),
  }
}

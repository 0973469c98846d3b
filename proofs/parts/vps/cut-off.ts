import { spawn } from 'node:child_process'
import { bootVps, type Vps } from '../../../lab/vps/boot.ts'
import { bring, install, installing } from './bring.ts'
import { deployed, type InstallWorld, type UpgradeWorld } from './deployed.ts'
import { carry } from './release.ts'

/** How far an installation has come, by the lines it says. */
const DONE = /^ {2}✓ .* {2}\d/gm
const STEPS = 14
const UPGRADE_STEPS = 7

/**
 * Installations that end in the middle: the program is killed, or the power goes, while each of its steps is at work. The
 * same line again finishes each of them, and a folder can be deployed.
 */
export async function cutOff({ authority, published, faults }: InstallWorld, cuts: number): Promise<string> {
  let right = 0
  for (let cut = 0; cut < cuts; cut++) {
    const vps = await bootVps(3, 'trixie', 2048)
    const after = Math.floor((cut * STEPS) / cuts)
    const power = cut % 2 === 1
    try {
      bring(vps, published, authority)
      const seen = await begun(vps, installing(vps, authority), { after, waitMs: 150 + ((cut * 397) % 1200) })
      if (power) await vps.cutPower()
      const { token } = await install(vps, authority)
      await deployed(vps, authority, token)
      right += 1
      console.log(`  right  ${power ? 'power cut' : 'killed'} after ${seen} steps`)
    } catch (error) {
      faults.push(`${power ? 'power cut' : 'killed'} after ${after} steps: ${(error as Error).message}`)
    } finally {
      await vps.remove()
    }
  }
  return `${right} of ${cuts} installations that were killed or lost their power in the middle ended right`
}

/** Upgrades that are killed in each of their steps: whatever runs then serves, and the same again finishes it. */
export async function cutUpgrades({ vps, platform, faults }: UpgradeWorld): Promise<string> {
  let right = 0
  for (let after = 0; after < UPGRADE_STEPS; after++) {
    const [version, folder] = [`0.9.${after}`, `/srv/cut-${after}`]
    await carry(vps, folder, version)
    const argv = [`${folder}/bin/slipway`, 'setup', 'upgrade'] as const
    const seen = await begun(vps, argv, { after, waitMs: 100 + ((after * 397) % 700) })
    const { code, err } = await vps.ended(argv, { deadlineMs: 600_000 })
    const now = (await platform.ask('GET', '/api/instance')).version
    const running = await vps.run([
      'systemctl',
      'list-units',
      '--plain',
      '--no-legend',
      '--state=active',
      'slipway@*.service',
    ])
    const good = code === 0 && now === version && running.trim().split('\n').length === 1
    console.log(
      `  ${good ? 'right' : 'WRONG'}  killed after ${seen} steps, and again: ended with ${code}, ${now} serves`,
    )
    if (good) right += 1
    else
      faults.push(
        `an upgrade killed after ${seen} steps, and again: ended with ${code}, ${now} serves, ${running}: ${err}`,
      )
  }
  return `${right} of ${UPGRADE_STEPS} upgrades killed in one of their steps were finished by the same command`
}

/** Starts it, and kills it that long after so many steps; answers with how many it had said. */
async function begun(
  vps: Vps,
  argv: readonly string[],
  { after, waitMs }: { after: number; waitMs: number },
): Promise<number> {
  const child = spawn('nsenter', vps.entering(argv as [string, ...string[]]), {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  const count = () => said.match(DONE)?.length ?? 0
  await new Promise<void>((done) => {
    const look = () => count() >= after && done()
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text
      look()
    })
    child.on('exit', () => done())
    look()
  })
  await new Promise((next) => setTimeout(next, waitMs))
  // The shell that verified, the program, and what it runs at this moment.
  if (child.pid && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
  return count()
}

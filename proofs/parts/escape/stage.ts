import { join } from 'node:path'
import { SECRET_KEY } from '../../../test-kit/server-process.ts'
import { openSite, type Site } from '../../../test-kit/site.ts'
import { type Attacker, openAttacker } from './attacker.ts'
import { pushEvilImages } from './evil-images.ts'
import { type Ground, openGround } from './ground.ts'
import { makeLook } from './look.ts'
import { deployVictim, type Victim } from './victim.ts'

/** What came of one try. `no result` is as bad as `WORKED`: nobody knows. */
type Verdict = 'refused' | 'harmless' | 'WORKED' | 'no result'
export type Row = {
  name: string
  door: string
  verdict: Verdict
  words: string
  /** The hole is there on purpose: here `WORKED` is what is wanted, for it shows that the detector detects. */
  control?: true
  /** The neighbour's p99 meanwhile, in times of a quiet server. */
  times?: number
}

export type Stage = {
  ground: Ground
  site: Site
  serverId: string
  victim: Victim
  /** An image of a registry that the attacker may push to: the program that looks at all there is. */
  look: string
  /** Another attacker with a project and a token of its own. */
  attacker(name: string): Promise<Attacker>
  /** One that visitors reach, too: where, and what it prints. */
  publicAttacker(): Promise<{ host: string; logs(): Promise<string> }>
  /** What the control plane itself keeps. */
  secrets: Record<string, string>
  close(): Promise<void>
}

/** An instance on an engine of its own, with a victim's project deployed on it. */
export async function openStage(): Promise<Stage> {
  const ground = await openGround()
  try {
    const site = await openSite({
      name: 'escape',
      engine: ground.engine,
      logFile: join(ground.folder, 'server.log'),
      env: { SLIPWAY_BLOCKED_NETWORKS: `${ground.metadata}/32`, SLIPWAY_GIT_CA_FILE: ground.gitHost.caFile },
    })
    try {
      return await furnish(ground, site)
    } catch (error) {
      await site.close()
      throw error
    }
  } catch (error) {
    await ground.close()
    throw error
  }
}

async function openPublic(site: Site, serverId: string, look: string) {
  const attacker = await openAttacker(site, serverId, 'attacker')
  const compose = `services: {web: {image: "${look}", expose: ["8000"], healthcheck: {disable: true}}}\n`
  const { id } = await attacker.upload({ 'compose.yaml': compose })
  const asked = await attacker.deploy({ uploadSessionId: id, publicEndpoints: [{ port: 8000 }] })
  const end = await attacker.ended(asked.body.deployment_id, 120)
  if (end.status !== 'ready') throw new Error(`The attacker did not come up: ${JSON.stringify(end.error)}`)
  return { host: site.host('attacker'), logs: () => attacker.logs(end.id) }
}

async function furnish(ground: Ground, site: Site): Promise<Stage> {
  await site.start()
  const serverId = await site.addLocalServer()
  const victim = await deployVictim(site, serverId, ground.markers)
  await pushEvilImages(ground, victim)
  const look = await makeLook(ground, site, victim)
  let opened: ReturnType<typeof openPublic> | undefined
  return {
    ground,
    site,
    serverId,
    victim,
    look,
    attacker: (name) => openAttacker(site, serverId, name),
    publicAttacker: () => {
      opened ??= openPublic(site, serverId, look)
      return opened
    },
    secrets: { 'the key of the control plane': SECRET_KEY, 'the address of the database': site.databaseUrl },
    async close() {
      // The engine goes with all that is on it: nothing need be taken away one by one.
      for (const replica of site.replicas) await replica.stop('SIGKILL').catch(() => {})
      await ground.close()
      await site.close().catch(() => {})
    },
  }
}

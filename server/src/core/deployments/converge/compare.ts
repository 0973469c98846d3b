import { openEngineTarget } from '../../servers/open-engine-target.ts'
import * as servers from '../../servers/store.ts'
import type { DeployParts } from '../parts.ts'
import { ranOn } from '../rows/engine-of-release.ts'
import { releaseOf } from '../rows/release.ts'
import { activeOn, enginesOf, idleProjects, markToSettle } from './compare-store.ts'

const AT_ONCE = 4
const MOST_SERVERS = 200
const MOST_PROJECTS = 100
const DEADLINE_MS = 60_000

type Parts = Pick<DeployParts, 'db' | 'keys' | 'config' | 'runtime' | 'log'>

/**
 * Finds drift: engines that do not run what is written down. One of both has gone back: the database to a replica or a
 * backup that knows less, or the engine to a snapshot of its disk; or somebody changed something there by hand. Each server
 * is looked at every hour or so, and all of them at once when the database says that it lost something. It only marks
 * projects; what is to be done about one is for its own `settle` run, in its turn.
 */
export async function compareServers(parts: Parts, signal: AbortSignal): Promise<void> {
  const due = (await servers.takeToCompare(parts.db, MOST_SERVERS)).values()
  const worker = async () => {
    for (const server of due) {
      if (signal.aborted || !(await tried(parts, server, signal))) await servers.compared(parts.db, server, false)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** Whether somebody else need not do it at once. One that cannot be asked is left for some minutes, as it was taken. */
async function tried(parts: Parts, server: servers.ServerRow, signal: AbortSignal): Promise<boolean> {
  try {
    await compareServer(parts, server, AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]))
    await servers.compared(parts.db, server, true)
  } catch (error) {
    // This process ends, or its database has become another one: what it has taken is for the next.
    if (signal.aborted) return false
    parts.log.info({ err: error, server: server.id }, 'a server could not be compared with what is written down')
  }
  return true
}

/**
 * Whose the engine is. One that has lost its mark, or has had it since before there were ids, gets ours; but only the very
 * engine that was ours: whatever else answers at its address waits for somebody to deploy there.
 */
async function claimAgain({ db, keys, config, runtime, log }: Parts, server: servers.ServerRow, signal: AbortSignal) {
  const engine = openEngineTarget({ keys, config }, server)
  const owner = await runtime.owner.read(engine, { signal })
  const ran = await enginesOf(db, server)
  // From now on releases that another one ran are told as unknown.
  if (ran.length > 0 && owner.engineId !== null && owner.engineId !== server.engineId)
    await servers.saveEngine(db, server, owner.engineId)
  const facts = { server: server.id, engine: owner.engineId, known: server.engineId }
  if (owner.foreign !== null) {
    log.warn({ ...facts, instance: owner.foreign }, 'a server serves another instance: nothing is changed there')
    return null
  }
  if (owner.org !== null && owner.org !== server.orgId) return owner
  const wasOurs = ran.length > 0 ? ran.includes(owner.engineId ?? '') : owner.engineId === server.engineId
  if (owner.org === null && !wasOurs) {
    // Where it never was ours there is nothing to say.
    if (server.engineId === null) return null
    log.warn(facts, 'another engine answers at the address of a server: nothing is changed there')
    return null
  }
  return runtime.owner.claim(engine, server.orgId, { signal })
}

/** The projects that were not as they should be. */
export async function compareServer(parts: Parts, server: servers.ServerRow, signal: AbortSignal): Promise<string[]> {
  const { db, keys, config, runtime } = parts
  const engine = openEngineTarget({ keys, config }, server)
  const owner = await claimAgain(parts, server, signal)
  if (owner?.org !== server.orgId) return []
  const ids = (await servers.sameEngine(db, { ...server, engineId: owner.engineId })).map(({ id }) => id)
  const survey = await runtime.survey(engine, { signal })
  const drifted: string[] = []
  const wanted = new Set<string>()
  let elsewhere = 0
  for (let after = ''; ; ) {
    const rows = await activeOn(db, ids, after, MOST_PROJECTS)
    for (const { projectId, open, ...row } of rows) {
      wanted.add(projectId)
      if (!ranOn(row, owner.engineId)) elsewhere += 1
      else if (!open && !survey.has(projectId, releaseOf({ keys }, row).services)) drifted.push(projectId)
    }
    const last = rows.at(-1)
    if (rows.length < MOST_PROJECTS || !last) break
    after = last.projectId
  }
  if (elsewhere > 0)
    parts.log.warn(
      { server: server.id, releases: elsewhere },
      'its engine has never run these: they wait to be deployed',
    )
  // Of projects that are not ours at all nothing is said here: what nobody needs is collected.
  const others = survey.projects.filter((project) => !wanted.has(project))
  drifted.push(...(await idleProjects(db, server.orgId, others)))
  if (drifted.length > 0) {
    const facts = { server: server.id, projects: drifted.slice(0, 20), count: drifted.length }
    parts.log.warn(facts, 'a server does not run what is written down; these projects are put right')
    await markToSettle(db, server.orgId, drifted)
  }
  return drifted
}

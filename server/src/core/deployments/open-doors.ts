import type { StoredRoute } from '../../db/deployment-tables.ts'
import { LATER } from '../../jobs/steps.ts'
import * as domains from '../domains/store.ts'
import type { Because } from './put-back.ts'
import { openRelease } from './release.ts'
import type { Scene } from './scene.ts'
import { leadTo } from './settle-store.ts'
import * as store from './store.ts'

/**
 * Makes the names of the project lead to it. That they do is written down before the edge hears of it: whoever makes an
 * edge equal to what is written down then never takes away a route that is just being opened.
 */
export async function openDoors(scene: Scene, signal: AbortSignal): Promise<void> {
  const { parts, engine, deployment, run } = scene
  const { release } = await store.load(parts.db, deployment.orgId, deployment.id)
  const [spec] = release === null ? [] : openRelease(parts, deployment.id, release).services
  const listens = Number(spec?.environment.PORT ?? 8080)
  const { httpPort } = parts.config.edge
  const suffix = httpPort === 80 ? '' : `:${httpPort}`
  await run.write(async (tx) => {
    const names = await domains.ofProject(tx, deployment.projectId)
    const routes = names.map(
      ({ host, pathPrefix, service, port }): StoredRoute => ({ host, pathPrefix, service, port: port || listens }),
    )
    const urls = routes.map(({ host, pathPrefix }) => `http://${host}${suffix}${pathPrefix ?? ''}`)
    await store.update(tx, run.id, { routes: JSON.stringify(routes), urls })
    await leadTo(tx, deployment.projectId, run.id)
  })
  await parts.edge.ensure(engine, { ...parts.config.edge, instance: parts.config.instance }, signal)
  await tellEdge(scene, signal)
}

/** The names lead to the release that is active, or nowhere, as before. */
export async function closeDoors(scene: Scene, signal: AbortSignal, because: Because) {
  const { deployment, run } = scene
  await run.write(async (tx) => {
    const active = await store.findActive(tx, deployment.projectId)
    await leadTo(tx, deployment.projectId, active?.id ?? null)
  })
  const enough = AbortSignal.timeout(because === 'failed' ? PATIENT_MS : scene.promptMs())
  try {
    await tellEdge(scene, AbortSignal.any([signal, enough]))
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    // Without an edge there is no route that could be left.
    if ((error as { code?: string }).code === 'edge_missing') return undefined
    if (because === 'failed') throw error
    return LATER
  }
}

const PATIENT_MS = 30_000

/** Read through the run: an owner who has lost it learns so before it writes. */
async function tellEdge({ parts, engine, deployment, server, run }: Scene, signal: AbortSignal): Promise<void> {
  const wanted = () => run.write((tx) => domains.routesOn(tx, server.id, deployment.projectId))
  await parts.edge.route(engine, deployment.projectId, wanted, signal)
}

import * as domains from '../domains/store.ts'
import { openRelease } from './release.ts'
import type { Scene } from './scene.ts'
import * as store from './store.ts'

/** Makes the names of the project lead to it. The edge gets all routes of the server each time: what was lost comes back. */
export async function openDoors(scene: Scene, signal: AbortSignal): Promise<void> {
  const { parts, engine, deployment, service, server, run } = scene
  const { release } = await store.load(parts.db, deployment.orgId, deployment.id)
  const [spec] = release === null ? [] : openRelease(parts, deployment.id, release).services
  const port = Number(spec?.environment.PORT ?? 8080)
  const hosts = await run.write(async (tx) => {
    await domains.setPort(tx, deployment.projectId, service, port)
    const own = await domains.ofProject(tx, deployment.projectId)
    const { httpPort } = parts.config.edge
    const suffix = httpPort === 80 ? '' : `:${httpPort}`
    await store.update(tx, run.id, { urls: own.map((row) => `http://${row.host}${suffix}${row.pathPrefix ?? ''}`) })
    return own
  })
  await parts.edge.ensure(engine, { ...parts.config.edge, instance: parts.config.instance }, signal)
  const others = (await domains.onServer(parts.db, server.id)).filter((row) => row.project !== deployment.projectId)
  const own = hosts.map(({ host, pathPrefix, projectId: project, service, port }) => ({
    host,
    pathPrefix,
    project,
    service,
    port,
  }))
  await parts.edge.reconcile(engine, [...others, ...own], signal)
}

import { engineConnections, type Work } from './connections.ts'
import type { EngineTarget } from './engine.ts'
import { collectGarbage } from './garbage.ts'
import { findImage, inspectImage, removeImage } from './images.ts'
import { ensureNetwork, removeNetwork } from './networks.ts'
import { applySpec } from './rollout/apply.ts'
import { removeService } from './rollout/remove.ts'
import { restartService } from './rollout/restart.ts'
import { watchRollout } from './rollout/watch.ts'
import { serviceLogs } from './running/logs.ts'
import { observeProject } from './running/observe.ts'
import { projectTasks } from './running/tasks.ts'
import { projectUsage } from './running/usage.ts'
import type { Runtime } from './runtime.ts'

const READ_MS = 20_000
const WRITE_MS = 30_000
/** A removed service's tasks have their grace period, and there may be much garbage. */
const LONG_MS = 180_000

/** Docker Engine in Swarm mode. `instance` marks what is ours on an engine that others use too. */
export function swarmRuntime({ instance, idleMs }: { instance: string; idleMs?: number }): Runtime {
  const connections = engineConnections(idleMs === undefined ? {} : { idleMs })
  const run = <T>(engine: EngineTarget, signal: AbortSignal, deadlineMs: number, work: Work<T>) =>
    connections.use(engine, { signal, deadlineMs }, work)
  return {
    apply: (engine, spec, { signal, interrupt = false }) =>
      run(engine, signal, WRITE_MS, ({ docker }, within) => applySpec(docker, spec, { instance, interrupt }, within)),
    watch: (engine, key, options) => watchRollout({ connections, engine, service: { ...key, instance } }, options),
    restart: (engine, key, { signal, token, deployment }) =>
      run(engine, signal, WRITE_MS, ({ docker }, within) =>
        restartService(docker, key, { instance, token, deployment }, within),
      ),
    remove: (engine, { project, service }, { signal, wait = true }) =>
      run(engine, signal, LONG_MS, ({ docker }, within) =>
        removeService(docker, { instance, project, service, wait }, within),
      ),
    observe: (engine, project, { signal }) =>
      run(engine, signal, READ_MS, ({ docker }, within) => observeProject(docker, { instance, project }, within)),
    tasks: (engine, project, { signal }) =>
      run(engine, signal, READ_MS, ({ docker }, within) => projectTasks(docker, { instance, project }, within)),
    usage: (engine, project, { signal }) =>
      run(engine, signal, READ_MS, ({ docker }, within) => projectUsage(docker, { instance, project }, within)),
    logs: (engine, key, options) => serviceLogs({ connections, engine, service: { ...key, instance } }, options),
    ensureNetwork: (engine, name, { signal, org, project }) =>
      run(engine, signal, WRITE_MS, ({ docker }, within) =>
        ensureNetwork(docker, { name, instance, org, project }, within),
      ),
    removeNetwork: (engine, name, { signal }) =>
      run(engine, signal, WRITE_MS, ({ docker }, within) => removeNetwork(docker, { name, instance }, within)),
    images: imageOperations(instance, run),
    collectGarbage: (engine, roots, { signal, dryRun = false }) =>
      run(engine, signal, LONG_MS, ({ docker }, within) => collectGarbage(docker, { instance, roots, dryRun }, within)),
    close: () => connections.close(),
  }
}

type Run = <T>(engine: EngineTarget, signal: AbortSignal, deadlineMs: number, work: Work<T>) => Promise<T>

function imageOperations(instance: string, run: Run): Runtime['images'] {
  return {
    exists: (engine, image, { signal }) =>
      run(engine, signal, READ_MS, async ({ docker }, within) => Boolean(await findImage(docker, image, within))),
    inspect: (engine, image, { signal }) =>
      run(engine, signal, READ_MS, ({ docker }, within) => inspectImage(docker, { image, instance }, within)),
    remove: (engine, image, { signal }) =>
      run(engine, signal, WRITE_MS, ({ docker }, within) => removeImage(docker, image, within)),
  }
}

import { engineConnections, type Work } from '../engine/connections.ts'
import type { EngineTarget } from '../engine/engine.ts'
import { OPEN_POLICY } from '../engine/policy.ts'
import { removeEnded } from './ended.ts'
import { collectGarbage, removeStrays } from './garbage.ts'
import { findImage, inspectImage, keepImage, removeImage } from './images/images.ts'
import { imagesIn } from './images/project-images.ts'
import { isOffered, pullImage } from './images/pull.ts'
import { guardMachine } from './machine/machine-guard.ts'
import { freeNetworks } from './machine/stuck-networks.ts'
import { ensureNetwork, removeNetwork } from './networks.ts'
import { claimEngine, disownEngine, type InstanceMark, readOwner, requireOwn, seizeEngine } from './owner.ts'
import { PUT_MS, putFiles } from './put-files.ts'
import { occupantsOf } from './reading/occupants.ts'
import { removeService } from './rollout/remove.ts'
import { applyOver } from './rollout/replace.ts'
import { restartService } from './rollout/restart.ts'
import { untilServing } from './rollout/serving.ts'
import { specHash } from './rollout/spec.ts'
import { holdersOf } from './running/holders.ts'
import { serviceLogs } from './running/logs.ts'
import { observeProject, overprivileged } from './running/observe.ts'
import { takeSnapshot } from './running/snapshot.ts'
import { surveyEngine } from './running/survey.ts'
import { projectTasks } from './running/tasks.ts'
import { usageBy } from './running/usage.ts'
import type { Runtime } from './runtime.ts'
import { listMountingVolumes, listVolumes, removeVolume } from './volumes.ts'
import { watchRollout } from './watch/watch.ts'
import { withdrawProject } from './withdraw.ts'

const READ_MS = 20_000
const WRITE_MS = 30_000
/** A removed service's tasks have their grace period, and there may be much garbage. */
const LONG_MS = 180_000
const PULL_MS = 900_000
const times = { writeMs: WRITE_MS, removeMs: LONG_MS }

export type SwarmOptions = InstanceMark & {
  /** Ports of the machine that no service gets: those of the edge and of the platform. */
  reservedPorts?: readonly number[]
  /** Networks that no container reaches, and an image with `ip` and `awk` that every engine can have. */
  blocked?: { networks: readonly string[]; image: string }
  idleMs?: number
}

/**
 * Docker Engine in Swarm mode. `instance` marks what is ours on an engine that others use too; what is written, is written
 * only where no other instance's `id` stands.
 */
export function swarmRuntime(options: SwarmOptions): Runtime {
  const { instance, id, reservedPorts = [], blocked = { networks: [], image: 'busybox:1' }, idleMs } = options
  const connections = engineConnections(idleMs === undefined ? {} : { idleMs })
  const us = { instance, id }
  const run: Run = (engine, signal, deadlineMs, work) => connections.use(engine, { signal, deadlineMs }, work)
  const write: Run = (engine, signal, deadlineMs, work) =>
    run(engine, signal, deadlineMs, async (connection, within) => {
      await requireOwn(connection.docker, us, within)
      return work(connection, within)
    })
  return {
    async apply(engine, spec, { signal, interrupt = false, guard, onWait, login = null }) {
      await write(engine, signal, READ_MS, async () => {})
      const rules = { policy: engine.policy ?? OPEN_POLICY, reservedPorts, login }
      return applyOver({ connections, engine, signal }, spec, { instance, interrupt, guard, onWait, ...rules }, times)
    },
    serving: (engine, key, options) => untilServing({ connections, engine, service: { ...key, instance } }, options),
    watch: (engine, key, options) => watchRollout({ connections, engine, service: { ...key, instance } }, options),
    restart: (engine, key, { signal, token, deployment, guard, login }) =>
      write(engine, signal, WRITE_MS, ({ docker }, within) =>
        restartService(docker, key, { instance, token, deployment, guard, login }, within),
      ),
    remove: (engine, key, { signal, deployments, guard, wait = true }) =>
      write(engine, signal, LONG_MS, ({ docker }, within) =>
        removeService(docker, key, { instance, deployments, guard, wait }, within),
      ),
    withdraw: (engine, project, { signal, atOnce = false, guard }) =>
      write(engine, signal, LONG_MS, ({ docker }, within) =>
        withdrawProject(docker, { instance, project, atOnce, guard }, within),
      ),
    ...readOperations(instance, run),
    logs: (engine, key, options) => serviceLogs({ connections, engine, service: { ...key, instance } }, options),
    ensureNetwork: (engine, name, { signal, org, project, internal = false }) =>
      write(engine, signal, WRITE_MS, ({ docker }, within) =>
        ensureNetwork(docker, { name, instance, org, project, internal }, within),
      ),
    removeNetwork: (engine, name, { signal }) =>
      write(engine, signal, WRITE_MS, ({ docker }, within) => removeNetwork(docker, { name, instance }, within)),
    images: imageOperations(instance, run, write),
    volumes: volumeOperations(instance, run, write),
    putFiles: (engine, files, { signal }) =>
      write(engine, signal, PUT_MS, ({ docker }, within) => putFiles(docker, { ...files, instance }, within)),
    owner: ownerOperations(us, run),
    ...cleaningOperations(instance, write),
    guard: (engine, { signal }) =>
      write(engine, signal, LONG_MS, ({ docker }, within) => guardMachine(docker, { ...blocked, instance }, within)),
    freeNetworks: (engine, { signal }) =>
      write(engine, signal, LONG_MS, ({ docker }, within) =>
        freeNetworks(docker, { instance, image: blocked.image }, within),
      ),
    close: () => connections.close(),
  }
}

type Run = <T>(engine: EngineTarget, signal: AbortSignal, deadlineMs: number, work: Work<T>) => Promise<T>

function readOperations(
  instance: string,
  run: Run,
): Pick<
  Runtime,
  'observe' | 'snapshot' | 'specHash' | 'holders' | 'occupants' | 'overprivileged' | 'survey' | 'tasks' | 'usage'
> {
  return {
    observe: (engine, project, { signal }) =>
      run(engine, signal, READ_MS, ({ docker }, within) => observeProject(docker, { instance, project }, within)),
    snapshot: (engine, project, { signal }) =>
      run(engine, signal, READ_MS, ({ docker }, within) => takeSnapshot(docker, { instance, project }, within)),
    specHash,
    holders: (engine, spec, { signal }) =>
      run(engine, signal, READ_MS, ({ docker }, within) => holdersOf(docker, spec, instance, within)),
    occupants: (engine, wanted, { signal }) =>
      run(engine, signal, READ_MS, ({ docker }, within) => occupantsOf(docker, { ...wanted, instance }, within)),
    overprivileged: (engine, { signal }) =>
      run(engine, signal, READ_MS, ({ docker }, within) => overprivileged(docker, instance, within)),
    survey: (engine, { signal }) =>
      run(engine, signal, READ_MS, ({ docker }, within) => surveyEngine(docker, instance, within)),
    tasks: (engine, project, { signal }) =>
      run(engine, signal, READ_MS, ({ docker }, within) => projectTasks(docker, { instance, project }, within)),
    usage: (engine, whose, { signal }) =>
      run(engine, signal, READ_MS, ({ docker }, within) => usageBy(docker, { instance, ...whose }, within)),
  }
}

function cleaningOperations(
  instance: string,
  write: Run,
): Pick<Runtime, 'removeEnded' | 'removeStrays' | 'collectGarbage'> {
  return {
    removeEnded: (engine, project, { signal, deployment, except = [], guard }) =>
      write(engine, signal, WRITE_MS, ({ docker }, within) =>
        removeEnded(docker, { instance, project, deployment, except, guard }, within),
      ),
    removeStrays: (engine, { signal, before }) =>
      write(engine, signal, WRITE_MS, ({ docker }, within) => removeStrays(docker, { instance, before }, within)),
    collectGarbage: (engine, roots, { signal, dryRun = false }) =>
      write(engine, signal, LONG_MS, ({ docker }, within) =>
        collectGarbage(docker, { instance, roots, dryRun }, within),
      ),
  }
}

function imageOperations(instance: string, run: Run, write: Run): Runtime['images'] {
  return {
    exists: (engine, image, { signal }) =>
      run(engine, signal, READ_MS, async ({ docker }, within) => Boolean(await findImage(docker, image, within))),
    inspect: (engine, image, { signal }) =>
      run(engine, signal, READ_MS, ({ docker }, within) => inspectImage(docker, { image, instance }, within)),
    pull: (engine, image, { signal, onLine = () => {}, login = null, deadlineMs = PULL_MS }) =>
      run(engine, signal, deadlineMs, ({ docker }, within) =>
        pullImage(docker, image, { signal: within, onLine, login }),
      ),
    offered: (engine, image, { signal, login }) =>
      run(engine, signal, READ_MS, ({ docker }, within) => isOffered(docker, image, login, within)),
    remove: (engine, image, { signal }) =>
      write(engine, signal, WRITE_MS, ({ docker }, within) => removeImage(docker, image, within)),
    keep: (engine, image, { signal, repository, tag }) =>
      write(engine, signal, WRITE_MS, ({ docker }, within) => keepImage(docker, image, { repository, tag }, within)),
    list: (engine, repository, { signal }) =>
      run(engine, signal, READ_MS, ({ docker }, within) => imagesIn(docker, repository, within)),
  }
}

function volumeOperations(instance: string, run: Run, write: Run): Runtime['volumes'] {
  return {
    list: (engine, project, { signal }) =>
      run(engine, signal, READ_MS, ({ docker }, within) => listVolumes(docker, { instance, project }, within)),
    mounting: (engine, { signal }) =>
      run(engine, signal, READ_MS, ({ docker }, within) => listMountingVolumes(docker, instance, within)),
    remove: (engine, project, name, { signal, guard }) =>
      write(engine, signal, WRITE_MS, ({ docker }, within) =>
        removeVolume(docker, { instance, project, name, guard }, within),
      ),
  }
}

function ownerOperations(us: InstanceMark, run: Run): Runtime['owner'] {
  return {
    read: (engine, { signal }) => run(engine, signal, READ_MS, ({ docker }, within) => readOwner(docker, us, within)),
    claim: (engine, org, { signal }) =>
      run(engine, signal, WRITE_MS, ({ docker }, within) => claimEngine(docker, { ...us, org }, within)),
    release: (engine, org, { signal }) =>
      run(engine, signal, WRITE_MS, ({ docker }, within) => disownEngine(docker, { ...us, org }, within)),
    seize: (engine, org, { signal }) =>
      run(engine, signal, WRITE_MS, ({ docker }, within) => seizeEngine(docker, { ...us, org }, within)),
  }
}

import { askSocket } from '../../engine/ask-socket.ts'
import { type BuildLimits, builderFailure } from '../builder.ts'
import { runHelper } from './helper.ts'
import { type EngineInfo, limitWrites } from './writes.ts'

type Wanted = {
  instance: string
  project: string
  limits: BuildLimits
  helperImage: string
  /** No build of the project goes on: what runs in its cgroup was left by an engine that was killed. */
  endSteps: boolean
  signal: AbortSignal
}

/**
 * Makes a cgroup for the project on the engine's own host and answers with its name, for `--cgroup-parent`. BuildKit takes
 * `--memory` and ignores it, and a cgroup that does not exist is made without limits: hence before every build, by a
 * container of a quarter second that sees little but this cgroup. The limits are for all of the project's steps together.
 */
export async function bindLimits(
  socketPath: string,
  { instance, project, limits, helperImage, endSteps, signal }: Wanted,
): Promise<string> {
  const info = await askSocket<EngineInfo>(socketPath, { path: '/info', signal })
  const lacking = lackingControllers(info)
  if (lacking.length > 0) {
    const message = `The Docker Engine cannot limit what a build step uses (${lacking.join(', ')}).`
    throw builderFailure('limits_unavailable', message)
  }
  const cgroup = `slipway/${project}`
  const { binds, processes, writes } = limitWrites(info, cgroup, limits)
  const wrong = await runHelper(socketPath, {
    image: helperImage,
    instance,
    binds,
    endIn: endSteps ? processes : undefined,
    words: writes.flat(),
    signal,
  })
  if (wrong !== null) {
    throw builderFailure('limits_unavailable', `The limits for ${cgroup} could not be set: ${wrong}.`)
  }
  return cgroup
}

function lackingControllers(info: EngineInfo): string[] {
  const rootless = info.SecurityOptions?.some((option) => option.includes('rootless')) ?? false
  const lacking = { rootless, memory: !info.MemoryLimit, cpu: !info.CpuCfsQuota, pids: !info.PidsLimit }
  return Object.entries(lacking).flatMap(([what, isLacking]) => (isLacking ? [what] : []))
}

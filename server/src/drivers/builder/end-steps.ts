import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { openLocalSocket } from '../engine/local-socket.ts'
import type { BuildRequest } from './builder.ts'
import { openWorkFolder } from './leftovers.ts'
import { bindLimits } from './limits/bind.ts'

const BACK_MS = 15_000
const RETRY_MS = 1000

type Options = { helperImage: string; instance: string; scratch: string }

/**
 * Steps outlive an engine that is killed. When it is back they are ended, while the project is still ours alone; if it does
 * not come back in time, the next build of the project ends them.
 */
export async function endSteps(options: Options, request: BuildRequest, signal: AbortSignal): Promise<void> {
  const { project, limits } = request
  const { helperImage, instance, scratch } = options
  const patience = AbortSignal.any([signal, AbortSignal.timeout(BACK_MS)])
  while (!patience.aborted) {
    const folder = await openWorkFolder(scratch)
    try {
      const engine = await openLocalSocket(request.engine, folder, patience)
      const wanted = { instance, project, limits, helperImage, endSteps: true, signal: patience }
      return void (await bindLimits(engine.socketPath, wanted).finally(() => engine.close()))
    } catch {
      await sleep(RETRY_MS, undefined, { signal: patience }).catch(() => {})
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}

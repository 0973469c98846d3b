import type Docker from 'dockerode'
import { callEngine } from '../../engine/ask.ts'

const known = new WeakMap<Docker, Promise<number>>()

/** The memory of the engine's machine. It does not change while a connection lasts, and asking costs the engine some work. */
export function machineBytes(docker: Docker, signal: AbortSignal): Promise<number> {
  const asked = known.get(docker) ?? ask(docker, signal)
  known.set(docker, asked)
  asked.catch(() => known.delete(docker))
  return asked
}

async function ask(docker: Docker, signal: AbortSignal): Promise<number> {
  const { MemTotal = 0 } = await callEngine<{ MemTotal?: number }>(docker, { path: '/info' }, signal)
  return MemTotal > 0 ? MemTotal : Number.MAX_SAFE_INTEGER
}

import { type Engine, lookAtEngine } from './engine.ts'
import { lookForPlatforms } from './neighbours.ts'
import { type Listeners, lookAtPorts } from './ports.ts'
import { type Installed, lookForSlipway } from './slipway.ts'
import { lookAtSystem, type System } from './system.ts'

/** What is true of this machine, as far as it matters. Nothing is decided here, and nothing changed. */
export type Facts = {
  system: System
  engine: Engine
  listeners: Listeners
  platforms: string[]
  installed: Installed
}

export async function look(): Promise<Facts> {
  const looks = [lookAtSystem(), lookAtEngine(), lookAtPorts(), lookForSlipway()] as const
  const [system, engine, listeners, installed] = await Promise.all(looks)
  return { system, engine, listeners, platforms: lookForPlatforms(), installed }
}

import { type HttpLoad, type Report, startHttpLoad } from '../http-load.ts'
import type { Ledger } from '../ledger.ts'
import { LOADED, type Loaded, type Versions } from './fleet.ts'

type At = { address: string; port: number; hostOf(name: Loaded): string; perSecond: number; connections: number }

/** Steady traffic to each of the services that are asked from outside, from a process for each. */
export type FleetTraffic = Awaited<ReturnType<typeof startFleetTraffic>>

export async function startFleetTraffic(gateway: string) {
  const loads = await byName(() => startHttpLoad(gateway))
  const every = <T>(work: (load: HttpLoad, name: Loaded) => Promise<T>) => byName((name) => work(loads[name], name))
  return {
    ledgers: (await byName(async (name) => loads[name].ledger)) as Record<Loaded, Ledger['address']>,
    begin: ({ address, port, hostOf, perSecond, connections }: At) =>
      every((load, name) =>
        load.begin({
          ...{ address, port, host: hostOf(name) },
          perSecond: perSecond / LOADED.length,
          connections: connections / LOADED.length,
        }),
      ),
    /** A service may answer with its version in any of these. */
    allow: (...sets: Versions[]) => every((load, name) => load.allow(...new Set(sets.map((set) => set[name])))),
    look: (): Promise<Record<Loaded, Report>> => every((load) => load.look()),
    end: (): Promise<Record<Loaded, Report>> => every((load) => load.end()),
    stop: () => {
      for (const name of LOADED) loads[name].stop()
    },
  }
}

async function byName<T>(work: (name: Loaded) => Promise<T>): Promise<Record<Loaded, T>> {
  const entries = await Promise.all(LOADED.map(async (name) => [name, await work(name)] as const))
  return Object.fromEntries(entries) as Record<Loaded, T>
}

/** The most that one container of a server may have, where whoever owns the server has said so. */
export type Ceilings = { memoryBytes?: number; cpus?: number; pids?: number }

/** What whoever owns a server allows on it. Every spec that goes to its engine is held against it. */
export type EnginePolicy = {
  /** Whether a service may open ports of the machine itself. */
  hostPorts: boolean
  ceilings: Ceilings
}

/** Where nothing was said: as on a machine of one's own. */
export const OPEN_POLICY: EnginePolicy = { hostPorts: true, ceilings: {} }

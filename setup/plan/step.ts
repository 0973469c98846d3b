/** One thing that is done, as data: it can be shown, kept and compared, and means the same whenever it is carried out. */
export type Act =
  | { do: 'packages'; names: string[]; noMainCluster: boolean }
  | { do: 'user' }
  | { do: 'cluster'; anew: boolean }
  | { do: 'swarm'; address: string; pool: string | null }
  | { do: 'buildx'; from: string }
  | { do: 'images'; from: string }
  | { do: 'files'; version: string }
  | { do: 'settings'; values: Record<string, string> }
  | { do: 'passphrase' }
  | { do: 'units' }
  | { do: 'start'; version: string; beside: string | null }
  | { do: 'restart'; version: string }
  | { do: 'owner'; email: string; organization: string | null }
  | { do: 'server' }
  | { do: 'switch'; version: string; from: string | null }
  | { do: 'stop'; version: string }
  | { do: 'end' }
  | { do: 'backup'; file: string; keep: number }
  | { do: 'send'; destination: string }
  | { do: 'read-back'; file: string }
  | { do: 'restore-database'; file: string }
  | { do: 'restore-data'; file: string }
  | { do: 'adopt' }
  | { do: 'forget-versions'; keep: string[] }
  | { do: 'remove-services'; instance: string }
  | { do: 'remove-units' }
  | { do: 'remove-program' }
  | { do: 'remove-data' }
  | { do: 'remove-cluster' }
  | { do: 'remove-user' }

export const step = (what: string, act: Act): Step => ({ what, act })

export type Step = {
  /** For people: what is done, and to what. */
  what: string
  act: Act
}

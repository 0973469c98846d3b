import type { EngineTarget } from '../../engine/engine.ts'
import type { FileReader } from '../../ssh/file-reader.ts'
import type { FoundContainer, FoundEngine, FoundImage, FoundNetwork, FoundService, FoundVolume } from './found.ts'

/**
 * All that a look at somebody's server may do: ask the engine with GET, and look at files. There is no way to write from here.
 * Failures: EngineFailure, SshFailure.
 */
export interface ServerReading {
  /**
   * Connects within 15 s, over a connection of its own: aborting the signal closes it and ends whatever hangs on it. Where the
   * server offers no files to look at, `files` is null.
   */
  open(target: EngineTarget, options: { signal: AbortSignal }): Promise<ServerReader>
}

export type Listing = {
  containers: FoundContainer[]
  /** Of how many. */
  total: number
  /** Left out because they say more about themselves than anyone needs to know. */
  tooLarge: number
}

export type ServerReader = {
  /** How people know the server: host and port, or the socket. */
  readonly at: string
  engine(): Promise<FoundEngine>
  /** Each inspected; the newest so many. */
  containers(most: number): Promise<Listing>
  /** By ids and names; null for those that are not there. */
  images(references: string[]): Promise<Map<string, FoundImage | null>>
  volumes(): Promise<FoundVolume[]>
  networks(): Promise<FoundNetwork[]>
  /** Whom the engine serves, where it is a manager of a Swarm: one of our organizations, or another instance. */
  owner(): Promise<{ org: string | null; foreign: string | null }>
  /** Of a Swarm; only its managers know them. */
  services(): Promise<FoundService[]>
  /** The engine walks all files for it; null where that takes longer than it may. */
  volumeSizes(deadlineMs: number): Promise<Map<string, number> | null>
  files: FileReader | null
  /** A file of /proc, up to so many bytes; null where it cannot be read. */
  procFile(path: string, mostBytes: number): Promise<string | null>
  /** Ports on which anything of the machine listens; null where that cannot be told. */
  listening(): Promise<Set<number> | null>
  /** Which program of the machine has a port; null where that cannot be told. */
  programAt(port: number): Promise<string | null>
  readonly cost: { requests: number; bytes: number }
  /** Words for an error of a question. */
  explain(error: unknown): Promise<unknown>
  close(): void
}

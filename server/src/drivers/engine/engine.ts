import { DriverFailure } from '../../errors.ts'
import type { SshTarget } from '../ssh/target.ts'
import type { EnginePolicy } from './policy.ts'

export type EngineTarget = (
  | { kind: 'local'; socketPath: string }
  | { kind: 'ssh'; ssh: SshTarget; socketPath: string }
) & { policy?: EnginePolicy }

export interface EngineInspector {
  /** Facts or a failure (EngineFailure, SshFailure) within 15 s; an aborted signal rejects with its reason. */
  inspect(target: EngineTarget, options: { signal: AbortSignal; learnHostKey?: boolean }): Promise<EngineFacts>
}

export type EngineFacts = {
  /** The key the server proved to hold; null for the local engine. */
  hostKey: string | null
  engine: {
    version: string
    apiVersion: string
    /** Of the program that starts containers; null where the engine does not say. */
    runc: string | null
    /** For people: "Debian GNU/Linux 12 (bookworm)". */
    os: string
    /** As image platforms say it: "amd64", "arm64". */
    arch: string
    kernel: string
    cpus: number
    memoryBytes: number
    cgroupVersion: string
    storageDriver: string
    rootDir: string
  }
  swarm: {
    state: 'inactive' | 'pending' | 'active' | 'error' | 'locked'
    nodeId: string | null
    isManager: boolean
    /** Null where the engine does not know: it is not a manager. */
    nodes: number | null
    error: string | null
  }
  disk: { path: string; totalBytes: number; freeBytes: number } | null
  memory: { totalBytes: number; availableBytes: number } | null
  listeningPorts: number[] | null
  /** Whom the machine asks for names. */
  nameServers: string[] | null
  containersRunning: number
  images: number
  /** Why something above is null or second best, one sentence each. */
  notes: string[]
}

export type EngineFailureCode =
  | 'engine_unreachable'
  | 'engine_denied'
  | 'engine_timeout'
  | 'engine_too_old'
  | 'engine_failed'

/** The engine cannot be used. What stops earlier, on the way to its server, is an SshFailure. */
export type EngineFailure = DriverFailure<'engine', EngineFailureCode>

export const engineFailure = (code: EngineFailureCode, message: string, cause?: unknown): EngineFailure =>
  new DriverFailure('engine', code, message, { hint: hints[code], cause })

const hints: Record<EngineFailureCode, string> = {
  engine_unreachable:
    'Install Docker Engine if it is missing, start it (systemctl enable --now docker) and check the socket path.',
  engine_denied: 'Add the user to the docker group (usermod -aG docker USER) and connect again, or use root.',
  engine_timeout: 'Look at the engine on the server: systemctl status docker, journalctl -u docker.',
  engine_too_old: 'Update Docker Engine to 20.10 or newer.',
  engine_failed: "Look at the engine's log on the server: journalctl -u docker.",
}

/** What of the engine's answers is used. Field names are the Docker API's. */
export type ServiceAnswer = {
  ID: string
  Version: { Index: number }
  CreatedAt: string
  Spec: SwarmSpec
  PreviousSpec?: SwarmSpec
  UpdateStatus?: { State?: UpdateState; StartedAt?: string; CompletedAt?: string; Message?: string }
  /** Only in lists that ask for it. */
  ServiceStatus?: { RunningTasks: number; DesiredTasks: number }
  /** Of a job: each update of its spec runs it once more, as the next iteration. */
  JobStatus?: { JobIteration?: Iteration }
}

type Iteration = { Index?: number }

type UpdateState = 'updating' | 'paused' | 'completed' | 'rollback_started' | 'rollback_paused' | 'rollback_completed'

export type SwarmSpec = {
  Name: string
  Labels?: Record<string, string>
  TaskTemplate: TaskTemplate
  Mode: {
    Replicated?: { Replicas: number }
    Global?: object
    ReplicatedJob?: { MaxConcurrent: number; TotalCompletions: number }
  }
  UpdateConfig?: RollConfig
  RollbackConfig?: RollConfig
  EndpointSpec?: { Mode: string; Ports?: PortConfig[] }
}

export type TaskTemplate = {
  ContainerSpec?: ContainerSpec
  Resources?: { Limits?: Resources; Reservations?: Resources }
  RestartPolicy?: { Condition: 'any' | 'on-failure' | 'none'; Delay: number; MaxAttempts?: number; Window?: number }
  Networks?: { Target: string; Aliases?: string[] }[]
  LogDriver?: { Name: string; Options: Record<string, string> }
  ForceUpdate?: number
}

export type ContainerSpec = {
  Image: string
  Labels?: Record<string, string>
  Command?: string[]
  Args?: string[]
  Env?: string[]
  Dir?: string
  User?: string
  Groups?: string[]
  Hostname?: string
  Init?: boolean
  TTY?: boolean
  OpenStdin?: boolean
  ReadOnly?: boolean
  StopSignal?: string
  StopGracePeriod?: number
  Privileges?: { NoNewPrivileges?: boolean }
  CapabilityAdd?: string[]
  CapabilityDrop?: string[]
  Ulimits?: { Name: string; Soft: number; Hard: number }[]
  Sysctls?: Record<string, string>
  Hosts?: string[]
  DNSConfig?: { Nameservers?: string[]; Search?: string[]; Options?: string[] }
  Mounts?: Mount[]
  Configs?: { ConfigID: string; ConfigName: string; File: FileTarget }[]
  Secrets?: { SecretID: string; SecretName: string; File: FileTarget }[]
  Healthcheck?: HealthConfig
}

export type Mount = {
  Type: 'volume' | 'tmpfs' | 'bind'
  Source?: string
  Target: string
  ReadOnly?: boolean
  VolumeOptions?: {
    Labels?: Record<string, string>
    Subpath?: string
    NoCopy?: boolean
    DriverConfig?: { Name: string; Options: Record<string, string> }
  }
  TmpfsOptions?: { SizeBytes?: number; Mode?: number }
}

type FileTarget = { Name: string; UID: string; GID: string; Mode: number }

/** A Swarm config or secret; secrets come without their data. */
export type FileAnswer = {
  ID: string
  CreatedAt: string
  Spec: { Name: string; Labels?: Record<string, string> }
}

export type VolumeAnswer = {
  Name: string
  CreatedAt?: string
  Driver?: string
  Labels?: Record<string, string> | null
  Options?: Record<string, string> | null
}

export type HealthConfig = {
  Test?: string[]
  Interval?: number
  Timeout?: number
  Retries?: number
  StartPeriod?: number
  StartInterval?: number
}

type Resources = { MemoryBytes?: number; NanoCPUs?: number; Pids?: number }
type PortConfig = { Protocol: string; TargetPort: number; PublishedPort: number; PublishMode: 'host' }
type RollConfig = {
  Parallelism: number
  Order: 'start-first' | 'stop-first'
  FailureAction: 'rollback' | 'pause' | 'continue'
  Monitor: number
  MaxFailureRatio: number
}

export type TaskAnswer = {
  ID: string
  CreatedAt: string
  ServiceID: string
  NodeID?: string
  Slot?: number
  JobIteration?: Iteration | null
  DesiredState: string
  Spec: TaskTemplate
  Status: {
    Timestamp?: string
    State: string
    Err?: string
    Message?: string
    ContainerStatus?: { ContainerID?: string; ExitCode?: number }
    PortStatus?: { Ports?: { Protocol: string; TargetPort: number; PublishedPort: number }[] }
  }
  NetworksAttachments?: { Network: { Spec: { Name: string } }; Addresses?: string[] }[]
}

export type ContainerAnswer = {
  Id: string
  Created: number
  State: string
  /** For people, and the only place where a list tells the health: "Up 2 minutes (healthy)". */
  Status: string
  Labels: Record<string, string>
}

export type ContainerInspection = {
  State: {
    Running?: boolean
    OOMKilled?: boolean
    StartedAt?: string
    Health?: { Status: string; FailingStreak: number; Log?: { Output: string; ExitCode: number; End?: string }[] }
  }
}

export type ImageAnswer = {
  Id: string
  RepoTags?: string[]
  RepoDigests?: string[]
  Size: number
  Created: string
  Os?: string
  Architecture?: string
  Metadata?: { LastTagTime?: string }
  Config?: {
    User?: string
    Env?: string[]
    ExposedPorts?: Record<string, object>
    Healthcheck?: HealthConfig
    Labels?: Record<string, string> | null
    Volumes?: Record<string, object> | null
  }
}

export type NetworkAnswer = {
  Id: string
  Name: string
  Created: string
  Scope: string
  Labels?: Record<string, string>
  Options?: Record<string, string> | null
}

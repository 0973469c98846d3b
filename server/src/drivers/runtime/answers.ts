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
}

type UpdateState = 'updating' | 'paused' | 'completed' | 'rollback_started' | 'rollback_paused' | 'rollback_completed'

export type SwarmSpec = {
  Name: string
  Labels?: Record<string, string>
  TaskTemplate: TaskTemplate
  Mode: { Replicated?: { Replicas: number }; Global?: object }
  UpdateConfig?: RollConfig
  RollbackConfig?: RollConfig
  EndpointSpec?: { Mode: string; Ports?: PortConfig[] }
}

export type TaskTemplate = {
  ContainerSpec?: {
    Image: string
    Labels?: Record<string, string>
    Command?: string[]
    Args?: string[]
    Env?: string[]
    Dir?: string
    User?: string
    Init?: boolean
    TTY?: boolean
    StopGracePeriod?: number
    Mounts?: { Type: string; Source: string; Target: string; ReadOnly: boolean; VolumeOptions?: object }[]
    Healthcheck?: HealthConfig
  }
  Resources?: { Limits?: Resources; Reservations?: Resources }
  RestartPolicy?: { Condition: 'any' | 'on-failure' | 'none'; Delay: number }
  Networks?: { Target: string; Aliases?: string[] }[]
  LogDriver?: { Name: string; Options: Record<string, string> }
  ForceUpdate?: number
}

export type HealthConfig = {
  Test?: string[]
  Interval?: number
  Timeout?: number
  Retries?: number
  StartPeriod?: number
  StartInterval?: number
}

type Resources = { MemoryBytes?: number; NanoCPUs?: number }
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
    OOMKilled?: boolean
    Health?: { Status: string; FailingStreak: number; Log?: { Output: string; ExitCode: number }[] }
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
}

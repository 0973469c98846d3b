import type { Identity, Spec } from '../../server/src/core/deployments/converge/planning/operation.ts'

/** A spec of the model: with where it listens, which the audit looks at. */
export type ModelSpec = Spec & { listens: number | null }

/** How an image behaves is the part of a hash behind `~`: `v2~crash`. */
export type Behaviour = 'good' | 'crash' | 'sick' | 'late'
export const behaviourOf = ({ specHash }: Identity): Behaviour => (specHash.split('~')[1] ?? 'good') as Behaviour

export const TICK_MS = 250
export const WINDOW = 8
export const MONITOR_MS = WINDOW * TICK_MS
/** How often the engine tries a job. */
export const ATTEMPTS = 2

type Form = { spec: ModelSpec; generation: number; restart: string | null }
type Update = 'updating' | 'completed' | 'paused' | 'rollback_started' | 'rollback_completed' | 'rollback_paused'
export type Service = Form & {
  id: number
  project: string
  version: number
  previous: Form | null
  update: Update | null
  onFailure: 'rollback' | 'pause'
  stopFirst: boolean
  triedFrom: Identity | null
  leaving: boolean
  deaths: number
}
type State = 'pending' | 'starting' | 'running' | 'stopping' | 'ended' | 'complete'
export type Task = {
  id: number
  of: number
  project: string
  spec: ModelSpec
  generation: number
  slot: number
  state: State
  meant: boolean
  healthy: boolean
  at: number
  upAt: number
  /** It was told to end, or it died by itself. */
  told: boolean
  sour: boolean
}

export const isMoving = ({ update }: Service): boolean => update === 'updating' || update === 'rollback_started'
export const isOver = ({ state }: Task): boolean => state === 'ended' || state === 'complete'
export const holds = ({ state }: Task): boolean => state === 'starting' || state === 'running' || state === 'stopping'
export const isCurrent = (task: Task, { spec, generation }: Service): boolean =>
  task.spec.deployment === spec.deployment && task.spec.specHash === spec.specHash && task.generation === generation

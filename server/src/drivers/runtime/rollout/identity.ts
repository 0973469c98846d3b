import { createHash } from 'node:crypto'
import type { ContainerSpec, ServiceAnswer, SwarmSpec, TaskAnswer, TaskTemplate } from '../../engine/answers.ts'
import { LABEL } from '../labels.ts'

/** Which spec something belongs to. A restart changes only the generation. */
export type Identity = { deployment: string | null; specHash: string | null; generation: number }

/** In place of the hash of our spec: the labels are ours, but what runs under them is not. */
export const ALTERED = 'altered'

export function identityOf({ ContainerSpec = { Image: '' }, ForceUpdate = 0 }: TaskTemplate): Identity {
  const labels = ContainerSpec.Labels ?? {}
  const altered = labels[LABEL.content] !== undefined && labels[LABEL.content] !== contentHash(ContainerSpec)
  return {
    deployment: labels[LABEL.deployment] ?? null,
    specHash: altered ? ALTERED : (labels[LABEL.spec] ?? null),
    generation: ForceUpdate,
  }
}

/** Of what the engine gives back exactly as it got it. */
export function contentHash({ Image, Command = [], Args = [], Env = [] }: ContainerSpec): string {
  return createHash('sha256')
    .update(JSON.stringify([Image, Command, Args, Env]))
    .digest('hex')
    .slice(0, 32)
}

export function sameIdentity(a: Identity, b: Identity): boolean {
  return a.deployment === b.deployment && a.specHash === b.specHash && a.generation === b.generation
}

/** What a service had before its last change, for whoever has to restore it. */
export function nameOf(spec: SwarmSpec | undefined): { deployment: string; specHash: string } | null {
  const { deployment, specHash } = spec ? identityOf(spec.TaskTemplate) : { deployment: null, specHash: null }
  return deployment === null || specHash === null ? null : { deployment, specHash }
}

/**
 * Whether the engine is still changing the service. For a moment after a change it says nothing at all; tasks of another
 * spec that are meant to run give it away.
 */
export function isChanging({ Spec, UpdateStatus }: ServiceAnswer, tasks: TaskAnswer[]): boolean {
  const state = UpdateStatus?.State
  if (state === 'updating' || state === 'rollback_started') return true
  if (state !== undefined) return false
  const wanted = identityOf(Spec.TaskTemplate)
  return tasks.some((task) => task.DesiredState === 'running' && !sameIdentity(identityOf(task.Spec), wanted))
}

/** Somebody has begun to remove it: `take-away.ts`. */
export const isLeaving = ({ Spec }: Pick<ServiceAnswer, 'Spec'>): boolean => Spec.Labels?.[LABEL.leaving] !== undefined

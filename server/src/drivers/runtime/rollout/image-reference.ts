import type Docker from 'dockerode'
import type { TaskAnswer, TaskTemplate } from '../../engine/answers.ts'
import { findImage } from '../images/images.ts'
import { LABEL } from '../labels.ts'
import { isOurs } from '../watch/judge.ts'
import { identityOf } from './identity.ts'
import { type ServiceSpec, specHash } from './spec.ts'

/**
 * What the engine is to find the image by. Before each task Swarm asks a registry for a name with a tag, also where the image
 * is there: a resolver that is silent holds every task up, and whoever answers for the name decides what runs. Of an id it asks
 * nobody. A digest is looked for on the engine first, and another node of the cluster can fetch it.
 */
export async function imageReference(
  docker: Docker,
  spec: ServiceSpec,
  tasks: TaskAnswer[],
  signal: AbortSignal,
): Promise<string> {
  // What an earlier version started by its name stays so: another reference would be another spec, and replace what runs.
  const wanted = { deployment: spec.deployment, specHash: specHash(spec) }
  const stays = (task: TaskAnswer) => task.DesiredState === 'running' && isOurs(wanted, identityOf(task.Spec))
  const running = tasks.find(stays)?.Spec.ContainerSpec?.Image
  if (running !== undefined) return running
  if (spec.image.includes('@')) return spec.image
  return (await findImage(docker, spec.image, signal))?.Id ?? spec.image
}

/** What the release calls the image. */
export const imageNameOf = ({ ContainerSpec }: TaskTemplate): string =>
  ContainerSpec?.Labels?.[LABEL.image] ?? ContainerSpec?.Image ?? ''

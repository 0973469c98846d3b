import type { Mount } from '../answers.ts'
import { LABEL } from '../labels.ts'
import { literal } from './literal.ts'
import type { ServiceSpec, VolumeMount } from './spec.ts'

type Owner = { instance: string; project: string }

/** Volumes and folders in memory, in the engine's words. */
export function mountsOf({ volumes, memory = [], project }: ServiceSpec, instance: string): Mount[] {
  return [
    ...volumes.map((volume) => volumeMount(volume, { instance, project })),
    ...memory.map(({ target, sizeBytes, mode }) => {
      const options = {
        ...(sizeBytes !== undefined && { SizeBytes: sizeBytes }),
        ...(mode !== undefined && { Mode: mode }),
      }
      return {
        Type: 'tmpfs' as const,
        Target: literal(target),
        ...(Object.keys(options).length > 0 && { TmpfsOptions: options }),
      }
    }),
  ]
}

function volumeMount(volume: VolumeMount, { instance, project }: Owner): Mount {
  const { name, key, target, readOnly, subpath, copy = true, options = {} } = volume
  const literally = Object.entries(options)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([option, value]) => [option, literal(value)])
  return {
    Type: 'volume',
    Source: name,
    Target: literal(target),
    ReadOnly: readOnly,
    VolumeOptions: {
      // The engine makes the volume when the first container needs it, and these are what tells whose it is.
      Labels: {
        [LABEL.instance]: instance,
        [LABEL.project]: project,
        ...(key !== undefined && { [LABEL.volume]: literal(key) }),
      },
      ...(subpath !== undefined && { Subpath: subpath }),
      ...(!copy && { NoCopy: true }),
      ...(literally.length > 0 && { DriverConfig: { Name: 'local', Options: Object.fromEntries(literally) } }),
    },
  }
}

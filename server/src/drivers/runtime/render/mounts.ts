import type { Mount } from '../../engine/answers.ts'
import { LABEL } from '../labels.ts'
import type { MemoryVolume, ServiceSpec, VolumeMount } from '../rollout/spec.ts'
import { literal } from './literal.ts'

type Owner = { instance: string; project: string }

/** Volumes and folders in memory, in the engine's words. */
export function mountsOf({ volumes, binds = [], memory = [], project }: ServiceSpec, instance: string): Mount[] {
  return [
    ...volumes.map((volume) => (volume.inPlace ? asItIs(volume) : volumeMount(volume, { instance, project }))),
    ...binds.map(({ source, target, readOnly }) => ({
      Type: 'bind' as const,
      Source: source,
      Target: literal(target),
      ReadOnly: readOnly,
    })),
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

/** Without labels and options: the engine would write them on a volume that it makes, and this one is never made. */
function asItIs({ name, target, readOnly, subpath, copy = true }: VolumeMount): Mount {
  const options = { ...(subpath !== undefined && { Subpath: subpath }), ...(!copy && { NoCopy: true }) }
  return {
    Type: 'volume',
    Source: name,
    Target: literal(target),
    ReadOnly: readOnly,
    ...(Object.keys(options).length > 0 && { VolumeOptions: options }),
  }
}

function volumeMount(volume: VolumeMount, { instance, project }: Owner): Mount {
  const { name, key, target, readOnly, subpath, copy = true, memory } = volume
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
      ...(memory && { DriverConfig: { Name: 'local', Options: memoryOptions(memory) } }),
    },
  }
}

/** No word of them is anybody's own: `device` and `o` reach mount(2), where `rbind` would be a folder of the server. */
function memoryOptions({ sizeBytes, mode, uid, gid, inodes, readOnly, noExec }: MemoryVolume): Record<string, string> {
  const o = [
    `size=${sizeBytes}`,
    ...(mode === undefined ? [] : [`mode=${mode.toString(8)}`]),
    ...(uid === undefined ? [] : [`uid=${uid}`]),
    ...(gid === undefined ? [] : [`gid=${gid}`]),
    ...(inodes === undefined ? [] : [`nr_inodes=${inodes}`]),
    ...(readOnly ? ['ro'] : []),
    ...(noExec ? ['noexec'] : []),
    'nosuid',
    'nodev',
  ]
  return { type: 'tmpfs', device: 'tmpfs', o: o.join() }
}

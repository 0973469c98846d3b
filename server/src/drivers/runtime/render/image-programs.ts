import type Docker from 'dockerode'
import type { ImageAnswer } from '../../engine/answers.ts'
import { callEngine, unlessMissing } from '../../engine/ask.ts'
import { LABEL } from '../labels.ts'

/** Programs of an image that a health check can be made of: full paths, null where it has none. */
export type Programs = { shell: string | null; wget: string | null; node: string | null }

const places = {
  bash: ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'],
  sh: ['/bin/sh', '/usr/bin/sh'],
  wget: ['/usr/bin/wget', '/bin/wget', '/usr/local/bin/wget'],
  // The last is where distroless images have it.
  node: ['/usr/local/bin/node', '/usr/bin/node', '/nodejs/bin/node'],
}

/** An image that is not on this engine yet: nearly all have a shell, and bash or busybox with it. */
const usualShell = '/bin/sh'
const assumed: Programs = { shell: usualShell, wget: 'wget', node: null }

/** By image id, whose contents never change. */
const known = new Map<string, Promise<Programs>>()
const MOST_KNOWN = 500
const LOOK_MS = 20_000

/** Looks into an image through the API: a container that never starts shows its files. */
export async function imagePrograms(
  docker: Docker,
  { image, instance }: { image: string; instance: string },
  signal: AbortSignal,
): Promise<Programs> {
  const path = `/images/${encodeURIComponent(image)}/json`
  const found = await unlessMissing(callEngine<ImageAnswer>(docker, { path }, signal))
  if (found === undefined) return assumed
  let programs = known.get(found.Id)
  if (!programs) {
    if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value ?? '')
    programs = look(docker, { id: found.Id, instance })
    known.set(found.Id, programs)
    programs.catch(() => known.delete(found.Id))
  }
  return programs
}

/** Not under the caller's signal: others may wait for the same look, and its container must go in any case. */
async function look(docker: Docker, { id, instance }: { id: string; instance: string }): Promise<Programs> {
  const signal = AbortSignal.timeout(LOOK_MS)
  const Labels = { [LABEL.instance]: instance, [LABEL.look]: '1' }
  const body = { Image: id, Entrypoint: ['/none'], NetworkDisabled: true, Labels }
  const { Id } = await callEngine<{ Id: string }>(docker, { method: 'POST', path: '/containers/create', body }, signal)
  const first = async (program: keyof typeof places) => {
    // One after the other: 30 at once took the engine half a minute, one takes 8 ms.
    for (const path of places[program]) {
      const request = { method: 'HEAD', path: `/containers/${Id}/archive`, query: { path } } as const
      if ((await unlessMissing(callEngine(docker, request, signal))) !== undefined) return path
    }
    return null
  }
  try {
    const bash = await first('bash')
    if (bash) return { shell: bash, wget: null, node: null }
    const [shell, wget] = [await first('sh'), await first('wget')]
    return { shell, wget, node: shell && wget ? null : await first('node') }
  } finally {
    const remove = { method: 'DELETE', path: `/containers/${Id}`, query: { force: true, v: true } } as const
    await callEngine(docker, remove, AbortSignal.timeout(5000)).catch(() => {})
  }
}

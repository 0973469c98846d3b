import type Docker from 'dockerode'
import { callEngine, statusOf } from '../../engine/ask.ts'
import { runtimeFailure } from '../failure.ts'
import { findImage } from '../images/images.ts'
import { pullImage } from '../images/pull.ts'
import { LABEL } from '../labels.ts'

const ANY_FOLDER = '/etc'

/**
 * Runs commands in the machine's own network, by a container of a moment; gives what they printed. Each with its argument
 * list, one after the other; no shell: `find` runs them for a folder that is always there.
 */
export async function runOnMachine(
  docker: Docker,
  { instance, image }: { instance: string; image: string },
  commands: string[][],
  signal: AbortSignal,
): Promise<string> {
  if (!(await findImage(docker, image, signal))) await pullImage(docker, image, { signal })
  const body = {
    Image: image,
    Entrypoint: [],
    Cmd: ['find', ANY_FOLDER, '-prune', ...commands.flatMap((argv) => ['-exec', ...argv, ';'])],
    User: '0:0',
    // The log of a TTY has no frames around its pieces.
    Tty: true,
    Labels: { [LABEL.instance]: instance, [LABEL.look]: 'guard' },
    HostConfig: {
      NetworkMode: 'host',
      Binds: ['/proc/sys/fs/inotify:/inotify'],
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      CapAdd: ['NET_ADMIN'],
      SecurityOpt: ['no-new-privileges', 'label=disable'],
      UsernsMode: 'host',
    },
  }
  const { Id } = await callEngine<{ Id: string }>(
    docker,
    { method: 'POST', path: '/containers/create', body },
    signal,
  ).catch((error) => {
    if (statusOf(error) !== 404) throw error
    throw runtimeFailure('image_missing', `The engine has no image ${image}.`, error)
  })
  const path = `/containers/${Id}`
  try {
    await callEngine(docker, { method: 'POST', path: `${path}/start` }, signal)
    await callEngine(docker, { method: 'POST', path: `${path}/wait` }, signal)
    const query = { stdout: true, stderr: true }
    return String(await callEngine(docker, { path: `${path}/logs`, query }, signal)).replaceAll('\r', '')
  } finally {
    const remove = { method: 'DELETE', path, query: { force: true } } as const
    await callEngine(docker, remove, AbortSignal.timeout(5000)).catch(() => {})
  }
}

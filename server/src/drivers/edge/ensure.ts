import { setTimeout as sleep } from 'node:timers/promises'
import type { ContainerInfo } from 'dockerode'
import { uploadTo } from './archive.ts'
import { bridgeOf, CONFIG_FILE, edgeContainer, INSTANCE_LABEL, ROLE_LABEL, SPEC_LABEL } from './container.ts'
import type { EdgeContents, EdgeSettings } from './edge.ts'
import { edgeFailure } from './edge.ts'
import { fillVolume } from './fill.ts'
import { ensureImage } from './image.ts'
import { type EdgeScope, edgesOf, isGone, isStopped, runningEdge, startEdge } from './running.ts'

/** Meeting another caller at each of the steps still leaves room. */
const MOST_MEETINGS = 20
const MEETING_MS = 200

type Wanted = ReturnType<typeof edgeContainer>

/**
 * A change replaces the container: some tenths of a second without a listener, because host ports cannot be held twice. That
 * happens on upgrades of the platform and changed ports, never for a project. Each step finds what an earlier caller, killed
 * in the middle, has left.
 */
export async function ensureEdge(
  scope: EdgeScope,
  settings: EdgeSettings,
  contents?: EdgeContents,
): Promise<'created' | 'unchanged' | 'replaced'> {
  for (let meetings = 0; ; meetings += 1) {
    try {
      return await bringAbout(scope, settings, contents)
    } catch (error) {
      // Another caller was faster: what it made is there now.
      if (meetings === MOST_MEETINGS || !isGone(error)) throw error
    }
    // Its name is taken a moment before it can be found.
    await sleep(MEETING_MS, undefined, { signal: scope.signal })
  }
}

async function bringAbout(scope: EdgeScope, settings: EdgeSettings, contents: EdgeContents | undefined) {
  const found = await edgesOf(scope)
  if (found.some(({ Labels }) => Labels[INSTANCE_LABEL] !== settings.instance)) {
    throw edgeFailure('edge_foreign', `The edge ${scope.name} on this server belongs to another Slipway.`)
  }
  const wanted = edgeContainer(scope.name, settings)
  const isWanted = ({ Labels }: ContainerInfo) => Labels[SPEC_LABEL] === wanted.hash
  const [current] = found.filter(isWanted)
  const others = found.filter((one) => !isWanted(one))
  if (current && others.length === 0 && current.State !== 'created') {
    await runningEdge(scope, wanted.hash)
    return 'unchanged' as const
  }
  // Before anything stops: the old one has to go first, and its successor must not fetch its image while nobody listens.
  await ensureImage(scope, settings.image)
  await ensureBridge(scope, settings.instance)
  if (others.length === 0 && contents) await fillVolume(scope, settings, contents)
  const id = current?.Id ?? (await create(scope, wanted))
  if (!current || isStopped(current)) await giveConfig(scope, id, wanted)
  await takePlace(scope, { id, hash: wanted.hash }, others)
  if (others.length > 0) return 'replaced' as const
  return current ? ('unchanged' as const) : ('created' as const)
}

/** Of two that come at the same moment the name lets one through. */
async function create({ docker, name, signal }: EdgeScope, { hash, body }: Wanted): Promise<string> {
  const made = await docker.createContainer({ ...body, name: `${name}-${hash}`, abortSignal: signal })
  return made.id
}

async function giveConfig({ docker, signal }: EdgeScope, id: string, { config }: Wanted): Promise<void> {
  await uploadTo(docker.getContainer(id), [{ path: CONFIG_FILE, body: config, mode: 0o444 }], signal)
}

/** The others stop, it starts; if it does not come up, the one that ran before goes on. */
async function takePlace(
  scope: EdgeScope,
  { id, hash }: { id: string; hash: string },
  others: ContainerInfo[],
): Promise<void> {
  const { docker, signal } = scope
  const before = others.find(({ State }) => State === 'running') ?? others[0]
  for (const { Id } of others) await docker.getContainer(Id).stop({ t: 1, abortSignal: signal }).catch(ignoreStopped)
  try {
    await startEdge(scope, id)
    await runningEdge(scope, hash)
  } catch (error) {
    if (before && !isGone(error)) {
      await docker.getContainer(id).remove({ force: true }).catch(ignoreMissing)
      await docker.getContainer(before.Id).start().catch(ignoreStopped)
    }
    throw error
  }
  for (const { Id } of others) await docker.getContainer(Id).remove({ force: true }).catch(ignoreMissing)
}

/** Nobody but the edge is ever on it. */
async function ensureBridge({ docker, name, signal }: EdgeScope, instance: string): Promise<void> {
  const bridge = bridgeOf(name)
  const found = await docker.listNetworks({ filters: { name: [bridge] }, abortSignal: signal })
  if (found.some((network) => network.Name === bridge)) return
  await docker.createNetwork({
    Name: bridge,
    Driver: 'bridge',
    CheckDuplicate: true,
    Options: { 'com.docker.network.bridge.enable_icc': 'false' },
    Labels: { [ROLE_LABEL]: 'edge', [INSTANCE_LABEL]: instance },
    abortSignal: signal,
  })
}

function ignoreStopped(error: { statusCode?: number }): void {
  if (error.statusCode !== 304 && error.statusCode !== 404) throw error
}

export function ignoreMissing(error: { statusCode?: number }): void {
  if (error.statusCode !== 404) throw error
}

import type { Service } from 'dockerode'
import type { EdgeContents, EdgeSettings } from './edge.ts'
import { EdgeFailure } from './edge.ts'
import { fillVolume } from './fill.ts'
import { ensureImage } from './image.ts'
import { type EdgeScope, findService, runningEdge, settledService } from './running.ts'
import { configObject, edgeService, INSTANCE_LABEL, ROLE_LABEL, SPEC_LABEL } from './service.ts'

/** Meeting another caller at each of the steps still leaves room. */
const MOST_MEETINGS = 5

/**
 * A change replaces the task: about a second without a listener, because host ports cannot be held twice. That happens on
 * upgrades of the platform and changed ports, never for a project.
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
      if (meetings === MOST_MEETINGS || !isMeeting(error)) throw error
    }
  }
}

async function bringAbout(scope: EdgeScope, settings: EdgeSettings, contents: EdgeContents | undefined) {
  const { docker, name } = scope
  const service = await settledService(scope, scope.pendingMs)
  const labels = service?.Spec?.Labels ?? {}
  if (service && labels[INSTANCE_LABEL] !== settings.instance) {
    throw new EdgeFailure('edge_foreign', `The edge ${name} on this server belongs to another Slipway.`)
  }
  await ensureNetwork(scope, settings.instance)
  const place = { name, nodeId: await nodeId(scope), config: await ensureConfig(scope, settings) }
  const { hash, spec } = edgeService(place, settings)
  const done = !service
    ? ('created' as const)
    : labels[SPEC_LABEL] === hash
      ? ('unchanged' as const)
      : ('replaced' as const)
  // Before anything stops: the old task has to go first, and its successor must not fetch its image while nobody listens.
  if (done !== 'unchanged') await ensureImage(scope, settings.image)
  if (!service && contents) await fillVolume(scope, settings, contents)
  if (!service) await docker.createService(spec)
  if (service && done === 'replaced') await replace(scope, service, { hash, spec })
  await runningEdge(scope, hash)
  await dropConfigs(scope, place.config.id)
  return done
}

async function replace(scope: EdgeScope, old: Service, { hash, spec }: ReturnType<typeof edgeService>): Promise<void> {
  await update(scope, old, spec)
  try {
    await runningEdge(scope, hash)
    // Running is not yet staying: within the monitoring period Swarm may still go back, and the next look says so.
    await settledService(scope, scope.pendingMs)
    await runningEdge(scope, hash)
  } catch (error) {
    // Swarm goes back by itself when a task dies, but not when it waits for a port that another has.
    const now = scope.signal.aborted ? undefined : await findService(scope)
    if (now?.Spec?.Labels?.[SPEC_LABEL] === hash) await update(scope, now, old.Spec ?? {})
    throw error
  }
}

function update({ docker }: EdgeScope, { ID, Version }: Service, spec: object): Promise<unknown> {
  return docker.getService(ID).update({ _query: { version: Version?.Index }, _body: spec })
}

function isMeeting(error: unknown): boolean {
  const { statusCode, message = '' } = error as { statusCode?: number; message?: string }
  // Swarm's own refusals come as 409 or, now and then, as 500.
  return statusCode === 409 || (statusCode === 500 && /out of sequence|conflicts with an existing/.test(message))
}

/**
 * Not attachable: only services of this Swarm come onto it, no container someone starts by hand. Mostly the runtime was
 * here before, with the first service; it takes this one for its own by the label.
 */
async function ensureNetwork({ docker, name, signal }: EdgeScope, instance: string): Promise<void> {
  const found = await docker.listNetworks({ filters: { name: [name] }, abortSignal: signal })
  if (found.some((network) => network.Name === name)) return
  await docker.createNetwork({
    Name: name,
    Driver: 'overlay',
    Attachable: false,
    Labels: { [ROLE_LABEL]: 'edge', 'slipway.instance': instance },
    abortSignal: signal,
  })
}

async function nodeId({ docker }: EdgeScope): Promise<string> {
  const { Swarm }: { Swarm?: { NodeID?: string } } = await docker.info()
  return Swarm?.NodeID ?? ''
}

async function ensureConfig(scope: EdgeScope, settings: EdgeSettings): Promise<{ id: string; name: string }> {
  const wanted = configObject(scope.name, settings)
  const there = (await configsOf(scope)).find(({ Spec }) => Spec?.Name === wanted.Name)
  const id = there?.ID ?? ((await scope.docker.createConfig(wanted)) as { id: string }).id
  return { id, name: wanted.Name }
}

/** Those of former versions. One that a task still shuts down with cannot go yet; the next call takes it. */
async function dropConfigs(scope: EdgeScope, except: string | null): Promise<void> {
  for (const { ID } of await configsOf(scope)) {
    if (ID === except) continue
    await scope.docker
      .getConfig(ID)
      .remove()
      .catch(() => {})
  }
}

async function configsOf({ docker, name, signal }: EdgeScope) {
  const all = await docker.listConfigs({ filters: { label: [`${ROLE_LABEL}=edge`] }, abortSignal: signal })
  return all.filter(({ Spec }) => new RegExp(`^${name}-[0-9a-f]{16}$`).test(Spec?.Name ?? ''))
}

export const dropAllConfigs = (scope: EdgeScope) => dropConfigs(scope, null)

import type { ImageFacts } from '../../../drivers/runtime/images/images.ts'
import { isFailure } from '../../../errors.ts'
import { loginsOf, type ProjectLogins } from '../../registries/logins.ts'
import type { DeployContext } from '../deploy-context.ts'
import type { BuiltImage } from '../parts.ts'
import type { ServicePlan } from '../rows/blueprint.ts'
import { DeployFailure } from '../rows/failure.ts'
import { hasHad } from '../rows/store.ts'

/** To see whether a registry has a newer one; without an answer the one that is there does. */
const REFRESH_MS = 60_000

/** An image that somebody else made, under the name that means exactly it: what is released runs the same bytes for ever. */
export async function foreignImage(
  context: DeployContext,
  { name: service, config }: ServicePlan,
  name: string,
  signal: AbortSignal,
): Promise<BuiltImage> {
  const { parts, engine } = context
  if (isOurName(name)) throw notForeign(name, service)
  const known = await parts.runtime.images.inspect(engine, name, { signal })
  // Whatever spelling led there: the beginning of an id does, too.
  if (known && isBuilt(known)) throw notForeign(name, service)
  if (known && known.pinned === null && !context.policy.localImages) throw onlyHere(name, service)
  const logins = await loginsOf(parts, context.deployment)
  // One without a digest was loaded or built on the server: no registry knows more about it.
  const isFixed = name.includes('@') && !logins.isOthers(name)
  if (known === null || (known.pinned !== null && !isFixed))
    await bring(context, { service, name, there: known?.pinned ?? null, logins }, signal)
  const facts = await parts.runtime.images.inspect(engine, name, { signal })
  if (facts) return { name: facts.pinned ?? name, id: facts.id, port: config.port ?? firstPort(facts) ?? null }
  const message = `The image ${name} is not on the server, although it was fetched.`
  throw new DeployFailure({ code: 'image_not_found', service, message, hint: 'Deploy again.' })
}

type Wanted = { service: string; name: string; there: string | null; logins: ProjectLogins }

async function bring(context: DeployContext, wanted: Wanted, signal: AbortSignal): Promise<void> {
  const { parts, engine, events } = context
  const { service, name, there, logins } = wanted
  const say = (line: string) => events.write('log', { service, step: 'build', stream: 'stdout', line })
  const login = logins.for(name)
  try {
    say(login === null ? `Fetching ${name}` : `Fetching ${name} as ${login.username}`)
    // An engine that has had it takes it from its own disk by a digest, and asks nobody.
    const asked = logins.isOthers(name)
    if (asked && !(await parts.runtime.images.offered(engine, name, { signal, login }))) throw withheld(name, service)
    const patience = there === null ? {} : { deadlineMs: REFRESH_MS }
    await parts.runtime.images.pull(engine, name, { signal, onLine: say, login, ...patience })
  } catch (error) {
    signal.throwIfAborted()
    if (there === null || !(await mayUse(context, wanted, error))) throw error
    say(`No newer one can be had, so the one on the server is used: ${(error as Error).message}`)
  }
}

/**
 * Whether what lies on the server does when its registry gives nothing. Where another project's credential may have brought it,
 * only what the project itself has run before, and only while the registry is away.
 */
async function mayUse(
  { parts, deployment }: Pick<DeployContext, 'parts' | 'deployment'>,
  { name, there, logins }: Wanted,
  error: unknown,
) {
  if (!logins.isOthers(name)) return true
  if (there === null || !isFailure(error, 'runtime', 'registry_unreachable')) return false
  return hasHad(parts.db, deployment.projectId, there)
}

/** Where an image says that it listens. */
export const firstPort = ({ ports }: ImageFacts) => ports.find(({ protocol }) => protocol === 'tcp')?.port

/** Names of built images, and ids, would lead to other projects' images. */
const isOurName = (name: string) => name.startsWith('slipway.invalid/') || /^(?:sha256:)?[0-9a-f]{12,64}$/.test(name)

/** The builder's own label, which a Dockerfile cannot take away. */
const isBuilt = ({ labels }: ImageFacts) => labels['slipway.project'] !== undefined

/** Whoever runs the server put it there, and not for everybody who may deploy. */
function onlyHere(name: string, service: string): DeployFailure {
  const message = `The image ${name} is on the server but comes from no registry, and this server allows no such images.`
  const hint = 'Push it to a registry, or let an admin allow it: PATCH /api/servers/:id with policy.localImages.'
  return new DeployFailure({ code: 'image_not_found', step: 'build', service, message, hint })
}

function withheld(name: string, service: string): DeployFailure {
  const message = `The registry has no image ${name}, or does not show it to this project.`
  const hint = 'Check the name, or save a credential for this project or for all: POST /api/registries.'
  return new DeployFailure({ code: 'image_not_found', step: 'build', service, message, hint })
}

function notForeign(name: string, service: string): DeployFailure {
  const hint = 'Name an image as its registry does: name:tag, host/name:tag or name@sha256:…'
  const message = `${name} is not the name of an image that can be deployed.`
  return new DeployFailure({ code: 'image_not_found', step: 'build', service, message, hint })
}

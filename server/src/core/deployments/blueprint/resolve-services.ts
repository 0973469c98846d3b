import type { DeploymentSource } from '@slipway/contract/deployment-shape'
import { ServiceName } from '@slipway/contract/services'
import { Refusal } from '../../../errors.ts'
import type { SourceTree } from '../../../source/build/source-tree.ts'
import { COMPOSE_FILES } from '../../../source/compose/file-names.ts'
import type { DeployContext } from '../deploy-context.ts'
import { loadAdopted } from '../rows/adopted-store.ts'
import type { Blueprint } from '../rows/blueprint.ts'
import type { Setting } from '../rows/overrides.ts'
import { ofAdopted } from './of-adopted.ts'
import { ofSettings } from './of-settings.ts'
import { openSource } from './source.ts'

/**
 * Which services a source consists of. Those that the project names count, unless a compose file of the source knows one of
 * them: then they are settings of its services. Without any, the source itself says so: a compose file, a workspace with several packages, or it is one.
 */
export async function drawBlueprint(
  context: DeployContext,
  source: DeploymentSource,
  signal: AbortSignal,
): Promise<Blueprint> {
  const { settings, deployment, parts, project } = context
  if (source.kind === 'adopted') return ofAdopted(await loadAdopted(parts.db, parts, project), settings)
  const { buildStrategy } = deployment.request
  if (source.kind === 'image' || (buildStrategy !== 'auto' && buildStrategy !== 'compose')) return ofSettings(settings)
  const tree = await openSource(context, source, signal)
  const isCompose = tree.entries.some(({ path }) => COMPOSE_FILES.includes(path)) || namesFiles(context)
  if (buildStrategy === 'compose' || isCompose) {
    const found = await compose(context, tree)
    const known = (setting: Setting) => found.services.some(({ name }) => name === setting.name)
    if (buildStrategy === 'compose' || settings.length === 0 || settings.some(known)) {
      const idle = settings.filter((setting) => !known(setting)).map(({ name }) => unused(name))
      return { ...found, warnings: [...found.warnings, ...idle] }
    }
  }
  return settings.length > 0 ? ofSettings(settings) : ofSource(tree, signal)
}

const unused = (name: string) => ({
  service: null,
  message: `The project has settings for ${name}, which the compose file does not name: they are not used.`,
})

const namesFiles = ({ variables }: Pick<DeployContext, 'variables'>) =>
  variables.some(({ name, service }) => name === 'COMPOSE_FILE' && service === null)

async function compose(
  {
    parts,
    policy,
    project,
    settings,
    variables,
  }: Pick<DeployContext, 'parts' | 'policy' | 'project' | 'settings' | 'variables'>,
  tree: SourceTree,
): Promise<Blueprint> {
  const { ofCompose } = await import('./of-compose.ts')
  const shared = variables.filter(({ service, scope }) => service === null && scope !== 'build')
  const environment = Object.fromEntries(shared.map(({ name, value }) => [name, value]))
  const { httpPort, httpsPort } = parts.config.edge
  const projectName =
    project.name
      .toLowerCase()
      .replace(/[^a-z0-9_-]+/g, '-')
      .replace(/^[^a-z0-9]+/, '') || 'project'
  const { hostPorts } = policy
  return ofCompose(tree, { environment, projectName, settings, hostPorts, edgePorts: [httpPort, httpsPort] })
}

/** A workspace becomes one service per package that can be deployed. Whatever else is wrong is for the build to say. */
async function ofSource(tree: SourceTree, signal: AbortSignal): Promise<Blueprint> {
  const { detect } = await import('../../../source/build/detect.ts')
  const found = await detect(tree, { signal }).catch((error) => {
    if (error instanceof Refusal) return null
    throw error
  })
  if (found?.strategy !== 'monorepo' || found.services.length < 2) return ofSettings([])
  const parts = found.services.flatMap(({ name, rootDirectory }): Setting[] =>
    rootDirectory === null ? [] : [{ name: slugOf(name), config: { rootDirectory } }],
  )
  return ofSettings(parts)
}

function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/^@[^/]*\//, '')
    .replace(/[^a-z0-9_-]+/g, '-')
    .slice(0, 60)
  return ServiceName.parse(slug.replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, ''))
}

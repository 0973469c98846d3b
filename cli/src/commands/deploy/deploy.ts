import { basename, resolve } from 'node:path'
import type { Project } from '@slipway/contract/projects'
import type { Call, Command } from '../../command.ts'
import { EXIT, usage } from '../../failure.ts'
import { finish } from '../../follow/finish.ts'
import type { Instance } from '../../instance/instance.ts'
import { type Folder, findFolder, readFolder } from '../../instance/link.ts'
import { once } from '../../instance/once.ts'
import { findProject, namedProject } from '../../instance/project.ts'
import { findServer } from '../../instance/server.ts'
import { planLines } from '../../show/plan.ts'
import { previewFolder, sendFolder } from './send-folder.ts'

type Flags = Parameters<Command<'deploy'>>[0]['flags']
type Deploying = Call<Flags>
type Source = { image: string } | { branch: string } | { uploadSessionId: string }

/** A folder, an image or a branch, to its end. */
export const deploy: Command<'deploy'> = async (call) => {
  const begun = performance.now()
  const { flags, words } = call
  if (flags.wait && flags['no-wait']) throw usage('--wait and --no-wait exclude each other.')
  if (flags.cloud && flags.server !== undefined) throw usage('--cloud and --server exclude each other.')
  if ([flags.image, flags.branch, words[0]].filter((one) => one !== undefined).length > 1)
    throw usage('A folder, --image and --branch exclude each other.')
  const folder = words[0] === undefined ? findFolder(call.cwd) : readFolder(resolve(call.cwd, words[0]))
  const other =
    flags.image !== undefined ? { image: flags.image } : flags.branch !== undefined ? { branch: flags.branch } : null
  if (other === null && flags['dry-run']) return previewFolder(call, folder)
  const instance = await call.instance()
  // Before anything is sent: who may not deploy, or has linked the folder elsewhere, hears of it now.
  const project = await theProject(call, instance, folder)
  if (other !== null) return begin(call, instance, { project, folder, source: other, begun, timing: {} })
  const { uploadSessionId, timing } = await sendFolder(call, instance, folder, project.name)
  return begin(call, instance, { project, folder, source: { uploadSessionId }, begun, timing })
}

type Begin = { project: Project; folder: Folder; source: Source; begun: number; timing: Record<string, number> }

async function begin(
  call: Deploying,
  instance: Instance,
  { project, folder, source, begun, timing }: Begin,
): Promise<number> {
  const { flags, out } = call
  const server = flags.server === undefined ? {} : { serverId: (await findServer(instance, flags.server)).id }
  const services = folder.file?.services === undefined ? {} : { services: folder.file.services as never }
  const message = flags.message === undefined ? {} : { message: flags.message }
  const target = flags.cloud ? { deployTarget: 'cloud' as const } : {}
  const more = { ...server, ...target, ...services, ...message }
  const body = { projectId: project.id, ...source, ...more, dryRun: flags['dry-run'] }
  const started = await instance.api.deployments.buildAccess({ body, headers: once() })
  if (!('dryRun' in started)) return finish(call, instance, { id: started.deployment_id, begun, timing })
  out.result(started, () => [
    `Deploying ${project.name} would do this; nothing was changed:`,
    ...planLines(started.plan),
    `  ${started.assumes}`,
  ])
  return EXIT.ok
}

/** The project of the folder; made where there is none of that name yet, but never for a dry run. */
async function theProject(call: Deploying, instance: Instance, folder: Folder): Promise<Project> {
  const named = (await namedProject(call, instance, folder)) ?? { by: 'name' as const, value: basename(folder.path) }
  if (named.by === 'id' || call.flags['dry-run']) return findProject(instance, named)
  const { project, created } = await instance.api.projects.ensure({ body: { name: named.value }, headers: once() })
  if (created) call.out.say(`${call.out.paint('green', '✓')} Project ${project.name} made`)
  return project
}

import { basename } from 'node:path'
import type { Command } from '../../command.ts'
import { usage } from '../../failure.ts'
import { findFolder, readFolder, removeLink, writeLink } from '../../instance/link.ts'
import { findProject, namedBy } from '../../instance/project.ts'

/** Says for this machine which project this very folder is. */
export const link: Command<'link'> = async (call) => {
  const { out, cwd, words } = call
  const instance = await call.instance()
  const { file } = readFolder(cwd)
  const name =
    words[0] ?? call.flags.project ?? (call.env.SLIPWAY_PROJECT || undefined) ?? file?.project ?? basename(cwd)
  const project = await findProject(instance, namedBy(name))
  writeLink(cwd, { instance: instance.url, projectId: project.id })
  out.say(`${out.paint('green', '✓')} This folder is ${project.name} at ${instance.url}`)
  out.event({ success: true, folder: cwd, instance: instance.url, project })
}

export const unlink: Command<'unlink'> = async ({ cwd, out }) => {
  const folder = findFolder(cwd)
  if (!folder.link) throw usage('This folder is linked to no project.')
  removeLink(folder.path)
  out.say(`${out.paint('green', '✓')} ${folder.path} is linked to no project any more`)
  out.event({ success: true, folder: folder.path })
}

import { basename } from 'node:path'
import type { Command } from '../../command.ts'
import { usage } from '../../failure.ts'
import { ask } from '../../instance/ask.ts'
import { readFolder, writeFolderFile, writeLink } from '../../instance/link.ts'
import { findServer } from '../../instance/server.ts'

/** A project of this folder: made if there is none of its name, written down for everybody, linked for this machine. */
export const init: Command<'init'> = async (call) => {
  const { cwd, out, words, flags } = call
  const before = await readFolder(cwd)
  if (before.file?.project !== undefined && words[0] === undefined)
    throw usage(`slipway.json says already that this folder is ${before.file.project}.`, 'Deploy it: slipway deploy')
  const instance = await call.instance()
  const name =
    words[0] ??
    flags.project ??
    (await ask(call, 'Name of the project', { unsaid: basename(cwd), flag: 'slipway init NAME' }))
  const server = flags.server === undefined ? null : await findServer(instance, flags.server)
  const ensured = await instance.api.projects.ensure({ body: { name } })
  const project =
    server === null || ensured.project.serverId === server.id
      ? ensured.project
      : await instance.api.projects.update({ params: { id: ensured.project.id }, body: { serverId: server.id } })
  await writeFolderFile(cwd, { ...before.file, project: project.name })
  await writeLink(cwd, { instance: instance.url, projectId: project.id })
  const made = ensured.created ? 'made' : 'was there already'
  out.say(
    `${out.paint('green', '✓')} Project ${project.name} ${made}; slipway.json written. Deploy with: slipway deploy`,
  )
  out.event({ success: true, created: ensured.created, project })
}

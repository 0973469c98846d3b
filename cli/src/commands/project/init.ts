import { basename } from 'node:path'
import type { Preparation } from '@slipway/contract/prepare'
import type { Command } from '../../command.ts'
import { usage } from '../../failure.ts'
import { recognise } from '../../folder/recognise.ts'
import { ask } from '../../instance/ask.ts'
import { readFolder, writeFolderFile, writeLink } from '../../instance/link.ts'
import { findServer } from '../../instance/server.ts'

/** A project of this folder: made if there is none of its name, written down for everybody, linked for this machine. */
export const init: Command<'init'> = async (call) => {
  const { cwd, out, words, flags } = call
  const before = readFolder(cwd)
  if (before.file?.project !== undefined && words[0] === undefined)
    throw usage(`slipway.json says already that this folder is ${before.file.project}.`, 'Deploy it: slipway deploy')
  const instance = await call.instance()
  const found = await recognise(instance, cwd, call.signal)
  for (const line of seen(found)) out.say(line)
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
  writeFolderFile(cwd, { ...before.file, project: project.name })
  writeLink(cwd, { instance: instance.url, projectId: project.id })
  const made = ensured.created ? 'made' : 'was there already'
  out.say(
    `${out.paint('green', '✓')} Project ${project.name} ${made}; slipway.json written. Deploy with: slipway deploy`,
  )
  out.event({ success: true, created: ensured.created, project, found })
}

/** What a deployment would make of it, and because of which files. */
function seen(found: Preparation | null): string[] {
  if (found === null) return []
  const { framework, language, packageManager, buildCommand, startCommand, port, services, strategy, because } = found
  const what = [framework ?? language ?? strategy, packageManager].filter(Boolean).join(', ')
  const how = [
    buildCommand && `build \`${buildCommand}\``,
    startCommand && `start \`${startCommand}\``,
    port !== null && `port ${port}`,
    services.length > 1 && services.map(({ name }) => name).join(', '),
  ].filter(Boolean)
  return ['  What is in this folder', `    ${[what, ...how].join(' · ')}`, `    ${because.slice(0, 3).join(', ')}`]
}

import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Command } from '../../command.ts'
import { listed } from '../../instance/pages.ts'
import { projectOf } from '../../instance/project.ts'
import { columns } from '../../show/columns.ts'
import { aboutWords, statusColour, statusWords, tookMs } from '../../show/deployment.ts'
import type { Output } from '../../show/output.ts'
import { duration, since } from '../../show/words.ts'

const USUAL = 15
const WIDE = 40

export const ls: Command<'ls'> = async (call) => {
  const { out, flags } = call
  const instance = await call.instance()
  const { api } = instance
  const of = flags.all ? {} : { projectId: (await projectOf(call, instance)).id }
  const data = await listed((page) => api.deployments.list({ query: { ...of, ...page } }), flags.limit ?? USUAL)
  const names =
    flags.all && !out.json ? await projectNames(() => listed((query) => api.projects.list({ query }))) : null
  out.result({ data }, () => (data.length === 0 ? [] : table(out, data, names)))
  if (data.some(({ unreachable }) => unreachable))
    out.say('The hosted cloud did not answer in time: its deployments are shown as they were seen last.')
  if (data.length === 0) out.say('None yet. Deploy this folder: slipway deploy')
}

const projectNames = async (ask: () => Promise<{ id: string; name: string }[]>) =>
  new Map((await ask()).map(({ id, name }) => [id, name]))

function table(out: Output, data: Deployment[], names: Map<string, string> | null): string[] {
  const head = ['', ...(names ? ['project'] : []), '#', 'status', '', 'what', 'who', 'took', 'when'].map((word) =>
    out.paint('dim', word),
  )
  const rows = data.map((one) => [
    one.active ? '●' : ' ',
    ...(names ? [names.get(one.projectId) ?? one.projectId] : []),
    String(one.number),
    statusColour(out, one, statusWords(one)),
    one.pinned ? 'pinned' : '',
    short(aboutWords(one)),
    one.createdBy.name,
    duration(tookMs(one)),
    since(one.timing.createdAt),
  ])
  return columns([head, ...rows], { right: [names ? 2 : 1] })
}

const short = (text: string) => (text.length > WIDE ? `${text.slice(0, WIDE - 1)}…` : text)

import { stripVTControlCharacters } from 'node:util'
import { until } from '../../../test-kit/until.ts'
import { seenIn } from './markers.ts'
import type { Row, Stage } from './stage.ts'
import { DONE } from './try.ts'

export type Told = Pick<Row, 'verdict' | 'words'>

/** Deploys the look image with a command of its own; gives the attacker and the deployment. */
async function runs(stage: Stage, name: string, command: string, more: object = {}) {
  const attacker = await stage.attacker(name)
  const variables = [{ name: 'TOK', value: TOKEN }]
  await stage.site.ask('PUT', `/api/projects/${attacker.project}/variables`, { variables })
  const text = JSON.stringify(`${command}; echo ${DONE}; sleep 900`).replaceAll('$', '$$$$')
  const web = `{image: "${stage.look}", command: [sh, -c, ${text}], environment: {TOK: }, healthcheck: {disable: true}, expose: ["8000"]}`
  const { id: uploadSessionId } = await attacker.upload({ 'compose.yaml': `services: {web: ${web}}\n` })
  const asked = await attacker.deploy({ uploadSessionId, ...more })
  const end = await attacker.ended(asked.body.deployment_id, 120)
  if (end.status !== 'ready') throw new Error(JSON.stringify(end.error))
  await until('the program inside', 60_000, async () => (await attacker.logs(end.id)).includes(DONE))
  return { attacker, id: end.id }
}

const TOKEN = 'tok-4f9d3a71c2e85b60'

const ODD = [
  String.raw`printf 'x\n\nevent: done\ndata: {}\n\n'`,
  String.raw`printf 'cr\revent: x\n'`,
  String.raw`printf '\033[2J\033]0;title\007\033]52;c;aGk=\007\n'`,
  String.raw`printf 'u \342\200\250 end\n\342\200\256 bidi\n'`,
].join('; ')

/** A reader's terminal is not the writer's: control characters are shown, never sent. */
export async function linesThatCommand(stage: Stage): Promise<Told> {
  const { attacker, id } = await runs(stage, 'log-lines', ODD)
  const { text } = await attacker.call('GET', `/api/deployments/${id}/logs?kind=runtime&format=text`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  const odd = text.match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g) ?? []
  if (!text.includes('title')) return { verdict: 'no result', words: 'the line is not in the text' }
  if (odd.length > 0) return { verdict: 'WORKED', words: `sends ${JSON.stringify(odd.join(''))}` }
  return { verdict: 'harmless', words: 'shows them' }
}

/** The mask is for accidents; a secret that is only coloured or cut by control characters is one. */
export async function brokenSecrets(stage: Stage): Promise<Told> {
  const half = 'A=$(echo $TOK | cut -c1-10); B=$(echo $TOK | cut -c11-)'
  const { attacker, id } = await runs(stage, 'masked', `${half}; echo $TOK; printf "%s\\033[0m%s\\n" $A $B; echo shown`)
  const log = await attacker.logs(id)
  if (!log.includes('shown')) return { verdict: 'no result', words: 'nothing was printed' }
  const leaked = [log, stripVTControlCharacters(log)].some((text) => text.includes(TOKEN))
  if (leaked) return { verdict: 'WORKED', words: 'the value is in the log' }
  return { verdict: 'harmless', words: 'masked, whole and coloured' }
}

export async function rawPackets(stage: Stage): Promise<Told> {
  const { attacker, id } = await runs(stage, `raw-${Date.now()}`, '/arp raw', { publicEndpoints: [{ port: 8000 }] })
  const log = await attacker.logs(id)
  const seen = seenIn(log, stage.ground.markers)
  if (seen.length > 0) return { verdict: 'WORKED', words: seen.join('; ') }
  return log.includes('no raw socket')
    ? { verdict: 'harmless', words: 'no raw socket' }
    : { verdict: 'no result', words: log.slice(0, 200) }
}

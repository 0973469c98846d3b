import { until } from '../../../test-kit/until.ts'
import type { Attacker } from './attacker.ts'
import { type Case, file, textOf } from './cases.ts'
import { commitEntries } from './git.ts'
import { seenIn } from './markers.ts'
import type { Row, Stage } from './stage.ts'
import { tarOf } from './tar.ts'

/** What a program inside says when it has tried all that it wanted. */
export const DONE = 'LOOK-DONE'
const END_SECONDS = 240
const LOOK_SECONDS = 90

export type Outcome = { verdict: 'refused' | 'harmless' | 'no result'; words: string; seen: string }

/** Runs what a Dockerfile made, and shows what it may have got hold of. */
const AROUND = `services: {web: {build: ., command: [sh, -c, "cat /stolen /m/l /m/secret; echo ${DONE}; exec sleep 900"], healthcheck: {disable: true}}}\n`

/** Deploys what a case is made of, with a token for one project, and gathers all that the attacker then gets to see. */
export async function tryDeployment(stage: Stage, attacker: Attacker, one: Case): Promise<Outcome> {
  const body = await sourceOf(stage, attacker, one)
  if (typeof body === 'string') return refused(body)
  const asked = await attacker.deploy(body)
  if (asked.status >= 500) return unknown(asked.text)
  if (asked.status >= 300) return refused(asked.text)
  const id = asked.body.deployment_id
  const end = await attacker.ended(id, END_SECONDS)
  const prints =
    one.entries.some(({ text }) => text.length < 100_000 && text.includes(DONE)) ||
    runsLook(stage, one) ||
    usesAround(one)
  const all = async () =>
    [await attacker.buildLog(id), await attacker.logs(id), JSON.stringify(end), await infoOf(attacker, id)].join('\n')
  if (end.status !== 'ready') {
    const words = `${end.error?.code}: ${end.error?.message}`
    return { ...(NOT_TRIED.test(words) ? unknown(words) : refused(words)), seen: await all() }
  }
  const done = async () => !prints || (await attacker.logs(id)).includes(DONE)
  const finished = await until('the program inside', LOOK_SECONDS * 1000, done).catch(() => false)
  const seen = `${await all()}\n${await victimOf(stage)}`
  if (!finished) return { verdict: 'no result', words: 'the program inside did not come to its end', seen }
  return { verdict: 'harmless', words: 'runs', seen }
}

/** Whoever took a port, a name or an address of the victim's is answered in its stead. */
async function victimOf({ site }: Stage): Promise<string> {
  const { text } = await site.visit('victim').catch((error) => ({ text: String(error) }))
  return text.includes('victim answers') ? '' : `WORKED the victim no longer answers: ${text.slice(0, 100)}`
}

/** A shell that did not understand, or did not find, what it was to run: then nothing was tried. */
const NOT_TRIED = /a command ended with code (2|126|127)\b/

const unknown = (words: string): Outcome => ({ verdict: 'no result', words, seen: words })
const refused = (words: string): Outcome => ({ verdict: 'refused', words, seen: words })

const infoOf = async (attacker: Attacker, id: string) =>
  (await attacker.call('GET', `/api/deployments/${id}/info`)).text

/** Whether what it runs is the program that looks at everything. */
const runsLook = ({ look }: Stage, one: Case) => {
  const text = textOf(one, 'compose.yaml') ?? textOf(one, 'request.json') ?? ''
  return text.includes(look) && !text.includes('command')
}

const usesAround = ({ entries }: Case) =>
  !entries.some(({ path }) => path === 'compose.yaml' || path === 'request.json' || path === 'package.json')

/** Brings the source there; a string says why it was not taken. */
async function sourceOf(stage: Stage, attacker: Attacker, one: Case): Promise<object | string> {
  const request = textOf(one, 'request.json')
  const files = one.entries.filter(({ path }) => path !== 'request.json')
  if (request !== undefined && files.length === 0) return JSON.parse(request)
  const around = usesAround(one) ? [file('compose.yaml', AROUND)] : []
  const entries = [...files, ...around]
  if (one.door === 'repositories') return asRepository(stage, attacker, { ...one, entries })
  const answer = await fetch(`${stage.site.base()}/api/projects/folder-sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${attacker.token}`, 'content-type': 'application/gzip' },
    body: new Uint8Array(tarOf([...entries, file('x', 'x\n')])),
    signal: AbortSignal.timeout(120_000),
  })
  const text = await answer.text()
  if (!answer.ok) return text
  return { uploadSessionId: JSON.parse(text).uploadSessionId, ...(request !== undefined && JSON.parse(request)) }
}

async function asRepository({ ground }: Stage, attacker: Attacker, one: Case): Promise<object | string> {
  commitEntries(ground.gitHost.path(one.name), one.entries)
  const answer = await attacker.call('PATCH', `/api/projects/${attacker.project}`, {
    repository: ground.gitHost.url(one.name),
    branch: 'main',
  })
  return answer.status < 300 ? {} : answer.text
}

/** What is to be said of a try: a marker that shows up anywhere outweighs every answer. */
export function judge(stage: Stage, one: Case, { verdict, words, seen }: Outcome): Row {
  const found = [...seenIn(seen, { ...stage.ground.markers, ...stage.secrets }), ...stage.ground.plant(one.name)]
  const row = { name: one.name, door: one.door }
  if (found.length > 0) return { ...row, verdict: 'WORKED', words: found.join('; ') }
  if (verdict === 'harmless' && one.want === 'refused')
    return { ...row, verdict: 'no result', words: `it should have been refused, and ${words}` }
  return { ...row, verdict, words: words.replaceAll(/\s+/g, ' ').slice(0, 300) }
}

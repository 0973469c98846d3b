import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Files } from '../../../test-kit/sample-app.ts'
import { until } from '../../../test-kit/until.ts'
import { type Attacker, removeProject } from './attacker.ts'
import { seenIn } from './markers.ts'
import type { Row, Stage } from './stage.ts'

/** Deploys a folder as its owner would; undefined with the words of whoever said no. */
export async function act(
  attacker: Attacker,
  files: Files,
  more: object = {},
): Promise<{ id: string; refused?: undefined } | { id?: undefined; refused: string }> {
  const { id: uploadSessionId } = await attacker.upload(files)
  const { status, text, body } = await attacker.deploy({ uploadSessionId, ...more })
  return status < 300 ? { id: body.deployment_id } : { refused: text }
}

/** The same until it has come up or failed. */
export async function acted(attacker: Attacker, files: Files, more: object = {}, seconds = 240) {
  const made = await act(attacker, files, more)
  if (made.id === undefined) return made
  return { id: made.id, deployment: await attacker.ended(made.id, seconds) }
}

export const failureOf = ({ status, error }: Deployment): string | undefined =>
  status === 'ready' ? undefined : `${status}: ${error?.message ?? ''}`

/** A service of the attacker: one program, and whatever else is said about it. */
export const composeOf = (image: string, command: string[], more: object = {}, top: object = {}): Files => ({
  // JSON is YAML.
  'compose.yaml': JSON.stringify({ services: { web: { image, command, ...more } }, ...top }, null, 1),
})

/** What a running deployment prints until a word is among it. */
export function printed(attacker: Attacker, id: string, word: string, seconds = 60): Promise<string> {
  return until(`“${word}” in what ${attacker.name} prints`, seconds * 1000, async () => {
    const text = await attacker.logs(id)
    return text.includes(word) ? text : undefined
  })
}

/** Takes away all of an attacker, so that nothing of it is in the way of the next. */
export const ended = ({ site }: Stage, { project }: Pick<Attacker, 'project'>): Promise<void> =>
  removeProject(site, project)

/** Rows of one door. */
export const rowsOf = (door: string) => ({
  door,
  row: (name: string, verdict: Row['verdict'], words: string): Row => ({ name, door, verdict, words }),
  /** A text in which nothing may show up. */
  judged: (name: string, text: string, { ground }: Stage): Row => {
    const seen = seenIn(text, ground.markers)
    const verdict = seen.length > 0 ? 'WORKED' : 'harmless'
    return { name, door, verdict, words: seen.join('; ') || 'nothing was seen' }
  },
  control: (name: string, caught: boolean, words: string): Row => ({
    name: `control: ${name}`,
    door,
    verdict: caught ? 'WORKED' : 'no result',
    words,
    control: true,
  }),
})

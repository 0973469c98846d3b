import type { ServiceVersions } from '@slipway/contract/decisions'
import type { Deployment } from '@slipway/contract/deployment-shape'
import { engineAt } from '../../../test-kit/engine.ts'
import type { Site } from '../../../test-kit/site.ts'
import { until } from '../../../test-kit/until.ts'
import type { Stack } from './ground.ts'
import { onEngine } from './look.ts'
import type { Choice, World } from './model.ts'
import { RUNNING, SERVICES } from './stack.ts'

type Decided = { choice: Choice; table: ServiceVersions[]; wrong: string[] }

/** Several decide at once, over all processes there are: one is heard, and the others are told that it is too late. */
export async function race({ site }: Stack, id: string, choices: Choice[]): Promise<Decided> {
  const living = site.replicas.filter(({ child }) => child.exitCode === null && child.signalCode === null)
  const answers = await Promise.all(
    choices.map(async (choice, place) => {
      const at = living[place % living.length]?.url
      return { choice, ...(await site.call('POST', `/api/deployments/${id}/${choice}`, undefined, at)) }
    }),
  )
  const [heard, ...more] = answers.filter(({ status }) => status === 202)
  const late = answers.filter(({ status }) => status === 400)
  const said = answers.map(({ choice, status }) => `${choice} ${status}`).join(', ')
  if (!heard) throw new Error(`nobody was heard: ${said} ${answers[0]?.text}`)
  const one = more.length === 0 && late.length === answers.length - 1
  return { choice: heard.choice, table: heard.body.services, wrong: one ? [] : [`of a race: ${said}`] }
}

/** Whoever decides about what does not wait for it is refused. */
export async function refused(site: Site, id: string): Promise<string[]> {
  const wrong: string[] = []
  for (const choice of ['keep', 'reject'] as const) {
    const { status } = await site.call('POST', `/api/deployments/${id}/${choice}`)
    if (status !== 400) wrong.push(`${choice} of what awaits no decision was answered with ${status}`)
  }
  return wrong
}

type Worlds = { ran: World; runs: World; willRun: World }

/** Whether the table of a decision says what was there before, was there meanwhile, and is to be there. */
export function wrongTable(table: ServiceVersions[], worlds: Worlds): string[] {
  return SERVICES.flatMap((name) => {
    const row = table.find((one) => one.name === name)
    if (!row) return [`the table of the decision has no ${name}`]
    return (['ran', 'runs', 'willRun'] as const).flatMap((when) => {
      const [said, wanted] = [row[when]?.deploymentId, worlds[when][name]?.deployment]
      return said === wanted ? [] : [`the table says that ${name} ${when} ${said}, not ${wanted}`]
    })
  })
}

/** Whether the images and digests of a table are what the engine runs at that time. */
export async function wrongImages(stack: Stack, table: ServiceVersions[], when: 'runs' | 'willRun'): Promise<string[]> {
  const docker = engineAt(stack.site.engine.socket)
  const there = await onEngine(stack)
  const wrong: string[] = []
  for (const name of RUNNING) {
    const said = table.find((one) => one.name === name)?.[when]
    const own = there[name]
    if (!said || !own) continue
    if (said.image !== own.image) wrong.push(`the table says that ${name} ${when} ${said.image}, not ${own.image}`)
    for (const known of [own.image, own.reference]) {
      const { Id } = await docker.getImage(known).inspect()
      if (said.digest !== Id) wrong.push(`the table says that ${name} ${when} ${said.digest}, but ${known} is ${Id}`)
    }
  }
  return wrong
}

/** Over for good: a decision has been carried out. */
export const over = (site: Site, id: string, seconds = 180): Promise<Deployment> =>
  until(
    `the end of ${id}`,
    seconds * 1000,
    async () => {
      const seen = await site.show(id).catch(() => undefined)
      return seen && seen.timing.finishedAt !== null && seen.decision !== 'pending' ? seen : undefined
    },
    { everyMs: 300 },
  )

/** Over, or waiting for a decision. */
export const settledOrAsked = (site: Site, id: string, seconds = 300): Promise<Deployment> =>
  until(
    `an end or a question of ${id}`,
    seconds * 1000,
    async () => {
      const seen = await site.show(id).catch(() => undefined)
      return seen && (seen.timing.finishedAt !== null || seen.decision === 'pending') ? seen : undefined
    },
    { everyMs: 300 },
  )

import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Call } from '../command.ts'
import { EXIT, Failure } from '../failure.ts'
import type { Instance } from './instance.ts'
import { pagesOf } from './pages.ts'
import { projectOf } from './project.ts'

/** Which one is meant when nobody says it: the one that serves, the last one that was begun, or the last that fits. */
type Unsaid = 'active' | ((deployment: Deployment) => boolean)

/** A deployment by its id, or by its number within the project: `dep_…`, `#12` or `12`. */
export async function deploymentOf(
  call: Call,
  instance: Instance,
  word: string | undefined,
  unsaid: Unsaid,
): Promise<Deployment> {
  if (word?.startsWith('dep_')) return instance.api.deployments.show({ params: { id: word } })
  const { id: projectId, name } = await projectOf(call, instance)
  if (word !== undefined && !isNumber(word))
    throw new Failure(EXIT.usage, 'usage', `${word} is no deployment.`, 'It looks like 12, #12 or dep_….')
  const number = word === undefined ? null : Number(word.replace('#', ''))
  const found = await search(instance, projectId, number ?? unsaid)
  if (found) {
    if (word === undefined) call.out.say(call.out.paint('dim', `${name} #${found.number}`))
    return found
  }
  const missing =
    number === null
      ? `No deployment of ${name} is one that this could be about.`
      : `${name} has no deployment #${number}.`
  throw new Failure(EXIT.refused, 'not_found', missing, 'slipway ls lists them.')
}

export const isNumber = (word: string): boolean => /^#?\d+$/.test(word)

async function search({ api }: Instance, projectId: string, wanted: number | Unsaid): Promise<Deployment | null> {
  const only = async (query: object) =>
    (await api.deployments.list({ query: { projectId, limit: 1, ...query } })).data[0]
  if (typeof wanted === 'number') return (await only({ number: wanted })) ?? null
  // Before there is an active one, the newest is what somebody wants to see.
  if (wanted === 'active') return (await only({ active: 'true' })) ?? (await only({})) ?? null
  for await (const one of pagesOf((page) => api.deployments.list({ query: { projectId, ...page } })))
    if (wanted(one)) return one
  return null
}

import type { Page } from '@slipway/contract/pages'
import { allVariables, listServices } from '../../projects/settings-store.ts'
import { openVariables, type PlainVariable } from '../../projects/variables.ts'
import type { Ask } from './ask-cloud.ts'
import { type Promoting, perform } from './perform.ts'

const MOST_SERVICES = 200
/** In one call: the route takes 500, and 8 MB. */
const MOST_AT_ONCE = 100
const MOST_LENGTH = 4_000_000

/**
 * Services and variables become there what they are here. Values are opened, sent and forgotten within this one step: its output, which
 * the journal keeps, is nothing.
 */
export const sendSettings = (promoting: Promoting): Promise<void> => {
  const { parts, project } = promoting
  return perform(promoting, 'settings', async (ask) => {
    const path = `/api/projects/${project.id}`
    const { data: services } = await listServices(parts.db, project, { limit: MOST_SERVICES })
    for (const { name, config } of services)
      await ask({ method: 'PUT', path: `${path}/services/${name}`, json: config })
    const variables = openVariables(parts, await allVariables(parts.db, project))
    for (const some of inParts(variables)) {
      const secrets = some.map(({ value }) => value)
      await ask({ method: 'PUT', path: `${path}/variables`, json: { variables: some }, secrets })
    }
    await removeOthers(ask, path, { services, variables })
  })
}

function inParts(variables: PlainVariable[]): PlainVariable[][] {
  const parts: PlainVariable[][] = []
  let [some, length]: [PlainVariable[], number] = [[], 0]
  for (const one of variables) {
    length += JSON.stringify(one).length
    if (some.length === MOST_AT_ONCE || (length > MOST_LENGTH && some.length > 0)) {
      parts.push(some)
      some = []
      length = JSON.stringify(one).length
    }
    some.push(one)
  }
  return some.length === 0 ? parts : [...parts, some]
}

type Named = { name: string; service?: string | null }
type Kept = { services: Named[]; variables: Named[] }
const keyOf = ({ name, service }: Named) => `${service ?? ''}/${name}`

/** What was taken away here since the last time goes there as well. */
async function removeOthers(ask: Ask, path: string, { services, variables }: Kept): Promise<void> {
  const [ownServices, own] = [new Set(services.map(keyOf)), new Set(variables.map(keyOf))]
  for (const one of await all(ask, `${path}/services`))
    if (!ownServices.has(keyOf({ name: one.name })))
      await ask({ method: 'DELETE', path: `${path}/services/${one.name}`, expects: [404] })
  for (const one of await all(ask, `${path}/variables`)) {
    const of = one.service ? `?service=${one.service}` : ''
    if (!own.has(keyOf(one)))
      await ask({ method: 'DELETE', path: `${path}/variables/${one.name}${of}`, expects: [404] })
  }
}

async function all(ask: Ask, path: string): Promise<Named[]> {
  const found: Named[] = []
  let cursor: string | null = ''
  while (cursor !== null && found.length < 2000) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = (await ask({ method: 'GET', path: `${path}?limit=200${after}` })).body as Page<Named>
    found.push(...page.data)
    cursor = page.nextCursor
  }
  return found
}

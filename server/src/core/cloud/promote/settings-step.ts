import { allVariables, listServices } from '../../projects/settings-store.ts'
import { openVariables, type PlainVariable } from '../../projects/variables.ts'
import { type Promoting, perform } from './perform.ts'
import { isName, replaceSent } from './sent.ts'

const MOST_SERVICES = 200
/** In one call: the route takes 500, and 8 MB. */
const MOST_AT_ONCE = 100
const MOST_LENGTH = 4_000_000

/**
 * Services and variables become there what they are here. Values are opened, sent and forgotten within this one step: its output, which
 * the journal keeps, is nothing.
 */
export const sendSettings = (promoting: Promoting): Promise<void> =>
  perform(promoting, 'settings', async (ask) => {
    const { parts, project } = promoting
    const { data: services } = await listServices(parts.db, project, { limit: MOST_SERVICES })
    const variables = openVariables(parts, await allVariables(parts.db, project))
    const own = [...services.map(nameOfService), ...variables.map(nameOfVariable)]
    const path = `/api/projects/${project.id}`
    await replaceSent(promoting, isSetting, own, async (gone) => {
      for (const { name, config } of services)
        await ask({ method: 'PUT', path: `${path}/services/${name}`, json: config })
      for (const some of inParts(variables.map(({ id: _, ...said }) => said))) {
        const secrets = some.map(({ value }) => value)
        await ask({ method: 'PUT', path: `${path}/variables`, json: { variables: some }, secrets })
      }
      for (const name of gone) await ask({ method: 'DELETE', path: path + name, expects: [404] })
    })
  })

const isSetting = (path: string) => !isName(path)

/** What it is called there, below its project. What somebody has made there alone has no such name here, and stays. */
const nameOfService = ({ name }: { name: string }) => `/services/${name}`
const nameOfVariable = ({ name, service }: Pick<PlainVariable, 'name' | 'service'>) =>
  `/variables/${name}${service === null ? '' : `?service=${service}`}`

type SaidVariable = Omit<PlainVariable, 'id'>

function inParts(variables: SaidVariable[]): SaidVariable[][] {
  const parts: SaidVariable[][] = []
  let [some, length]: [SaidVariable[], number] = [[], 0]
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
